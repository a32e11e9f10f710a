//! Undoes content codings, within bounds: a small body may be a bomb, and a cut one still has a beginning.

use std::io::{self, Read};

use bytes::Bytes;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use model::Cut;

/// Bounds on a decoded body.
#[derive(Clone, Copy, Debug)]
pub struct DecodeLimits {
    /// Most bytes that come out.
    pub length: u64,
    /// How many times as long as the coded body the decoded one may be, beyond the first MiB.
    pub ratio: u64,
}

/// A decoded body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// What came out.
    pub content: Bytes,
    /// Why it ends early, if it does.
    pub cut: Option<Cut>,
}

/// Codings on top of each other; an honest server uses one.
const MOST_LAYERS: usize = 3;

/// The ratio counts only beyond this: a short page of one repeated line is no bomb.
const FREE_LENGTH: u64 = 1 << 20;

/// The largest window of zstd in HTTP (RFC 9659): 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

impl DecodeLimits {
    /// Most bytes that can come out of a coded body of this length.
    pub(crate) fn longest(self, coded: usize) -> u64 {
        self.length.min((coded as u64).saturating_mul(self.ratio).max(FREE_LENGTH))
    }
}

/// Undoes the codings of a body; `codings` is its `Content-Encoding`. None when there are too many.
///
/// Unknown names are taken for no coding: servers write `utf-8` or `none` there.
pub fn decode(body: &Bytes, codings: &str, limits: DecodeLimits) -> Option<Decoded> {
    let codings: Vec<Coding> = codings.split(',').filter_map(|name| Coding::named(name.trim())).collect();
    if codings.is_empty() || body.is_empty() {
        return Some(Decoded { content: body.clone(), cut: None });
    }
    if codings.len() > MOST_LAYERS {
        return None;
    }
    let length = limits.longest(body.len());
    let mut reader: Box<dyn Read> = Box::new(io::Cursor::new(body.clone()));
    for coding in codings.iter().rev() {
        reader = match coding.undo(reader) {
            Ok(reader) => reader,
            Err(_) => return Some(Decoded { content: Bytes::new(), cut: Some(Cut::Disconnect) }),
        };
    }
    let (content, cut) = read_up_to(reader, length);
    Some(Decoded { content: content.into(), cut })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    fn named(name: &str) -> Option<Coding> {
        match name.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Coding::Gzip),
            "deflate" => Some(Coding::Deflate),
            "br" => Some(Coding::Brotli),
            "zstd" => Some(Coding::Zstd),
            _ => None,
        }
    }

    fn undo(self, coded: Box<dyn Read>) -> io::Result<Box<dyn Read>> {
        let (start, coded) = peek(coded)?;
        Ok(match self {
            // A server that says gzip and sends plain text is common enough to be forgiven.
            Coding::Gzip if start != [0x1f, 0x8b] => coded,
            Coding::Gzip => Box::new(MultiGzDecoder::new(coded)),
            // The name means zlib; some servers send the bare stream.
            Coding::Deflate if is_zlib(&start) => Box::new(ZlibDecoder::new(coded)),
            Coding::Deflate => Box::new(DeflateDecoder::new(coded)),
            Coding::Brotli => Box::new(brotli::Decompressor::new(coded, 4096)),
            Coding::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::new(coded)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
        })
    }
}

/// The first two bytes, and a reader that still has them.
fn peek(mut reader: Box<dyn Read>) -> io::Result<(Vec<u8>, Box<dyn Read>)> {
    let mut start = Vec::new();
    reader.by_ref().take(2).read_to_end(&mut start)?;
    let again = io::Cursor::new(start.clone()).chain(reader);
    Ok((start, Box::new(again)))
}

fn is_zlib(start: &[u8]) -> bool {
    matches!(start, &[method, flags] if method & 0x0f == 8 && (u32::from(method) << 8 | u32::from(flags)) % 31 == 0)
}

/// Reads until the end, an error or the limit; what came before an error is kept.
fn read_up_to(mut reader: Box<dyn Read>, limit: u64) -> (Vec<u8>, Option<Cut>) {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut content = Vec::new();
    let mut piece = vec![0; 32 * 1024];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return (content, None),
            Ok(read) => {
                let room = limit - content.len();
                content.extend_from_slice(&piece[..read.min(room)]);
                if read > room {
                    return (content, Some(Cut::Length));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return (content, Some(Cut::Disconnect)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use proptest::prelude::*;
    use std::io::Write;

    const ROOMY: DecodeLimits = DecodeLimits { length: 4 << 20, ratio: 200 };

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn brotli(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        brotli::CompressorWriter::new(&mut out, 4096, 5, 20).write_all(bytes).unwrap();
        out
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::stream::encode_all(bytes, 1).unwrap()
    }

    fn page() -> Vec<u8> {
        (0..2000).flat_map(|n| format!("<p>paragraph {n} of {}</p>", n * 7919 % 1000).into_bytes()).collect()
    }

    fn check(body: &[u8], codings: &str, limits: DecodeLimits, expected: &[u8], cut: Option<Cut>) {
        let decoded = decode(&Bytes::copy_from_slice(body), codings, limits).unwrap();
        assert!(
            decoded.content == expected,
            "{codings}: {} bytes, not {}",
            decoded.content.len(),
            expected.len()
        );
        assert_eq!(decoded.cut, cut, "{codings}");
    }

    #[test]
    fn every_coding_is_undone() {
        let page = page();
        check(&page, "", ROOMY, &page, None);
        check(&page, "identity", ROOMY, &page, None);
        check(&page, "utf-8", ROOMY, &page, None);
        check(&gzip(&page), "gzip", ROOMY, &page, None);
        check(&gzip(&page), "X-GZIP", ROOMY, &page, None);
        check(&zlib(&page), "deflate", ROOMY, &page, None);
        check(&raw_deflate(&page), "deflate", ROOMY, &page, None);
        check(&brotli(&page), "br", ROOMY, &page, None);
        check(&zstd(&page), "zstd", ROOMY, &page, None);
        check(&brotli(&gzip(&page)), "gzip, br", ROOMY, &page, None);
        check(&zstd(&brotli(&gzip(&page))), "gzip, br, zstd", ROOMY, &page, None);
        check(&[gzip(b"one "), gzip(b"two")].concat(), "gzip", ROOMY, b"one two", None);
        check(b"", "gzip", ROOMY, b"", None);
    }

    #[test]
    fn plain_text_that_claims_to_be_gzip_is_taken_as_it_came() {
        check(b"<html>plain</html>", "gzip", ROOMY, b"<html>plain</html>", None);
    }

    #[test]
    fn too_many_layers_are_refused() {
        assert_eq!(decode(&Bytes::from_static(b"x"), "gzip, gzip, gzip, gzip", ROOMY), None);
    }

    #[test]
    fn a_truncated_body_keeps_its_beginning() {
        let page = page();
        for (coding, body) in
            [("gzip", gzip(&page)), ("deflate", zlib(&page)), ("br", brotli(&page)), ("zstd", zstd(&page))]
        {
            let half = Bytes::copy_from_slice(&body[..body.len() / 2]);
            let decoded = decode(&half, coding, ROOMY).unwrap();
            assert_eq!(decoded.cut, Some(Cut::Disconnect), "{coding}");
            assert!(page.starts_with(&decoded.content), "{coding}");
            // zstd and brotli decode by blocks: a first half may hold no whole one.
            if coding != "zstd" && coding != "br" {
                assert!(decoded.content.len() > page.len() / 4, "{coding} kept {}", decoded.content.len());
            }
        }
    }

    #[test]
    fn a_bomb_is_cut_at_the_limit() {
        let zeros = vec![0; 40 << 20];
        for (coding, body) in [("gzip", gzip(&zeros)), ("br", brotli(&zeros)), ("zstd", zstd(&zeros))] {
            check(
                &body,
                coding,
                ROOMY,
                &zeros[..ROOMY.length.min(body.len() as u64 * 200).max(1 << 20) as usize],
                Some(Cut::Length),
            );
        }
        let long = DecodeLimits { length: 50 << 20, ratio: 10 };
        let body = gzip(&zeros);
        check(&body, "gzip", long, &zeros[..body.len() * 10], Some(Cut::Length));
        check(&gzip(&[7; 100]), "gzip", DecodeLimits { length: 100, ratio: 1 }, &[7; 100], None);
        check(&gzip(&[7; 101]), "gzip", DecodeLimits { length: 100, ratio: 1 }, &[7; 100], Some(Cut::Length));
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_or_cut(body: Vec<u8>, coding in "(gzip|deflate|br|zstd)(, ?(gzip|br))?", magic: bool) {
            let body = if magic { [&[0x1f, 0x8b, 8, 0][..], &body].concat() } else { body };
            let limits = DecodeLimits { length: 1000, ratio: 200 };
            let decoded = decode(&body.into(), &coding, limits).unwrap();
            prop_assert!(decoded.content.len() <= 1000);
        }
    }
}
