//! One gzip member per record, by a compressor that is kept: setting one up costs more than a small record.

use flate2::{Compress, Crc, FlushCompress, Status};
use model::Compression;

use crate::deflate::QuickDeflate;

/// Of records that are short and made once in a while, a sixth smaller for some microseconds; and where an archive is to be
/// small: a quarter smaller, and a page costs half as much again.
const LEVEL: u32 = 6;

/// How our members begin: magic, deflate, one extra field, no time, fastest, unknown system.
pub const MEMBER_START: [u8; 10] = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 4, 0xff];

/// Bytes of a member before its data.
pub(crate) const HEADER: usize = 24;

/// How long the member is that begins with these bytes, if it says so as ours do.
pub(crate) fn stated_length(header: &[u8; HEADER]) -> Option<u64> {
    let is_ours = header.starts_with(&MEMBER_START) && header[10..16] == [12, 0, b's', b'l', 8, 0];
    let length = u32::from_le_bytes([header[16], header[17], header[18], header[19]]);
    (is_ours && length as usize > HEADER).then_some(u64::from(length))
}

pub(crate) struct Gzip {
    way: Way,
}

/// How a member's data are written.
enum Way {
    /// As fast as pages come.
    Quick(QuickDeflate),
    Thorough(Thorough),
    Stored,
}

struct Thorough {
    stream: Compress,
    /// What comes out is gathered here: room in a vector would be filled with zeros before each call.
    packed: Box<[u8]>,
}

/// Bytes that are gathered at a time.
const GATHERED: usize = 16 << 10;

/// Bytes of a block that is stored as it is.
const STORED: usize = 0xffff;

impl Gzip {
    pub(crate) fn new(compression: Compression) -> Gzip {
        let way = match compression {
            Compression::Fast => Way::Quick(QuickDeflate::new()),
            Compression::Small => Way::Thorough(Thorough {
                stream: Compress::new(flate2::Compression::new(LEVEL), false),
                packed: vec![0; GATHERED].into(),
            }),
            Compression::None => Way::Stored,
        };
        Gzip { way }
    }

    /// Bytes to set aside for a member of so many. Most pages shrink to a third.
    pub(crate) fn room(&self, bytes: usize) -> usize {
        match self.way {
            Way::Stored => bytes + bytes / 4,
            _ => bytes / 2,
        }
    }

    /// Appends one member holding `parts` to `out`. It says how long it is, so that others need not be unpacked to
    /// find it (`sl`, the field that the WARC standard proposes for this).
    pub(crate) fn member(&mut self, parts: &[&[u8]], out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&MEMBER_START);
        // The field's place, name and length; the lengths, packed and unpacked, come when they are known.
        out.extend_from_slice(&[12, 0, b's', b'l', 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let mut crc = Crc::new();
        parts.iter().for_each(|part| crc.update(part));
        match &mut self.way {
            Way::Quick(deflate) => deflate.pack(parts, out),
            Way::Thorough(thorough) => thorough.pack(parts, out),
            Way::Stored => store(parts, out),
        }
        out.extend_from_slice(&crc.sum().to_le_bytes());
        out.extend_from_slice(&crc.amount().to_le_bytes());
        let length = out.len() - start;
        out[start + 16..start + 20].copy_from_slice(&(length as u32).to_le_bytes());
        out[start + 20..start + HEADER].copy_from_slice(&crc.amount().to_le_bytes());
    }
}

impl Thorough {
    fn pack(&mut self, parts: &[&[u8]], out: &mut Vec<u8>) {
        self.stream.reset();
        parts.iter().for_each(|part| self.feed(part, FlushCompress::None, out));
        self.feed(&[], FlushCompress::Finish, out);
    }

    fn feed(&mut self, mut input: &[u8], flush: FlushCompress, out: &mut Vec<u8>) {
        loop {
            let (read, written) = (self.stream.total_in(), self.stream.total_out());
            let status = self.stream.compress(input, &mut self.packed, flush);
            let status = status.expect("a fresh deflate stream takes any bytes");
            input = &input[(self.stream.total_in() - read) as usize..];
            out.extend_from_slice(&self.packed[..(self.stream.total_out() - written) as usize]);
            let done = match flush {
                FlushCompress::Finish => status == Status::StreamEnd,
                _ => input.is_empty(),
            };
            if done {
                return;
            }
        }
    }
}

/// The same in blocks that are not compressed; the last is empty.
fn store(parts: &[&[u8]], out: &mut Vec<u8>) {
    for block in parts.iter().flat_map(|part| part.chunks(STORED)).chain([&[][..]]) {
        let length = block.len() as u16;
        out.push(u8::from(block.is_empty()));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(block);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Members follow each other in a file, so the state of one must not reach the next.
        #[test]
        fn members_are_unpacked_one_by_one(
            bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..70_000), 1..4),
            way in 0..3_usize,
        ) {
            let mut gzip = Gzip::new([Compression::Fast, Compression::Small, Compression::None][way]);
            for body in &bodies {
                let mut out = Vec::new();
                let (head, rest) = body.split_at(body.len() / 3);
                gzip.member(&[head, rest], &mut out);
                let header = out.first_chunk().unwrap();
                prop_assert_eq!(stated_length(header), Some(out.len() as u64));
                let mut decoder = flate2::bufread::GzDecoder::new(&out[..]);
                let mut back = Vec::new();
                decoder.read_to_end(&mut back).unwrap();
                prop_assert_eq!(&back, body);
                prop_assert!(decoder.into_inner().is_empty());
            }
        }
    }
}
