//! Pictures: from the bytes of a PNG, JPEG, GIF or WebP to points.
//!
//! Bounded in size and memory; what cannot be drawn is no picture, never an error. What pictures have in common is
//! left to others.

use std::io::Cursor;
use std::panic::catch_unwind;

use image::{ImageFormat, ImageReader, Limits};

/// Points of a side, and bytes that drawing may take.
const MOST_POINTS: u32 = 8_192;
const MOST_MEMORY: u64 = 64 << 20;

/// Bytes by which the kind of a picture is told, at most.
const LONGEST_MARK: usize = 16;

/// A picture as it would be seen on white.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green and blue of each point, row by row.
    pub rgb: Vec<u8>,
}

/// True of a content type that [`picture`] can read.
pub fn is_picture(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    ["image/png", "image/jpeg", "image/gif", "image/webp"]
        .iter()
        .any(|name| name.eq_ignore_ascii_case(essence))
}

/// True of bytes that begin as such a picture does.
pub(crate) fn begins_as_picture(bytes: &[u8]) -> bool {
    let format = image::guess_format(&bytes[..bytes.len().min(LONGEST_MARK)]);
    matches!(format, Ok(ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::Gif | ImageFormat::WebP))
}

/// The picture, of a moving one the first; none of what is none, or is too large.
pub fn picture(bytes: &[u8]) -> Option<Picture> {
    // Bytes of strangers: a bug of a decoder costs a picture, not the run.
    catch_unwind(|| draw(bytes)).ok().flatten()
}

fn draw(bytes: &[u8]) -> Option<Picture> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MOST_POINTS);
    limits.max_image_height = Some(MOST_POINTS);
    limits.max_alloc = Some(MOST_MEMORY);
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    reader.limits(limits);
    let drawn = reader.decode().ok()?.into_rgba8();
    let (width, height) = (drawn.width() as usize, drawn.height() as usize);
    let mut rgb = Vec::with_capacity(width * height * 3);
    for point in drawn.as_raw().as_chunks::<4>().0 {
        let opaque = u32::from(point[3]);
        let on_white = |value: u8| ((u32::from(value) * opaque + 255 * (255 - opaque)) / 255) as u8;
        rgb.extend([on_white(point[0]), on_white(point[1]), on_white(point[2])]);
    }
    Some(Picture { width, height, rgb })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn png(width: u32, height: u32, point: [u8; 4]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let drawn = image::RgbaImage::from_pixel(width, height, image::Rgba(point));
        drawn.write_to(&mut Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
        bytes
    }

    #[test]
    fn points_are_those_seen_on_white() {
        let found = picture(&png(2, 1, [10, 20, 30, 255])).unwrap();
        assert_eq!((found.width, found.height, found.rgb), (2, 1, vec![10, 20, 30, 10, 20, 30]));
        assert_eq!(picture(&png(1, 1, [0, 0, 0, 0])).unwrap().rgb, [255, 255, 255]);
    }

    #[test]
    fn what_is_no_picture_or_too_large_is_none() {
        assert_eq!(picture(b"<svg/>"), None);
        assert_eq!(picture(&png(9_000, 1, [0; 4])), None);
        let mut cut = png(64, 64, [1, 2, 3, 255]);
        cut.truncate(60);
        assert_eq!(picture(&cut), None);
        assert!(is_picture("image/PNG; q=1") && !is_picture("image/svg+xml") && !is_picture("text/html"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_picture_or_none(start in 0..4_usize, rest: Vec<u8>) {
            let magic: &[u8] = [b"\x89PNG\r\n\x1a\n" as &[u8], b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF\0\0\0\0WEBPVP8 "][start];
            let bytes = [magic, &rest].concat();
            if let Some(found) = picture(&bytes) {
                prop_assert_eq!(found.rgb.len(), found.width * found.height * 3);
            }
        }
    }
}
