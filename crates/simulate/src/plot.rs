//! Lines as a picture (SVG), with axes and a legend: the same lines give the same bytes.

use std::fmt::Write as _;

/// A line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it shows.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// Colours that differ also for those who see few.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5d3a9b", "#000000"];

/// Draws lines; `across` and `up` say what the axes are.
pub fn plot(title: &str, across: &str, up: &str, lines: &[Line]) -> String {
    let points =
        || lines.iter().flat_map(|line| &line.points).filter(|(x, y)| x.is_finite() && y.is_finite());
    let most = |of: fn(&(f64, f64)) -> f64| {
        let most = points().map(of).fold(0.0, f64::max);
        if most > 0.0 { most } else { 1.0 }
    };
    let (most_x, most_y) = (most(|point| point.0), most(|point| point.1));
    let x = |value: f64| LEFT + value / most_x * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - value / most_y * (HEIGHT - TOP - BOTTOM);
    let mut svg = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\" role=\"img\">\n<title>{}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
        escaped(title),
        escaped(title)
    );
    for step in 0..=4 {
        let (part_x, part_y) = (most_x * f64::from(step) / 4.0, most_y * f64::from(step) / 4.0);
        let (at_x, at_y) = (x(part_x), y(part_y));
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{at_y:.1}\" x2=\"{:.1}\" y2=\"{at_y:.1}\" stroke=\"#ddd\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n\
             <text x=\"{at_x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at_y + 4.0,
            short(part_y),
            HEIGHT - BOTTOM + 18.0,
            short(part_x),
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 12.0,
        escaped(across),
        (TOP + HEIGHT - BOTTOM) / 2.0,
        escaped(up),
    );
    for (number, line) in lines.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let dashes = if number >= COLOURS.len() { " stroke-dasharray=\"6 3\"" } else { "" };
        let path: Vec<String> = line
            .points
            .iter()
            .filter(|(x, y)| x.is_finite() && y.is_finite())
            .map(|(across, up)| format!("{:.1},{:.1}", x(*across), y(*up)))
            .collect();
        let at = TOP + 16.0 * number as f64;
        let _ = write!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>\n\
             <line x1=\"{:.1}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"{colour}\" stroke-width=\"3\"{dashes}/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
            path.join(" "),
            WIDTH - RIGHT + 12.0,
            WIDTH - RIGHT + 34.0,
            WIDTH - RIGHT + 40.0,
            at + 4.0,
            escaped(&line.name),
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// A number as an axis shows it.
fn short(number: f64) -> String {
    match number {
        n if n >= 1e6 => format!("{:.1} M", n / 1e6),
        n if n >= 1e4 => format!("{:.0} k", n / 1e3),
        n if n >= 10.0 || n == n.trunc() => format!("{n:.0}"),
        n => format!("{n:.2}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_drawn_named_and_escaped() {
        let lines = [
            Line { name: "a < b".into(), points: vec![(0.0, 0.0), (10.0, 5.0)] },
            Line { name: "c".into(), points: vec![(0.0, f64::NAN), (20.0, 1.0)] },
        ];
        let svg = plot("A & B", "pages", "mass", &lines);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("a &lt; b") && svg.contains("A &amp; B") && !svg.contains("NaN"));
        assert!(svg.contains("70.0,370.0 315.0,40.0"), "{svg}");
        assert_eq!(svg, plot("A & B", "pages", "mass", &lines));
        assert!(plot("", "", "", &[]).ends_with("</svg>\n"));
    }
}
