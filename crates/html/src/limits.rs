//! How much a page may ask of the parser. Events need no limit of their own: a page has fewer than bytes.

/// Attributes of one tag; later ones are dropped.
pub const ATTRIBUTES: usize = 256;

/// Bytes of one attribute's value; longer values are cut.
pub const VALUE: usize = 64 * 1024;

/// Depth below which start tags no longer reach the tree. Checks of what is open walk up from the current
/// element, so without it 100,000 nested tags would cost 5,000,000,000 steps. Browsers use the same number.
pub const DEPTH: u32 = 512;

/// Nodes of a tree. Unclosed formatting elements are opened again in every paragraph, so a small page can
/// ask for any number of them.
pub const NODES: usize = 1 << 20;

/// Bytes of text and attribute values in a tree, beyond those of the page itself: reopened elements repeat
/// their attributes.
pub const REPEATED_TEXT: usize = 16 << 20;

/// Steps that the tree builder may spend on looking through what is open.
pub const WORK: u64 = 1 << 27;
