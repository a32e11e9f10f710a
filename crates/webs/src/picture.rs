//! Pictures drawn by code: landscapes, things, faces. Small, and the same for the same chance.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::chance::Chance;

const SKIES: [(&str, &str, &str); 6] = [
    ("#f6d7a8", "#d98e5f", "#7a4b3a"),
    ("#cfe6ea", "#7fb2b8", "#1d5c63"),
    ("#e9e2f0", "#a493b8", "#4b3f63"),
    ("#e4efda", "#9dbb86", "#3f5d3a"),
    ("#f3e3d3", "#c79a6b", "#5b4632"),
    ("#d9e3f2", "#8ba5c9", "#2f4668"),
];

/// A landscape: sky, sun and three ranges of hills.
pub(crate) fn landscape(chance: Chance, width: u32, height: u32) -> String {
    let (pale, middle, dark) = chance.with("sky").pick(&SKIES);
    let mut svg = open(width, height);
    let _ = write!(
        svg,
        "<defs><linearGradient id=\"s\" x2=\"0\" y2=\"1\"><stop stop-color=\"{pale}\"/><stop offset=\"1\" stop-color=\"{middle}\"/></linearGradient></defs><rect width=\"{width}\" height=\"{height}\" fill=\"url(#s)\"/>"
    );
    let sun = chance.with("sun");
    let _ = write!(
        svg,
        "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"#fff\" opacity=\".75\"/>",
        u64::from(width) / 6 + sun.below(u64::from(width) * 2 / 3),
        u64::from(height) / 6 + sun.with("y").below(u64::from(height) / 4),
        height / 11
    );
    for range in 0..3u64 {
        let ridge = chance.with("range").at(range);
        let top = u64::from(height) * (40 + 18 * range) / 100;
        let _ = write!(svg, "<path d=\"M0 {height} L0 {top}");
        for step in 1..=8u64 {
            let lift = ridge.at(step).below(u64::from(height) / 5);
            let _ = write!(
                svg,
                " L{} {}",
                u64::from(width) * step / 8,
                (top + u64::from(height) / 12).saturating_sub(lift)
            );
        }
        let _ = write!(svg, " L{width} {height} Z\" fill=\"{dark}\" opacity=\".{}\"/>", 35 + 22 * range);
    }
    svg.push_str("</svg>\n");
    svg
}

/// A thing of category 0 to 5 on a tinted ground.
pub(crate) fn thing(chance: Chance, category: usize, width: u32, height: u32) -> String {
    let (pale, middle, dark) = chance.with("sky").pick(&SKIES);
    let mut svg = open(width, height);
    let _ = write!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"{pale}\"/>");
    let _ = write!(
        svg,
        "<g transform=\"scale({} {})\"><ellipse cx=\"140\" cy=\"168\" rx=\"{}\" ry=\"9\" fill=\"{dark}\" opacity=\".18\"/>",
        f64::from(width) / 280.0,
        f64::from(height) / 200.0,
        70 + chance.with("shadow").below(25)
    );
    let lean = chance.with("lean").below(24);
    let shape = match category {
        0 => format!(
            "<path d=\"M50 166 L{0} 44 L232 166 Z\" fill=\"{middle}\"/><path d=\"M{0} 44 L118 166 L168 166 Z\" fill=\"{dark}\"/>",
            128 + lean
        ),
        1 => format!(
            "<rect x=\"92\" y=\"{}\" width=\"96\" height=\"122\" rx=\"24\" fill=\"{middle}\"/><rect x=\"104\" y=\"104\" width=\"72\" height=\"48\" rx=\"10\" fill=\"{dark}\"/><path d=\"M118 46 q22 -28 44 0\" stroke=\"{dark}\" stroke-width=\"7\" fill=\"none\"/>",
            44 + lean / 6
        ),
        2 => format!(
            "<rect x=\"42\" y=\"{}\" width=\"196\" height=\"54\" rx=\"27\" fill=\"{middle}\"/><path d=\"M70 112 h150 M70 128 h150 M70 144 h150\" stroke=\"{dark}\" stroke-width=\"4\"/><circle cx=\"66\" cy=\"128\" r=\"20\" fill=\"{dark}\"/>",
            100 + lean / 12
        ),
        3 => format!(
            "<rect x=\"84\" y=\"84\" width=\"112\" height=\"78\" rx=\"16\" fill=\"{middle}\"/><rect x=\"{}\" y=\"62\" width=\"64\" height=\"18\" rx=\"9\" fill=\"{dark}\"/><path d=\"M196 100 q34 4 30 34\" stroke=\"{dark}\" stroke-width=\"10\" fill=\"none\"/>",
            96 + lean
        ),
        4 => format!(
            "<circle cx=\"140\" cy=\"98\" r=\"{}\" fill=\"#fff\" opacity=\".7\"/><path d=\"M112 72 h56 l10 62 h-76 Z\" fill=\"{middle}\"/><rect x=\"106\" y=\"136\" width=\"68\" height=\"24\" rx=\"6\" fill=\"{dark}\"/><path d=\"M118 70 q22 -40 44 0\" stroke=\"{dark}\" stroke-width=\"6\" fill=\"none\"/>",
            50 + lean
        ),
        _ => format!(
            "<path d=\"M92 58 L124 42 h32 L188 58 L216 {} L190 116 V164 H90 V116 L64 108 Z\" fill=\"{middle}\"/><path d=\"M124 42 q16 24 32 0 M140 60 V164\" stroke=\"{dark}\" stroke-width=\"5\" fill=\"none\"/>",
            98 + lean / 2
        ),
    };
    svg.push_str(&shape);
    svg.push_str("</g></svg>\n");
    svg
}

/// The site's icon.
pub(crate) fn icon() -> String {
    let mut svg = open(32, 32);
    svg.push_str("<circle cx=\"16\" cy=\"16\" r=\"16\" fill=\"#1d5c63\"/><path d=\"M0 16 A16 16 0 0 1 32 12 Z\" fill=\"#8fc7c4\"/><circle cx=\"12\" cy=\"22\" r=\"5\" fill=\"#b4532a\"/></svg>\n");
    svg
}

/// A face of coloured squares, mirrored, as PNG.
pub(crate) fn face(chance: Chance, size: u32) -> Vec<u8> {
    let ground = [0xef, 0xe7, 0xd8];
    let colours = [[0x1d, 0x5c, 0x63], [0xb4, 0x53, 0x2a], [0x8f, 0xc7, 0xc4], ground, ground];
    let cell = (size / 8).max(1);
    let colour_at = |x: u32, y: u32| {
        let (column, row) = ((x / cell).min(7), (y / cell).min(7));
        let column = column.min(7 - column);
        chance.at(u64::from(row * 4 + column)).pick(&colours)
    };
    let mut pixels = Vec::with_capacity((size * (size * 3 + 1)) as usize);
    for y in 0..size {
        pixels.push(0); // no filter
        for x in 0..size {
            pixels.extend(colour_at(x, y));
        }
    }
    png(size, size, &pixels)
}

/// A thing as PNG: two bands of colour and a block.
pub(crate) fn block(chance: Chance, width: u32, height: u32) -> Vec<u8> {
    let colours = [[0xd9, 0x8e, 0x5f], [0x7f, 0xb2, 0xb8], [0x9d, 0xbb, 0x86], [0x8b, 0xa5, 0xc9]];
    let colour = chance.with("colour").pick(&colours);
    let lean = chance.with("lean").below(40) as u32;
    let mut pixels = Vec::with_capacity((height * (width * 3 + 1)) as usize);
    for y in 0..height {
        pixels.push(0);
        for x in 0..width {
            let inside = x > width / 3 && x < width * 2 / 3 && y > height / 5 + lean && y < height * 4 / 5;
            let shade = if y > height * 7 / 10 { [0xe3, 0xdd, 0xd2] } else { [0xf6, 0xf1, 0xe7] };
            pixels.extend(if inside { colour } else { shade });
        }
    }
    png(width, height, &pixels)
}

fn open(width: u32, height: u32) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    )
}

/// An 8-bit RGB image from rows that each begin with their filter byte.
fn png(width: u32, height: u32, rows: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(rows).expect("a vector takes every byte");
    let packed = packed.finish().expect("a vector takes every byte");
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in [(b"IHDR", &header), (b"IDAT", &packed), (b"IEND", &Vec::new())] {
        let mut sum = flate2::Crc::new();
        sum.update(name);
        sum.update(data);
        out.extend((data.len() as u32).to_be_bytes());
        out.extend(name);
        out.extend(data);
        out.extend(sum.sum().to_be_bytes());
    }
    out
}
