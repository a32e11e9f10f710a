//! Content encoding as a server does it: one of the codings the client accepts.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

/// Encodes `body` with one of gzip, deflate and br, if `accepted` names any. `choice` picks among
/// several, so that a web exercises them all; the same page always gets the same coding.
pub(crate) fn encoded(accepted: &str, choice: u64, body: &[u8]) -> Option<(&'static str, Vec<u8>)> {
    let accepts = |coding: &str| {
        accepted.split(',').map(str::trim).any(|entry| {
            let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
            name.trim().eq_ignore_ascii_case(coding) && weight.trim() != "q=0"
        })
    };
    let known = ["gzip", "deflate", "br"];
    let usable: Vec<&'static str> = known.into_iter().filter(|coding| accepts(coding)).collect();
    let coding = *usable.get(choice.checked_rem(usable.len() as u64)? as usize)?;
    let packed = match coding {
        "gzip" => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(body).ok()?;
            encoder.finish().ok()?
        }
        "deflate" => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(body).ok()?;
            encoder.finish().ok()?
        }
        _ => {
            let mut out = Vec::new();
            let mut encoder = brotli::CompressorWriter::new(&mut out, 4096, 4, 20);
            encoder.write_all(body).ok()?;
            drop(encoder);
            out
        }
    };
    Some((coding, packed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_accepted_codings_are_used() {
        let check = |accepted: &str, choice, expected: Option<&str>| {
            let coding = encoded(accepted, choice, b"words and words").map(|(coding, _)| coding);
            assert_eq!(coding, expected, "{accepted}");
        };
        check("", 0, None);
        check("zstd, identity", 1, None);
        check("gzip;q=0, br", 4, Some("br"));
        check("GZIP, deflate, br;q=0.5", 1, Some("deflate"));
    }
}
