//! One gzip member per record, by a compressor that is kept: setting one up costs more than a small record.

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

/// Level 1: the archive is written as fast as pages come, and pages arrive compressed anyway.
const LEVEL: u32 = 1;

/// Of records that are short and made once in a while: a sixth smaller, for some microseconds.
const THOROUGH: u32 = 6;

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
    deflate: Compress,
}

impl Gzip {
    pub(crate) fn new() -> Gzip {
        Gzip::of_level(LEVEL)
    }

    /// One that takes its time.
    pub(crate) fn thorough() -> Gzip {
        Gzip::of_level(THOROUGH)
    }

    fn of_level(level: u32) -> Gzip {
        Gzip { deflate: Compress::new(Compression::new(level), false) }
    }

    /// Appends one member holding `parts` to `out`. It says how long it is, so that others need not be unpacked to
    /// find it (`sl`, the field that the WARC standard proposes for this).
    pub(crate) fn member(&mut self, parts: &[&[u8]], out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&MEMBER_START);
        // The field's place, name and length; the lengths, packed and unpacked, come when they are known.
        out.extend_from_slice(&[12, 0, b's', b'l', 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        self.deflate.reset();
        let mut crc = Crc::new();
        for part in parts {
            crc.update(part);
            self.feed(part, FlushCompress::None, out);
        }
        self.feed(&[], FlushCompress::Finish, out);
        out.extend_from_slice(&crc.sum().to_le_bytes());
        out.extend_from_slice(&crc.amount().to_le_bytes());
        let length = out.len() - start;
        out[start + 16..start + 20].copy_from_slice(&(length as u32).to_le_bytes());
        out[start + 20..start + HEADER].copy_from_slice(&crc.amount().to_le_bytes());
    }

    fn feed(&mut self, mut input: &[u8], flush: FlushCompress, out: &mut Vec<u8>) {
        loop {
            out.reserve(input.len() / 2 + 256);
            let before = self.deflate.total_in();
            let status =
                self.deflate.compress_vec(input, out, flush).expect("a fresh deflate stream takes any bytes");
            let taken = (self.deflate.total_in() - before) as usize;
            input = &input[taken..];
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

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Members follow each other in a file, so the state of one must not reach the next.
        #[test]
        fn members_are_unpacked_one_by_one(bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..70_000), 1..4)) {
            let mut gzip = Gzip::new();
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
