//! Bodies that are small on the wire and huge when decoded, and codings that lie.
//!
//! Each is made when it is first asked for, from one repeated piece, so that it costs little.

use std::io::{self, Write as _};
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::{Compress, Compression, Crc, FlushCompress, Status};

use super::book::{Book, HTML, Spot, html};
use super::truth::{Ending, Why};
use crate::serve::{Answer, Request};

const LABEL: &str = "bombs";
const MIB: usize = 1 << 20;
/// Decoded size of each bomb in MiB.
pub(super) const BOMB_MIB: u32 = 256;

pub(super) fn write(book: &mut Book) {
    book.chapter("bombs");
    book.host(LABEL, Spot::Answers);
    book.site(LABEL, &["/about.html"], Vec::new());
    book.lead(book.url(LABEL, "/"));
    for path in
        ["/gzip", "/brotli", "/zstd", "/gzip-twice", "/many-codings", "/truncated-gzip", "/damaged-gzip"]
    {
        book.lead(book.url(LABEL, path));
        let endings = [Ending::Fetched, Why::Body.into(), Why::Broken.into()];
        book.expect(LABEL, path, endings, book.tries());
    }
    // A page that says gzip and is none is common enough: read or refused, but asked once.
    book.lead(book.url(LABEL, "/plain-gzip"));
    book.expect(LABEL, "/plain-gzip", [Ending::Fetched, Why::Body.into()], 1);
}

pub(super) fn answer(label: &str, request: &Request) -> Option<Answer> {
    static BOMBS: [OnceLock<Bytes>; 4] = [const { OnceLock::new() }; 4];
    if label != LABEL {
        return None;
    }
    let made = |place: usize, make: fn() -> io::Result<Vec<u8>>| {
        // Nothing is written anywhere but to memory; an empty body is as good as any other bomb.
        BOMBS[place].get_or_init(|| make().unwrap_or_default().into()).clone()
    };
    let page = html("Packed", "words that were packed", &["/about.html".to_owned()]);
    let (coding, body) = match request.path.as_str() {
        "/gzip" => ("gzip", made(0, gzip_bomb)),
        "/brotli" => ("br", made(1, brotli_bomb)),
        "/zstd" => ("zstd", made(2, zstd_bomb)),
        "/gzip-twice" => ("gzip, gzip", made(3, || gzip(&gzip_bomb()?))),
        "/many-codings" => {
            ("gzip, br, gzip, br, gzip, br, deflate, zstd, gzip", Bytes::from_static(b"\x1f\x8b"))
        }
        "/truncated-gzip" => {
            let whole = gzip(page.repeat(50).as_bytes()).unwrap_or_default();
            ("gzip", Bytes::copy_from_slice(&whole[..whole.len() / 2]))
        }
        "/damaged-gzip" => {
            let mut whole = gzip(page.repeat(50).as_bytes()).unwrap_or_default();
            let middle = whole.len() / 2;
            whole[middle..].iter_mut().for_each(|byte| *byte ^= 0x55);
            ("gzip", whole.into())
        }
        "/plain-gzip" => ("gzip", page.into()),
        _ => return None,
    };
    Some(Answer::new(200, HTML, body).with("content-encoding", coding))
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// One gzip member. A full flush makes its piece independent of what stands before, so the coded
/// piece can be repeated instead of coding 256 MiB.
fn gzip_bomb() -> io::Result<Vec<u8>> {
    let piece = vec![b' '; MIB];
    let mut coded = Vec::with_capacity(64 * 1024);
    let status = Compress::new(Compression::best(), false)
        .compress_vec(&piece, &mut coded, FlushCompress::Full)
        .map_err(io::Error::other)?;
    debug_assert_eq!(status, Status::Ok);
    let mut piece_sum = Crc::new();
    piece_sum.update(&piece);
    let mut sum = Crc::new();
    let mut bomb = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for _ in 0..BOMB_MIB {
        bomb.extend_from_slice(&coded);
        sum.combine(&piece_sum);
    }
    // The last, empty block.
    bomb.extend([3, 0]);
    bomb.extend(sum.sum().to_le_bytes());
    bomb.extend((BOMB_MIB << 20).to_le_bytes());
    Ok(bomb)
}

fn brotli_bomb() -> io::Result<Vec<u8>> {
    let mut bomb = Vec::new();
    let mut encoder = brotli::CompressorWriter::new(&mut bomb, 64 * 1024, 2, 22);
    write_pieces(&mut encoder)?;
    drop(encoder);
    Ok(bomb)
}

fn zstd_bomb() -> io::Result<Vec<u8>> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1)?;
    write_pieces(&mut encoder)?;
    encoder.finish()
}

fn write_pieces(to: &mut impl io::Write) -> io::Result<()> {
    let piece = vec![b' '; MIB];
    for _ in 0..BOMB_MIB {
        to.write_all(&piece)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// A decoder gives the whole bomb, and it is small on the wire.
    fn check(path: &str, decode: impl FnOnce(&[u8]) -> Box<dyn Read + '_>) {
        let answer = answer(LABEL, &Request::get(LABEL, path)).expect("a bomb");
        assert!((1..MIB).contains(&answer.body.len()), "{path} has {} bytes", answer.body.len());
        let mut decoder = decode(&answer.body);
        let length = io::copy(&mut decoder, &mut io::sink()).expect("valid to the end");
        assert_eq!(length, u64::from(BOMB_MIB) << 20, "{path}");
    }

    #[test]
    fn bombs_are_valid_small_and_large() {
        check("/gzip", |body| Box::new(flate2::read::GzDecoder::new(body)));
        check("/brotli", |body| Box::new(brotli::Decompressor::new(body, 4096)));
        check("/zstd", |body| Box::new(zstd::stream::read::Decoder::new(body).expect("a decoder")));
        check("/gzip-twice", |body| {
            Box::new(flate2::read::GzDecoder::new(flate2::read::GzDecoder::new(body)))
        });
    }

    #[test]
    fn a_truncated_gzip_ends_before_its_end() {
        for path in ["/truncated-gzip", "/damaged-gzip"] {
            let answer = answer(LABEL, &Request::get(LABEL, path)).expect("an answer");
            let mut out = Vec::new();
            assert!(flate2::read::GzDecoder::new(&answer.body[..]).read_to_end(&mut out).is_err(), "{path}");
        }
    }
}
