//! Values: bytes that say which version of their type wrote them.
//!
//! [`Record`] is the usual way: a serde type that names its version. What an older version wrote
//! is migrated by the type itself; what a newer one wrote is refused, never misread.

use crate::DecodeError;
use serde::{Serialize, de::DeserializeOwned};

/// A type that can be a table's value.
pub trait Value: Sized {
    /// Appends the value's bytes.
    fn encode(&self, out: &mut Vec<u8>);

    /// The value whose bytes these are.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError>;
}

/// A serde type kept as a version byte and its fields in postcard form.
///
/// The order and types of the fields are the format: any change of them needs a new `VERSION`
/// and an arm in `migrate`, which reads the older fields:
///
/// ```
/// use kv::{DecodeError, Record, read_fields};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Clock {
///     due: u64,
///     pause: u32,
/// }
///
/// impl Record for Clock {
///     const VERSION: u8 = 2;
///
///     fn migrate(version: u8, fields: &[u8]) -> Result<Self, DecodeError> {
///         match version {
///             1 => Ok(Clock { due: read_fields(fields)?, pause: 1_000 }),
///             found => Err(DecodeError::Version { found, known: Self::VERSION }),
///         }
///     }
/// }
/// ```
pub trait Record: Serialize + DeserializeOwned {
    /// Written in front of every value; never given to another shape again.
    const VERSION: u8;

    /// Reads the fields that another version wrote. Refuses all unless the type says otherwise.
    fn migrate(version: u8, _fields: &[u8]) -> Result<Self, DecodeError> {
        Err(DecodeError::Version { found: version, known: Self::VERSION })
    }
}

/// Reads postcard fields, all of them: bytes left over mean another type wrote them.
pub fn read_fields<T: DeserializeOwned>(fields: &[u8]) -> Result<T, DecodeError> {
    let (value, rest) =
        postcard::take_from_bytes(fields).map_err(|error| DecodeError::Malformed(error.to_string()))?;
    if rest.is_empty() {
        Ok(value)
    } else {
        let expected = fields.len() - rest.len();
        Err(DecodeError::Length { expected, found: fields.len() })
    }
}

impl<T: Record> Value for T {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(T::VERSION);
        // Only a Serialize implementation can fail here, by an unknown length; the derived ones
        // have none.
        *out = postcard::to_extend(self, std::mem::take(out)).expect("a record's Serialize is derived");
    }

    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        match bytes.split_first() {
            Some((&version, fields)) if version == T::VERSION => read_fields(fields),
            Some((&version, fields)) => T::migrate(version, fields),
            None => Err(DecodeError::Length { expected: 1, found: 0 }),
        }
    }
}

/// For tables whose keys say it all.
impl Value for () {
    fn encode(&self, _: &mut Vec<u8>) {}

    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        fixed::<0>(bytes).map(|_| ())
    }
}

/// Raw bytes, without a version: for values whose format is kept elsewhere.
impl Value for Vec<u8> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }

    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        Ok(bytes.to_vec())
    }
}

impl<const N: usize> Value for [u8; N] {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }

    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        fixed(bytes)
    }
}

/// A counter or a timestamp; it needs no version as long as it is only that.
impl Value for u64 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_be_bytes());
    }

    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        fixed(bytes).map(u64::from_be_bytes)
    }
}

fn fixed<const N: usize>(bytes: &[u8]) -> Result<[u8; N], DecodeError> {
    bytes.try_into().map_err(|_| DecodeError::Length { expected: N, found: bytes.len() })
}
