//! Maps of a project file whose order counts, and values with a short form: serde in between.

use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_saphyr::Spanned;

use super::Template;

/// Something with its key in it.
pub(super) trait Named: Sized {
    fn named(value: Spanned<Self>, name: String) -> Self;
    fn name(&self) -> &str;
}

pub(super) fn serialize<T: Named + Serialize, S: Serializer>(
    list: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(list.len()))?;
    for item in list {
        map.serialize_entry(item.name(), item)?;
    }
    map.end()
}

pub(super) fn serialize_pair<S: Serializer>(
    serializer: S,
    key: &str,
    value: &impl Serialize,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}

pub(super) fn deserialize<'de, D: Deserializer<'de>, T: Named + Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Items<T>(PhantomData<T>);

    impl<'de, T: Named + Deserialize<'de>> Visitor<'de> for Items<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("names with what belongs to each")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<T>, A::Error> {
            let mut items = Vec::new();
            while let Some(name) = map.next_key::<String>()? {
                items.push(T::named(map.next_value()?, name));
            }
            Ok(items)
        }
    }

    deserializer.deserialize_map(Items(PhantomData))
}

/// Reads page types by name, or `from: FILE`.
pub(super) struct PagesVisitor;

impl<'de> Visitor<'de> for PagesVisitor {
    type Value = Template;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("page types by name, or from: FILE")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Template, A::Error> {
        let mut template = Template::default();
        while let Some(name) = map.next_key::<String>()? {
            if name == "from" {
                template.from = Some(map.next_value::<PathBuf>()?);
            } else {
                template.pages.push(Named::named(map.next_value()?, name));
            }
        }
        if template.from.is_some() && !template.pages.is_empty() {
            return Err(serde::de::Error::custom("fields stand here or in a file (from), not in both"));
        }
        Ok(template)
    }
}

/// A value that has a short form in one text, else is a map of keys.
pub(super) fn text_or_map<'de, D: Deserializer<'de>, T, K: Deserialize<'de>>(
    deserializer: D,
    text: impl FnOnce(&str) -> T,
    keys: impl FnOnce(K) -> T,
) -> Result<T, D::Error> {
    struct Either<T, K, F, G>(F, G, PhantomData<(T, K)>);

    impl<'de, T, K: Deserialize<'de>, F: FnOnce(&str) -> T, G: FnOnce(K) -> T> Visitor<'de>
        for Either<T, K, F, G>
    {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text or a map of keys")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            Ok(self.0(text))
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            K::deserialize(MapAccessDeserializer::new(map)).map(self.1)
        }
    }

    deserializer.deserialize_any(Either(text, keys, PhantomData))
}

/// One value, or a list of them.
pub(super) fn one_or_many<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Many<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Many<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("one or a list")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Vec<T>, E> {
            let text = serde::de::IntoDeserializer::<E>::into_deserializer(text);
            T::deserialize(text).map(|one| vec![one])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut all = Vec::new();
            while let Some(item) = list.next_element()? {
                all.push(item);
            }
            Ok(all)
        }
    }

    deserializer.deserialize_any(Many(PhantomData))
}
