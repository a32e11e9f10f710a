//! Pictures: one exact number for what is light and dark in them, and a hash that bears small changes.
//!
//! Pictures come as grey values; how they are fetched and decoded is left to others.

/// A picture as grey values, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grey {
    width: usize,
    height: usize,
    values: Vec<u8>,
}

/// Sides to which a picture may be scaled for its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// 16 by 16: one number of sixteen rows.
    Sixteen,
    /// 32 by 32.
    ThirtyTwo,
    /// 64 by 64.
    SixtyFour,
}

impl Side {
    /// The side of so many points; 64 for what is none.
    pub fn of(points: u32) -> Side {
        match points {
            16 => Side::Sixteen,
            32 => Side::ThirtyTwo,
            _ => Side::SixtyFour,
        }
    }

    fn points(self) -> usize {
        match self {
            Side::Sixteen => 16,
            Side::ThirtyTwo => 32,
            Side::SixtyFour => 64,
        }
    }
}

impl Grey {
    /// A picture of this many columns and rows; none where the values are not as many.
    pub fn new(width: usize, height: usize, values: Vec<u8>) -> Option<Grey> {
        let fits = width > 0 && height > 0 && width.checked_mul(height) == Some(values.len());
        fits.then_some(Grey { width, height, values })
    }

    /// The grey of colours, by how bright they look: three bytes for each point.
    pub fn of_rgb(width: usize, height: usize, rgb: &[u8]) -> Option<Grey> {
        let grey = |c: &[u8; 3]| {
            ((299 * u32::from(c[0]) + 587 * u32::from(c[1]) + 114 * u32::from(c[2])) / 1_000) as u8
        };
        let (points, rest) = rgb.as_chunks::<3>();
        if !rest.is_empty() {
            return None;
        }
        Grey::new(width, height, points.iter().map(grey).collect())
    }

    /// The number of the picture: scaled, made black and white, its rows read as words of sixteen bits, sixteen rows
    /// summed with weights from one to sixteen, and the determinant of the matrix that this gives.
    pub fn number(&self, side: Side) -> i128 {
        let size = side.points();
        let scaled = self.scaled(size, size);
        let blocks = size / 16;
        let mut matrix = vec![vec![0_i128; blocks]; blocks];
        for (row, points) in scaled.chunks(size).enumerate() {
            for (block, word) in points.chunks(16).enumerate() {
                let word = word.iter().fold(0_i128, |word, point| word << 1 | i128::from(*point >= 128));
                matrix[row / 16][block] += (row % 16 + 1) as i128 * word;
            }
        }
        determinant(&matrix)
    }

    /// A hash of which nearly equal pictures share most bits: whether each of 64 parts is lighter than its neighbour.
    pub fn perceptual(&self) -> u64 {
        let scaled = self.scaled(9, 8);
        scaled
            .chunks(9)
            .flat_map(|row| row.windows(2).map(|pair| pair[0] < pair[1]))
            .fold(0, |hash, lighter| hash << 1 | u64::from(lighter))
    }

    /// Scaled by means over what each new point covers.
    fn scaled(&self, width: usize, height: usize) -> Vec<u8> {
        let span = |at: usize, of: usize, from: usize| {
            let start = at * from / of;
            start..((at + 1) * from).div_ceil(of).max(start + 1).min(from)
        };
        let mut out = Vec::with_capacity(width * height);
        for y in 0..height {
            let rows = span(y, height, self.height);
            for x in 0..width {
                let columns = span(x, width, self.width);
                let count = (rows.len() * columns.len()) as u64;
                let sum: u64 = rows
                    .clone()
                    .flat_map(|row| &self.values[row * self.width..][columns.clone()])
                    .map(|value| u64::from(*value))
                    .sum();
                out.push((sum / count.max(1)) as u8);
            }
        }
        out
    }
}

/// What two pictures have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The hash of each.
    pub hashes: (u64, u64),
    /// Bits in which the hashes differ.
    pub distance: u32,
    /// They are the same to the eye: the hash decides, the number ([`Grey::number`]) is only shown.
    pub alike: bool,
}

/// Bits in which the hashes of pictures that look the same may differ: another quality or size moves one or two.
const ALIKE: u32 = 4;

/// Compares two pictures.
pub fn compare(old: &Grey, new: &Grey) -> Comparison {
    let hashes = (old.perceptual(), new.perceptual());
    let distance = distance(hashes.0, hashes.1);
    // Pictures without edges have no bits: black and white differ in brightness alone.
    let brightness = |grey: &Grey| {
        let sum: u64 = grey.values.iter().map(|value| u64::from(*value)).sum();
        (sum / grey.values.len().max(1) as u64) as i32
    };
    let alike = distance <= ALIKE && (brightness(old) - brightness(new)).abs() <= 16;
    Comparison { hashes, distance, alike }
}

/// Bits in which two hashes differ.
pub fn distance(first: u64, second: u64) -> u32 {
    (first ^ second).count_ones()
}

/// Exact, by minors: the matrix has at most four rows.
fn determinant(matrix: &[Vec<i128>]) -> i128 {
    match matrix {
        [] => 1,
        [row] => row[0],
        [first, rest @ ..] => first
            .iter()
            .enumerate()
            .map(|(column, value)| {
                let minor: Vec<Vec<i128>> =
                    rest.iter().map(|row| [&row[..column], &row[column + 1..]].concat()).collect();
                let sign = if column % 2 == 0 { 1 } else { -1 };
                sign * value * determinant(&minor)
            })
            .sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn picture(size: usize, is_light: impl Fn(usize, usize) -> bool) -> Grey {
        let values = (0..size * size).map(|at| if is_light(at % size, at / size) { 255 } else { 0 });
        Grey::new(size, size, values.collect()).unwrap_or_else(|| panic!("{size} by {size}"))
    }

    #[test]
    fn numbers_are_as_defined() {
        // One light point, in the second row at the right end: weight two, the lowest bit.
        assert_eq!(picture(16, |x, y| (x, y) == (15, 1)).number(Side::Sixteen), 2);
        // All light: the weights from 1 to 16 times 65,535.
        assert_eq!(picture(16, |_, _| true).number(Side::Sixteen), 136 * 65_535);
        // Light where the blocks on the diagonal are: the product of both.
        let diagonal = picture(32, |x, y| x / 16 == y / 16);
        assert_eq!(diagonal.number(Side::ThirtyTwo), (136_i128 * 65_535).pow(2));
        assert_eq!(
            picture(64, |x, y| x / 16 == 3 - y / 16).number(Side::SixtyFour),
            (136_i128 * 65_535).pow(4)
        );
        assert_eq!(picture(32, |_, _| true).number(Side::ThirtyTwo), 0);
    }

    /// One picture at each side: by blocks of 16 points the sums of its rows, and the determinant of these.
    #[test]
    fn each_side_has_a_number_of_its_own() {
        // Light at the upper left, a quarter wide, and in the lower right quarter.
        let drawn = picture(64, |x, y| (x < 16 && y < 32) || (x >= 32 && y >= 32));
        // At 16: the first eight rows are 1111 0000 0000 0000, the others 0000 0000 1111 1111.
        let above: i128 = (1..=8).sum::<i128>() * 0xf000;
        let below: i128 = (9..=16).sum::<i128>() * 0x00ff;
        assert_eq!(drawn.number(Side::of(16)), above + below);
        // At 32 the upper half has light in half of its first block, the lower in all of its second.
        assert_eq!(drawn.number(Side::of(32)), (136 * 0xff00) * (136 * 0xffff));
        // At 64 two columns of blocks are dark in all rows but their own, so the rows depend on each other.
        assert_eq!(drawn.number(Side::of(64)), 0);
        assert_eq!(Side::of(7), Side::SixtyFour);
    }

    #[test]
    fn a_small_change_moves_few_bits_of_the_hash() {
        let old = picture(64, |x, y| (x / 7 + y / 5) % 2 == 0);
        let dot = picture(64, |x, y| (x, y) == (9, 9) || (x / 7 + y / 5) % 2 == 0);
        let other = picture(64, |x, y| x * y % 11 < 5);
        assert!(distance(old.perceptual(), dot.perceptual()) <= 2);
        assert!(distance(old.perceptual(), other.perceptual()) > 10);
        assert!(compare(&old, &dot).alike && !compare(&old, &other).alike);
        assert!(!compare(&picture(64, |_, _| true), &picture(64, |_, _| false)).alike);
        assert_eq!(Grey::of_rgb(1, 1, &[255, 255, 255]).map(|grey| grey.values), Some(vec![255]));
        assert_eq!((Grey::of_rgb(1, 1, &[1]), Grey::new(0, 0, vec![])), (None, None));
    }

    proptest! {
        #[test]
        fn any_picture_has_its_numbers(width in 1usize..80, height in 1usize..80, value: u8) {
            let grey = Grey::new(width, height, vec![value; width * height]);
            let grey = grey.ok_or_else(|| TestCaseError::fail("a picture"))?;
            let expected = if value >= 128 { 136 * 65_535 } else { 0 };
            prop_assert_eq!(grey.number(Side::Sixteen), expected);
            prop_assert_eq!(grey.perceptual(), 0);
        }
    }
}
