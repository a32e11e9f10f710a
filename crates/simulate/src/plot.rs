//! Lines over numbers, with axes and a legend, as a picture.

use crate::picture::{Anchor, BLACK, Colour, GREY, Picture, Shape};

/// A line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it shows.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// The number of its colour: what has the same in several plots is the same.
    pub colour: usize,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// Colours that differ also for those who see few, and that stand out on white and on black.
const COLOURS: [Colour; 8] = [
    (0x00, 0x72, 0xb2),
    (0xd5, 0x5e, 0x00),
    (0x00, 0x9e, 0x73),
    (0xcc, 0x79, 0xa7),
    (0xb8, 0x7f, 0x00),
    (0x7a, 0x8b, 0x00),
    (0x8a, 0x63, 0xd2),
    (0x80, 0x80, 0x80),
];

/// Draws lines; `across` and `up` say what the axes are.
pub fn plot(title: &str, across: &str, up: &str, lines: &[Line]) -> Picture {
    let points =
        || lines.iter().flat_map(|line| &line.points).filter(|(x, y)| x.is_finite() && y.is_finite());
    let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(0.0, f64::max);
    let (across_marks, up_marks) = (marks(most(|point| point.0)), marks(most(|point| point.1)));
    let x = |value: f64| LEFT + value / across_marks.end() * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - value / up_marks.end() * (HEIGHT - TOP - BOTTOM);
    let words = |at: (f64, f64), text: &str, anchor: Anchor| Shape::Words {
        at,
        text: text.to_owned(),
        anchor,
        size: 12.0,
        upward: false,
    };
    let mut shapes = vec![Shape::Words {
        at: (LEFT, 24.0),
        text: title.to_owned(),
        anchor: Anchor::Start,
        size: 15.0,
        upward: false,
    }];
    for (value, label) in up_marks.labels() {
        let at = y(value);
        shapes.push(Shape::Line {
            points: vec![(LEFT, at), (WIDTH - RIGHT, at)],
            colour: GREY,
            width: 1.0,
            dashed: false,
        });
        shapes.push(words((LEFT - 8.0, at + 4.0), &label, Anchor::End));
    }
    for (value, label) in across_marks.labels() {
        let at = x(value);
        let foot = HEIGHT - BOTTOM;
        shapes.push(Shape::Line {
            points: vec![(at, foot), (at, foot + 4.0)],
            colour: BLACK,
            width: 1.0,
            dashed: false,
        });
        shapes.push(words((at, foot + 18.0), &label, Anchor::Middle));
    }
    shapes.push(words(((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0), across, Anchor::Middle));
    shapes.push(Shape::Words {
        at: (16.0, (TOP + HEIGHT - BOTTOM) / 2.0),
        text: up.to_owned(),
        anchor: Anchor::Middle,
        size: 12.0,
        upward: true,
    });
    for (number, line) in lines.iter().enumerate() {
        let colour = COLOURS[line.colour % COLOURS.len()];
        let dashed = line.colour >= COLOURS.len();
        let known = line.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        let points: Vec<(f64, f64)> = known.map(|(across, up)| (x(*across), y(*up))).collect();
        shapes.push(match points[..] {
            // A line of one point would not be seen.
            [(x, y)] => {
                let points = vec![(x - 4.0, y), (x + 4.0, y)];
                Shape::Line { points, colour, width: 8.0, dashed: false }
            }
            _ => Shape::Line { points, colour, width: 2.0, dashed },
        });
        let at = TOP + 16.0 * number as f64;
        shapes.push(Shape::Line {
            points: vec![(WIDTH - RIGHT + 12.0, at), (WIDTH - RIGHT + 34.0, at)],
            colour,
            width: 3.0,
            dashed,
        });
        shapes.push(words((WIDTH - RIGHT + 40.0, at + 4.0), &line.name, Anchor::Start));
    }
    Picture { width: WIDTH as u32, height: HEIGHT as u32, title: title.to_owned(), shapes }
}

/// The marks of an axis, at round numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Marks {
    step: f64,
    count: u32,
}

/// Four to ten marks above 0, the last at `most` or beyond.
fn marks(most: f64) -> Marks {
    let most = if most > 0.0 { most } else { 1.0 };
    let unit = 10f64.powf((most / 4.0).log10().floor());
    // A step that is a hair too long would leave its place empty.
    let fits = |step: &f64| most / step >= 4.0 - 1e-9;
    let step = [5.0, 2.0, 1.0].map(|digit| digit * unit).into_iter().find(fits).unwrap_or(unit);
    Marks { step, count: (most / step - 1e-9).ceil() as u32 }
}

impl Marks {
    fn end(&self) -> f64 {
        self.step * f64::from(self.count)
    }

    /// Each mark, with what stands there.
    fn labels(&self) -> Vec<(f64, String)> {
        let (unit, name) = match self.step {
            step if step >= 1e6 => (1e6, " M"),
            step if step >= 1e3 => (1e3, " k"),
            _ => (1.0, ""),
        };
        let places = (-(self.step / unit).log10().floor()).max(0.0) as usize;
        let label = |value: f64| match value > 0.0 {
            true => format!("{:.places$}{name}", value / unit),
            false => "0".to_owned(),
        };
        let marks = (0..=self.count).map(|number| self.step * f64::from(number));
        marks.map(|value| (value, label(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_drawn_named_and_escaped() {
        let lines = [
            Line { name: "a < b".into(), points: vec![(0.0, 0.0), (10.0, 5.0)], colour: 0 },
            Line { name: "c".into(), points: vec![(0.0, f64::NAN), (20.0, 1.0)], colour: 1 },
        ];
        let picture = plot("A & B", "pages", "mass", &lines);
        let svg = picture.svg();
        // The second has one point.
        assert_eq!(
            (svg.matches("stroke-width=\"2\"").count(), svg.matches("stroke-width=\"8\"").count()),
            (1, 1)
        );
        assert!(svg.contains("a &lt; b") && svg.contains("A &amp; B") && !svg.contains("NaN"));
        assert!(svg.contains("70.0,370.0 315.0,40.0"), "{svg}");
        assert_eq!((svg, picture.png()), (plot("A & B", "pages", "mass", &lines).svg(), picture.png()));
        assert!(plot("", "", "", &[]).svg().ends_with("</svg>\n"));
    }

    fn check(most: f64, expected: &str) {
        let labels = marks(most).labels();
        let words: Vec<&str> = labels.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(words.join(", "), expected, "{most}");
        assert!(labels.last().is_some_and(|(value, _)| *value >= most * (1.0 - 1e-9)));
    }

    #[test]
    fn marks_are_round_numbers() {
        check(1.0, "0, 0.2, 0.4, 0.6, 0.8, 1.0");
        check(0.97, "0, 0.2, 0.4, 0.6, 0.8, 1.0");
        check(5.0, "0, 1, 2, 3, 4, 5");
        check(20.0, "0, 5, 10, 15, 20");
        check(60_000.0, "0, 10 k, 20 k, 30 k, 40 k, 50 k, 60 k");
        check(3_900.0, "0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000");
        check(12_000_000.0, "0, 2 M, 4 M, 6 M, 8 M, 10 M, 12 M");
        check(0.0, "0, 0.2, 0.4, 0.6, 0.8, 1.0");
    }
}
