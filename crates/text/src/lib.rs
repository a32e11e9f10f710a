//! Words: how a text is cut into them, their stems, stop words, languages, and which words are near another.
