//! A picture of lines and words, as SVG and as pixels (PNG): the same picture gives the same bytes.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use crate::glyphs::{ACROSS, DOWN, is_inked};

/// Red, green, blue.
pub(crate) type Colour = (u8, u8, u8);

pub(crate) const BLACK: Colour = (0, 0, 0);
pub(crate) const GREY: Colour = (0xdd, 0xdd, 0xdd);

/// A picture on white paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// What it shows, in words.
    pub(crate) title: String,
    pub(crate) shapes: Vec<Shape>,
}

/// Something on a picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// From point to point.
    Line { points: Vec<(f64, f64)>, colour: Colour, width: f64, dashed: bool },
    /// Words, on a line that ends or begins here.
    Words { at: (f64, f64), text: String, anchor: Anchor, size: f64, upward: bool },
}

/// Which part of words stands at their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Pixels of a unit: fine enough for paper and for fine screens.
const SCALE: u32 = 2;

/// Length of a dash and of the gap after it.
const DASH: (f64, f64) = (6.0, 3.0);

impl Picture {
    /// As lines, for any size.
    pub fn svg(&self) -> String {
        let (width, height) = (self.width, self.height);
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = write!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             role=\"img\">\n<title>{}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n",
            escaped(&self.title)
        );
        for shape in &self.shapes {
            let _ = match shape {
                Shape::Line { points, colour: (red, green, blue), width, dashed } => {
                    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                    let dashes = if *dashed { " stroke-dasharray=\"6 3\"" } else { "" };
                    writeln!(
                        svg,
                        "<polyline points=\"{}\" fill=\"none\" stroke=\"#{red:02x}{green:02x}{blue:02x}\" \
                         stroke-width=\"{width}\"{dashes}/>",
                        points.join(" ")
                    )
                }
                Shape::Words { at: (x, y), text, anchor, size, upward } => {
                    let anchor = match anchor {
                        Anchor::Start => "start",
                        Anchor::Middle => "middle",
                        Anchor::End => "end",
                    };
                    let turn = if *upward { " rotate(-90)" } else { "" };
                    writeln!(
                        svg,
                        "<text transform=\"translate({x:.1} {y:.1}){turn}\" text-anchor=\"{anchor}\" \
                         font-size=\"{size}\">{}</text>",
                        escaped(text)
                    )
                }
            };
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// As pixels, twice as many as the picture has units.
    pub fn png(&self) -> Vec<u8> {
        let mut canvas = Canvas::new(self.width * SCALE, self.height * SCALE);
        for shape in &self.shapes {
            match shape {
                Shape::Line { points, colour, width, dashed } => {
                    canvas.line(points, *colour, *width, *dashed);
                }
                Shape::Words { at, text, anchor, size, upward } => {
                    canvas.words(*at, text, *anchor, *size, *upward);
                }
            }
        }
        canvas.png()
    }
}

/// Pixels, three bytes each.
struct Canvas {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(width: u32, height: u32) -> Canvas {
        Canvas { width, height, pixels: vec![0xff; (width * height * 3) as usize] }
    }

    /// Paints a pixel, as much of it as is covered.
    fn paint(&mut self, x: i64, y: i64, (red, green, blue): Colour, covered: f64) {
        if x < 0 || y < 0 || x >= i64::from(self.width) || y >= i64::from(self.height) {
            return;
        }
        let at = 3 * (y as usize * self.width as usize + x as usize);
        for (old, new) in self.pixels[at..at + 3].iter_mut().zip([red, green, blue]) {
            *old = (f64::from(*old) + (f64::from(new) - f64::from(*old)) * covered).round() as u8;
        }
    }

    fn line(&mut self, points: &[(f64, f64)], colour: Colour, width: f64, dashed: bool) {
        let scale = f64::from(SCALE);
        // How much of each pixel the whole line covers: what two of its parts share is painted once.
        let mut covered = std::collections::BTreeMap::new();
        let mut passed = 0.0;
        for pair in points.windows(2) {
            let length = (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
            for (from, to) in strokes(passed, length, dashed) {
                let point = |at: f64| {
                    let share = if length > 0.0 { at / length } else { 0.0 };
                    let x = pair[0].0 + (pair[1].0 - pair[0].0) * share;
                    let y = pair[0].1 + (pair[1].1 - pair[0].1) * share;
                    (x * scale, y * scale)
                };
                cover(point(from), point(to), width * scale / 2.0, &mut covered);
            }
            passed += length;
        }
        for ((y, x), share) in covered {
            self.paint(x, y, colour, share);
        }
    }

    fn words(&mut self, (x, y): (f64, f64), text: &str, anchor: Anchor, size: f64, upward: bool) {
        // A letter is about seven tenths of its font's size high.
        let dot = ((size * f64::from(SCALE) * 0.6 / DOWN as f64).round() as i64).max(1);
        let advance = (ACROSS as i64 + 1) * dot;
        let long = text.chars().count() as i64 * advance;
        let back = match anchor {
            Anchor::Start => 0,
            Anchor::Middle => long / 2,
            Anchor::End => long,
        };
        let (left, base) = ((x * f64::from(SCALE)) as i64, (y * f64::from(SCALE)) as i64);
        for (place, letter) in text.chars().enumerate() {
            for down in 0..DOWN {
                for across in (0..ACROSS).filter(|across| is_inked(letter, *across, down)) {
                    let along = place as i64 * advance + across as i64 * dot - back;
                    let above = (DOWN - down) as i64 * dot;
                    for (dx, dy) in (0..dot).flat_map(|dx| (0..dot).map(move |dy| (dx, dy))) {
                        match upward {
                            false => self.paint(left + along + dx, base - above + dy, BLACK, 1.0),
                            true => self.paint(left - above + dy, base - along - dx, BLACK, 1.0),
                        }
                    }
                }
            }
        }
    }

    fn png(&self) -> Vec<u8> {
        let mut rows = ZlibEncoder::new(Vec::new(), Compression::new(6));
        for row in self.pixels.chunks(self.width as usize * 3) {
            // Each row says how it is filtered: not at all. Writing to memory does not fail.
            let _ = rows.write_all(&[0]).and_then(|()| rows.write_all(row));
        }
        let mut head = Vec::new();
        head.extend(self.width.to_be_bytes());
        head.extend(self.height.to_be_bytes());
        // Eight bits each of red, green and blue; not interlaced.
        head.extend([8, 2, 0, 0, 0]);
        let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
        chunk(&mut png, b"IHDR", &head);
        chunk(&mut png, b"IDAT", &rows.finish().unwrap_or_default());
        chunk(&mut png, b"IEND", &[]);
        png
    }
}

fn chunk(png: &mut Vec<u8>, kind: &[u8; 4], bytes: &[u8]) {
    png.extend((bytes.len() as u32).to_be_bytes());
    png.extend(kind);
    png.extend(bytes);
    let mut crc = Crc::new();
    crc.update(kind);
    crc.update(bytes);
    png.extend(crc.sum().to_be_bytes());
}

/// The parts of a stretch that are drawn, when so much of its line lies before it.
fn strokes(passed: f64, length: f64, dashed: bool) -> Vec<(f64, f64)> {
    if !dashed {
        return vec![(0.0, length)];
    }
    let round = DASH.0 + DASH.1;
    let mut strokes = Vec::new();
    let mut begin = -(passed % round);
    while begin < length {
        let (from, to) = (begin.max(0.0), (begin + DASH.0).min(length));
        if from < to {
            strokes.push((from, to));
        }
        begin += round;
    }
    strokes
}

/// How much of each pixel a stroke of so much to either side covers.
fn cover(
    (ax, ay): (f64, f64),
    (bx, by): (f64, f64),
    half: f64,
    covered: &mut std::collections::BTreeMap<(i64, i64), f64>,
) {
    let around = half + 1.0;
    let (left, right) = (ax.min(bx) - around, ax.max(bx) + around);
    let (top, bottom) = (ay.min(by) - around, ay.max(by) + around);
    let square = (bx - ax).powi(2) + (by - ay).powi(2);
    for y in top.floor() as i64..=bottom.ceil() as i64 {
        for x in left.floor() as i64..=right.ceil() as i64 {
            let (px, py) = (x as f64 + 0.5, y as f64 + 0.5);
            let along =
                if square > 0.0 { ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / square } else { 0.0 };
            let along = along.clamp(0.0, 1.0);
            let away = (px - ax - along * (bx - ax)).hypot(py - ay - along * (by - ay));
            let share = (half + 0.5 - away).clamp(0.0, 1.0);
            if share > 0.0 {
                let old = covered.entry((y, x)).or_insert(0.0);
                *old = share.max(*old);
            }
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn picture(shapes: Vec<Shape>) -> Picture {
        Picture { width: 40, height: 20, title: "a & b".into(), shapes }
    }

    /// A PNG's pixels, by the letter of the format.
    fn pixels(png: &[u8]) -> (u32, u32, Vec<u8>) {
        let mut rest = png.strip_prefix(b"\x89PNG\r\n\x1a\n".as_slice()).unwrap();
        let (mut size, mut packed) = ((0, 0), Vec::new());
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let length = u32::from_be_bytes(*length) as usize;
            let (kind, bytes) = (&after[..4], &after[4..4 + length]);
            let mut crc = Crc::new();
            crc.update(&after[..4 + length]);
            assert_eq!(crc.sum().to_be_bytes(), after[4 + length..8 + length]);
            let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
            match kind {
                b"IHDR" => size = (number(0), number(4)),
                b"IDAT" => packed.extend_from_slice(bytes),
                _ => assert_eq!(kind, b"IEND"),
            }
            rest = &after[8 + length..];
        }
        let mut raw = Vec::new();
        flate2::read::ZlibDecoder::new(packed.as_slice()).read_to_end(&mut raw).unwrap();
        let rows = raw.chunks(1 + 3 * size.0 as usize);
        (size.0, size.1, rows.flat_map(|row| row[1..].to_vec()).collect())
    }

    #[test]
    fn a_line_covers_its_pixels_and_no_others() {
        let line = Shape::Line {
            points: vec![(10.0, 10.0), (30.0, 10.0)],
            colour: (255, 0, 0),
            width: 2.0,
            dashed: false,
        };
        let (width, height, pixels) = pixels(&picture(vec![line]).png());
        assert_eq!((width, height), (80, 40));
        let at = |x: usize, y: usize| &pixels[3 * (y * 80 + x)..][..3];
        assert_eq!((at(40, 20), at(40, 18)), (&[255, 0, 0][..], &[255, 0, 0][..]));
        assert_eq!((at(40, 23), at(40, 16), at(10, 20)), (&[255; 3][..], &[255; 3][..], &[255; 3][..]));
    }

    #[test]
    fn words_are_drawn_along_and_upward() {
        let words = |upward| Shape::Words {
            at: (20.0, 15.0),
            text: "L".into(),
            anchor: Anchor::Start,
            size: 12.0,
            upward,
        };
        let inked = |upward| {
            let (width, _, pixels) = pixels(&picture(vec![words(upward)]).png());
            let dark: Vec<(usize, usize)> = (pixels.chunks(3).enumerate())
                .filter(|(_, pixel)| pixel == &[0; 3])
                .map(|(at, _)| (at % width as usize, at / width as usize))
                .collect();
            let (left, right) =
                dark.iter().fold((99, 0), |(least, most), (x, _)| (least.min(*x), most.max(*x)));
            (dark.len(), left, right)
        };
        // Seven dots down and four more across, two pixels each way.
        assert_eq!(inked(false), (11 * 4, 40, 49));
        assert_eq!(inked(true), (11 * 4, 26, 39));
    }

    #[test]
    fn a_dashed_line_has_gaps_that_go_on_from_part_to_part() {
        assert_eq!(strokes(0.0, 20.0, true), [(0.0, 6.0), (9.0, 15.0), (18.0, 20.0)]);
        assert_eq!(strokes(7.0, 5.0, true), [(2.0, 5.0)]);
        assert_eq!(strokes(7.0, 5.0, false), [(0.0, 5.0)]);
    }
}
