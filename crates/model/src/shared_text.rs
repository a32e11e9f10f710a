//! Pieces of one text that is kept once for all of them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A piece of a text that others share, such as the words of one link of many. Cheap to clone; as long as one piece is
/// kept, so is the whole text.
#[derive(Clone, Default)]
pub struct SharedText {
    whole: Arc<str>,
    start: u32,
    end: u32,
}

impl SharedText {
    /// This piece of a text.
    ///
    /// # Panics
    /// Where it does not lie within the text, between characters.
    pub fn of(whole: &Arc<str>, piece: Range<usize>) -> SharedText {
        let text = &whole[piece.clone()];
        match (u32::try_from(piece.start), u32::try_from(piece.end)) {
            (Ok(start), Ok(end)) => SharedText { whole: whole.clone(), start, end },
            _ => text.into(),
        }
    }
}

impl From<&str> for SharedText {
    /// All of a text. Of one that is too long for its length to be told, as much as can be.
    fn from(text: &str) -> SharedText {
        let text = &text[..text.floor_char_boundary(u32::MAX as usize)];
        SharedText { whole: text.into(), start: 0, end: text.len() as u32 }
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.whole[self.start as usize..self.end as usize]
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &SharedText) -> bool {
        **self == **other
    }
}

impl Eq for SharedText {}

impl Hash for SharedText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for SharedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SharedText, D::Error> {
        Ok(String::deserialize(deserializer)?.as_str().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_a_text_like_any_other() {
        let whole: Arc<str> = "über uns".into();
        let piece = SharedText::of(&whole, 6..9);
        assert_eq!(
            (&*piece, piece.to_string().as_str(), format!("{piece:?}").as_str()),
            ("uns", "uns", "\"uns\"")
        );
        assert_eq!(piece, SharedText::from("uns"));
        assert_ne!(piece, SharedText::of(&whole, 0..5));
        let json = serde_json::to_string(&piece).expect("a text");
        assert_eq!(
            (json.as_str(), serde_json::from_str::<SharedText>(&json).expect("a text")),
            ("\"uns\"", piece)
        );
        assert_eq!(&*SharedText::default(), "");
    }

    #[test]
    #[should_panic(expected = "boundary")]
    fn half_a_letter_is_no_piece() {
        SharedText::of(&"über".into(), 1..3);
    }
}
