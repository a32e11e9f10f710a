//! Where a glyph stands to the one before: in the same word, the next, on the wrapped or on a new line.

use hayro_font::kurbo::{Affine, Point, Vec2};

/// What lies between two glyphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// They belong together.
    None,
    /// White space.
    Space,
    /// The line is full and goes on below.
    Wrapped,
    /// Something new begins.
    Line,
}

/// A drawn glyph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glyph {
    start: Point,
    end: Point,
    /// Along its line, one long.
    along: Vec2,
    height: f64,
}

/// White space is wider than this part of the height; kerning is narrower.
const SPACE: f64 = 0.15;
/// Glyphs of one line differ in height of their place by less than this: sub- and superscripts.
const SAME_LINE: f64 = 0.5;
/// Lines of one paragraph are this close.
const SAME_PARAGRAPH: f64 = 1.75;

impl Glyph {
    /// A glyph drawn with `transform` from its unit square, that moves on by `advance` of it.
    pub(super) fn new(transform: Affine, advance: Vec2, is_horizontal: bool) -> Glyph {
        let start = transform * Point::ZERO;
        let at = |x: f64, y: f64| transform * Point::new(x, y) - start;
        let along = if is_horizontal { at(1.0, 0.0) } else { at(0.0, -1.0) };
        let length = along.hypot();
        Glyph {
            start,
            end: transform * advance.to_point(),
            along: if length > 0.0 { along / length } else { Vec2::new(1.0, 0.0) },
            height: at(0.0, 1.0).hypot().max(f64::MIN_POSITIVE),
        }
    }

    /// Its middle, somewhat above the line.
    pub(super) fn middle(&self) -> Point {
        let up = Vec2::new(-self.along.y, self.along.x);
        self.start.midpoint(self.end) + up * (self.height * 0.3)
    }

    /// How large it is drawn.
    pub(super) fn height(&self) -> f64 {
        self.height
    }

    /// What lies between `last` and this one.
    pub(super) fn gap_after(&self, last: &Glyph) -> Gap {
        let way = self.start - last.end;
        let (forward, across) = (way.dot(self.along), way.cross(self.along).abs());
        let height = self.height.max(last.height);
        if !forward.is_finite() || !across.is_finite() || self.along.dot(last.along) < 0.9 {
            return Gap::Line;
        }
        if across <= SAME_LINE * height {
            // A step back is an accent over the letter before, or the start of what stands elsewhere.
            return match forward {
                _ if forward > 4.0 * height => Gap::Line,
                _ if forward > SPACE * self.height.min(last.height) => Gap::Space,
                _ if forward > -height => Gap::None,
                _ => Gap::Line,
            };
        }
        let alike = self.height / last.height;
        let below = way.cross(self.along) > 0.0;
        if below && across <= SAME_PARAGRAPH * height && (0.85..1.18).contains(&alike) && forward < 0.0 {
            Gap::Wrapped
        } else {
            Gap::Line
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two glyphs of ten points, each half as wide, the second this far from the start of the first.
    fn check(x: f64, y: f64, expected: Gap) {
        let glyph = |x: f64, y: f64| {
            Glyph::new(Affine::translate((x, y)) * Affine::scale(10.0), Vec2::new(0.5, 0.0), true)
        };
        assert_eq!(glyph(x, y).gap_after(&glyph(0.0, 0.0)), expected, "at {x}, {y}");
    }

    #[test]
    fn places_tell_words_and_lines_apart() {
        check(5.0, 0.0, Gap::None);
        check(4.5, 0.0, Gap::None); // kerned
        check(5.0, 4.0, Gap::None); // a superscript
        check(0.0, 0.0, Gap::None); // an accent
        check(8.0, 0.0, Gap::Space);
        check(100.0, 0.0, Gap::Line); // the next column
        check(-200.0, -12.0, Gap::Wrapped);
        check(-200.0, -30.0, Gap::Line);
        check(-200.0, 300.0, Gap::Line); // the top of the next column
        check(f64::NAN, 0.0, Gap::Line);
    }
}
