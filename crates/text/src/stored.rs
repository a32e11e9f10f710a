//! What a file of ours is made of: a mark and a version, lists of numbers and texts, and a checksum over all. What
//! stands in it is left to those who write and read it.

/// Bytes being put together.
pub(crate) struct Writing(Vec<u8>);

impl Writing {
    pub(crate) fn new(mark: [u8; 4], version: u8) -> Writing {
        let mut bytes = mark.to_vec();
        bytes.push(version);
        Writing(bytes)
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Seven bits a byte, the lowest first.
    pub(crate) fn number(&mut self, mut number: u32) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(crate) fn text(&mut self, text: &str) {
        // Offsets into texts are 32 bits, so their lengths are.
        self.number(text.len() as u32);
        self.bytes(text.as_bytes());
    }

    pub(crate) fn list(&mut self, numbers: &[u32]) {
        self.number(numbers.len() as u32);
        self.0.reserve(numbers.len() * 4);
        numbers.iter().for_each(|number| self.0.extend_from_slice(&number.to_le_bytes()));
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        seal(self.0)
    }
}

/// Bytes being read.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a>(&'a [u8]);

impl<'a> Reading<'a> {
    /// Begins behind mark and version; `what` is what the file should be.
    pub(crate) fn new(bytes: &'a [u8], mark: [u8; 4], version: u8) -> Result<Reading<'a>, &'static str> {
        let rest = bytes.strip_prefix(&mark).ok_or("it is of another kind")?;
        if rest.first() != Some(&version) {
            return Err("it has a version this program does not know");
        }
        let (content, sum) = bytes.split_last_chunk::<8>().ok_or("it is cut off")?;
        if checksum(content) != u64::from_le_bytes(*sum) {
            return Err("its checksum is wrong");
        }
        Ok(Reading(content.get(mark.len() + 1..).ok_or("it is cut off")?))
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// A number in as few bytes as it needs: each has one form.
    pub(crate) fn number(&mut self) -> Option<u32> {
        let mut number = 0u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            let part = u32::from(byte & 0x7f);
            number |= part.checked_shl(shift).filter(|moved| moved >> shift == part)?;
            if byte < 0x80 {
                return (byte > 0 || shift == 0).then_some(number);
            }
        }
        None
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        String::from_utf8(self.bytes(length)?.to_vec()).ok()
    }

    pub(crate) fn list(&mut self) -> Option<Vec<u32>> {
        let length = self.number()? as usize;
        let bytes = self.bytes(length.checked_mul(4)?)?;
        let number = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).unwrap_or_default();
        Some(bytes.chunks_exact(4).map(number).collect())
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }
}

/// Bytes with the checksum that a stored vocabulary or stored suggestions end with: what a check of damaged files
/// needs, for the damage to come through.
pub fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// Eight bytes at a time: files are tens of megabytes, and read before the first answer.
fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    let sum = rest.iter().fold(sum, |sum, &byte| mix(sum, byte.into()));
    sum ^ sum >> 32
}
