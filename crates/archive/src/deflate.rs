//! Deflate for pages on their way into the archive: quickly rather than small.
//!
//! One pass, the codes that the format knows by itself, and a table so small that it stays in the nearest memory. The
//! library's fastest level has one of 128 KiB, which it clears for each record; it takes half as long again for as many bytes.

use std::ops::Range;

/// Places that are remembered, each by a hash of the four bytes there.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 13;

/// Bytes that a copy has at least and at most, and how far back it may reach.
const SHORTEST: usize = 4;
const LONGEST: usize = 258;
const FARTHEST: usize = 32 << 10;

/// Bytes before the end of a part of which none begins a copy, so that eight can always be looked at.
const MARGIN: usize = 16;

/// Bytes of a block: no more than one that is stored may have.
const BLOCK: usize = 60 << 10;

/// Room for the longest block: bytes have codes of up to nine bits. Bits are written eight bytes at a time.
const ROOM: usize = BLOCK / 8 * 9 + 64;

/// How blocks begin, as three bits: one with the format's own codes, an empty one of these at the end, one that is stored.
const CODED: u64 = 0b010;
const LAST: u64 = 0b011;
const STORED: u64 = 0b000;

/// How a coded block ends.
const END: Code = Code { bits: 0, count: 7 };

/// Packs records one after the other.
pub(crate) struct QuickDeflate {
    /// Where each hash was met last, as the lower half of its place; a look at the bytes tells whether that is true.
    places: Box<[u16; PLACES]>,
    packed: Box<[u8]>,
    codes: Box<Codes>,
}

/// The codes of bytes and of lengths, the latter with the bits that follow them.
struct Codes {
    bytes: [Code; 256],
    lengths: [Code; LONGEST + 1],
}

/// Bits as they are written, the first one lowest.
#[derive(Clone, Copy, Default)]
struct Code {
    bits: u32,
    count: u32,
}

impl QuickDeflate {
    pub(crate) fn new() -> QuickDeflate {
        let codes = Codes {
            bytes: std::array::from_fn(|byte| Code::of_symbol(byte as u32)),
            lengths: std::array::from_fn(Code::of_length),
        };
        let codes = Box::new(codes);
        QuickDeflate { places: Box::new([0; PLACES]), packed: vec![0; ROOM].into(), codes }
    }

    /// Appends `parts`, packed as one, to `out`. Copies stay within a part.
    pub(crate) fn pack(&mut self, parts: &[&[u8]], out: &mut Vec<u8>) {
        // What is left there of another record would do no harm, but make other bytes of the same one.
        self.places.fill(0);
        let mut begun = Code::default();
        for part in parts {
            for start in (0..part.len()).step_by(BLOCK) {
                begun = self.block(part, start..part.len().min(start + BLOCK), begun, out);
            }
        }
        let mut bits = Bits::after(begun, &mut self.packed);
        bits.push(LAST, 3);
        bits.push_code(END);
        bits.fill_byte();
        out.extend_from_slice(bits.whole());
    }

    /// Appends a block of `part`, after the bits of a byte that was begun; those that are begun at its end.
    fn block(&mut self, part: &[u8], block: Range<usize>, begun: Code, out: &mut Vec<u8>) -> Code {
        let mut bits = Bits::after(begun, &mut self.packed);
        bits.push(CODED, 3);
        pack(&mut self.places, &self.codes, part, block.clone(), &mut bits);
        bits.push_code(END);
        if bits.whole().len() <= block.len() {
            out.extend_from_slice(bits.whole());
            return bits.begun();
        }
        let mut bits = Bits::after(begun, &mut self.packed);
        bits.push(STORED, 3);
        bits.fill_byte();
        out.extend_from_slice(bits.whole());
        let length = block.len() as u16;
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(&part[block]);
        Code::default()
    }
}

/// Writes the codes of a block: copies of what came before wherever there is one, else bytes.
fn pack(places: &mut [u16; PLACES], codes: &Codes, part: &[u8], block: Range<usize>, bits: &mut Bits<'_>) {
    let Range { start: mut at, end } = block;
    let last = end.min(part.len().saturating_sub(MARGIN));
    while at < last {
        let four = four(part, at);
        let place = &mut places[place(four)];
        // Where it wraps around, the bytes differ, or it is far back.
        let distance = usize::from((at as u16).wrapping_sub(*place));
        *place = at as u16;
        let is_copy = (1..=FARTHEST).contains(&distance)
            && distance <= at
            && self::four(part, at - distance) == four
            && end - at >= SHORTEST;
        if !is_copy {
            bits.push_code(codes.bytes[usize::from(part[at])]);
            at += 1;
            continue;
        }
        let length = SHORTEST + same(part, at + SHORTEST, distance, end.min(at + LONGEST));
        bits.push_copy(codes.lengths[length], distance);
        at += length;
        if at < last {
            // What comes next often begins with its end.
            places[self::place(self::four(part, at - 2))] = (at - 2) as u16;
        }
    }
    for byte in &part[at..end] {
        bits.push_code(codes.bytes[usize::from(*byte)]);
    }
}

/// How many bytes from `at` to `end` are those so far before.
#[inline]
fn same(part: &[u8], at: usize, distance: usize, end: usize) -> usize {
    let mut length = 0;
    while at + length + 8 <= end {
        let other = eight(part, at + length) ^ eight(part, at + length - distance);
        if other != 0 {
            return length + other.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let rest = (at + length..end).take_while(|at| part[*at] == part[*at - distance]);
    length + rest.count()
}

#[inline]
fn four(bytes: &[u8], at: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(four)
}

#[inline]
fn eight(bytes: &[u8], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

#[inline]
fn place(four: u32) -> usize {
    (four.wrapping_mul(0x9e37_79b1) >> (32 - PLACE_BITS)) as usize
}

impl Code {
    /// The format's own code of a symbol: a byte, the end of a block (256), or a length.
    fn of_symbol(symbol: u32) -> Code {
        let (code, count) = match symbol {
            0..144 => (0x30 + symbol, 8),
            144..256 => (0x190 + symbol - 144, 9),
            256..280 => (symbol - 256, 7),
            _ => (0xc0 + symbol - 280, 8),
        };
        // Codes are written from their highest bit on.
        Code { bits: code.reverse_bits() >> (32 - count), count }
    }

    /// The code of a length, and the bits that follow it; nothing where a copy is not that long.
    fn of_length(length: usize) -> Code {
        let Some(value) = (length as u32).checked_sub(3) else { return Code::default() };
        if length == LONGEST {
            return Code::of_symbol(285);
        }
        // Four symbols for each number of bits that follow.
        let further = value.checked_ilog2().unwrap_or(0).saturating_sub(2);
        let code = Code::of_symbol(257 + 4 * further + (value >> further));
        Code { bits: code.bits | (value & ((1 << further) - 1)) << code.count, count: code.count + further }
    }
}

/// Bits on their way into bytes.
struct Bits<'a> {
    to: &'a mut [u8],
    at: usize,
    /// Those of the byte that is begun, the first one lowest.
    bits: u64,
    count: u32,
}

impl Bits<'_> {
    fn after(begun: Code, to: &mut [u8]) -> Bits<'_> {
        Bits { to, at: 0, bits: u64::from(begun.bits), count: begun.count }
    }

    /// Adds up to 56 bits. All eight bytes are written each time, which is quicker than asking how many are whole.
    #[inline]
    fn push(&mut self, bits: u64, count: u32) {
        self.bits |= bits << self.count;
        self.count += count;
        self.to[self.at..self.at + 8].copy_from_slice(&self.bits.to_le_bytes());
        self.at += self.count as usize / 8;
        self.bits >>= self.count & !7;
        self.count &= 7;
    }

    #[inline]
    fn push_code(&mut self, code: Code) {
        self.push(u64::from(code.bits), code.count);
    }

    /// Adds a copy: the code of its length, and how far back it begins.
    #[inline]
    fn push_copy(&mut self, length: Code, distance: usize) {
        let value = distance as u32 - 1;
        // Two symbols for each number of bits that follow.
        let further = (value | 1).ilog2().saturating_sub(1);
        let symbol = (2 * further + (value >> further)).reverse_bits() >> 27;
        let distance = symbol | (value & ((1 << further) - 1)) << 5;
        let bits = u64::from(length.bits) | u64::from(distance) << length.count;
        self.push(bits, length.count + 5 + further);
    }

    fn fill_byte(&mut self) {
        self.push(0, (8 - self.count) % 8);
    }

    /// The bytes that are whole.
    fn whole(&self) -> &[u8] {
        &self.to[..self.at]
    }

    /// The bits behind them.
    fn begun(&self) -> Code {
        Code { bits: self.bits as u32, count: self.count }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::*;

    /// Packs the parts, and has others unpack them; how many bytes they took.
    fn check(deflate: &mut QuickDeflate, parts: &[&[u8]]) -> usize {
        let mut out = Vec::new();
        deflate.pack(parts, &mut out);
        let mut decoder = flate2::bufread::DeflateDecoder::new(&out[..]);
        let mut back = Vec::new();
        decoder.read_to_end(&mut back).expect("what was packed can be unpacked");
        assert!(back == parts.concat(), "{} bytes came back as {}", parts.concat().len(), back.len());
        assert!(decoder.into_inner().is_empty(), "nothing follows the last block");
        out.len()
    }

    /// Bytes that nobody can pack.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        std::iter::repeat_with(&mut next).take(length).collect()
    }

    #[test]
    fn copies_of_every_length_and_distance_come_back() {
        let mut deflate = QuickDeflate::new();
        let noise = noise(FARTHEST + 600);
        for length in (0..70).chain([127, 128, 129, 255, 256, 257, 258, 259, 260, 300, 516, 517, 518]) {
            check(&mut deflate, &[&noise[..length], &noise[..length]]);
            let twice = [&noise[..length], b"-", &noise[..length], &noise[900..950]].concat();
            check(&mut deflate, &[&twice]);
        }
        for far in [0, 1, 2, 3, 5, 8, 100, 1_000, FARTHEST - 301, FARTHEST - 300, FARTHEST - 299, FARTHEST] {
            let text = [&noise[..300], &noise[300..300 + far], &noise[..300], &noise[9..40]].concat();
            check(&mut deflate, &[&text]);
        }
    }

    #[test]
    fn long_texts_have_several_blocks_and_noise_is_stored() {
        let mut deflate = QuickDeflate::new();
        let noise = noise(3 * BLOCK);
        let packed = check(&mut deflate, &[&noise]);
        assert!(packed <= noise.len() + 40, "{packed}");
        let text = b"to be packed, or not to be packed: ".repeat(9_000);
        let packed = check(&mut deflate, &[&text[..BLOCK], &text[..BLOCK + 1], &text]);
        assert!(packed < text.len() / 50, "{packed}");
        check(&mut deflate, &[&text[..100], &noise, &text, &noise[..70_000], &text[..90_000]]);
        check(&mut deflate, &[&vec![0; 200_000]]);
        check(&mut deflate, &[]);
    }

    #[test]
    fn a_record_is_packed_the_same_whatever_came_before() {
        let text = b"one two three one two four one two five".repeat(40);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        QuickDeflate::new().pack(&[&text], &mut first);
        let mut deflate = QuickDeflate::new();
        deflate.pack(&[&noise(80_000), b"two four one"], &mut Vec::new());
        deflate.pack(&[&text], &mut second);
        assert_eq!(first, second);
    }

    proptest! {
        #[test]
        fn any_parts_come_back(
            pieces in prop::collection::vec(("[ab<>/é]{0,40}", 0..60_usize), 0..12),
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            cut in 0..500_usize,
        ) {
            let repeated: Vec<u8> =
                pieces.iter().flat_map(|(text, times)| text.repeat(*times).into_bytes()).collect();
            let all = [&repeated[..], &bytes, &repeated].concat();
            let (head, rest) = all.split_at(cut.min(all.len()));
            check(&mut QuickDeflate::new(), &[head, rest, &bytes]);
        }
    }
}
