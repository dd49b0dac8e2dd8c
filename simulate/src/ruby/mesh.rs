//! A mesh of routers: how far apart two of them are.

use std::fmt;
use std::str::FromStr;

use slicc::error::ParseError;

/// Number of cycles that a further router with its link adds, in gem5 with the options
/// `--router-latency` and `--link-latency` left as they are.
const HOP: u64 = 2;

/// Most routers: more than a protocol can have controllers of a machine.
const MOST: u32 = 1024;

/// A mesh of routers in columns and rows, where messages go along a row first and then along a
/// column, as in gem5's topology `Mesh_XY`. Written `4x2`, or `4x2:3` if a hop takes 3 cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mesh {
    columns: u32,
    rows: u32,
    hop: u64,
}

impl Mesh {
    /// The number of routers.
    pub fn routers(self) -> u32 {
        self.columns * self.rows
    }

    /// The number of cycles that a message takes longer than one between two controllers of the same
    /// router.
    #[inline]
    pub fn delay(self, from: u32, to: u32) -> u64 {
        let column = (from % self.columns).abs_diff(to % self.columns);
        let row = (from / self.columns).abs_diff(to / self.columns);
        u64::from(column + row) * self.hop
    }
}

impl FromStr for Mesh {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Mesh, ParseError> {
        const EXPECTED: &str = "columns and rows of a mesh of up to 1024 routers were expected, \
                                such as 4x2, or 4x2:3 if a hop takes 3 cycles";
        let parsed = || {
            let (size, hop) = match text.split_once(':') {
                Some((size, hop)) => (size, hop.parse().ok()?),
                None => (text, HOP),
            };
            let (columns, rows) = size.split_once('x')?;
            let mesh = Mesh { columns: columns.parse().ok()?, rows: rows.parse().ok()?, hop };
            let routers = mesh.columns.checked_mul(mesh.rows)?;
            // The limit of a hop keeps ticks far from their end.
            ((1..=MOST).contains(&routers) && hop <= 1 << 20).then_some(mesh)
        };
        parsed().ok_or_else(|| ParseError::new(text, EXPECTED))
    }
}

impl fmt::Display for Mesh {
    /// Writes what [`FromStr`] parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.columns, self.rows)?;
        if self.hop == HOP { Ok(()) } else { write!(f, ":{}", self.hop) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_are_read_as_written() {
        for text in ["4x2", "1x1", "3x3:5", "1024x1"] {
            assert_eq!(text.parse::<Mesh>().unwrap().to_string(), text);
        }
        for wrong in ["", "4", "0x3", "4x", "x4", "4x4:", "2000x2000", "65536x65536", "-1x2"] {
            assert!(wrong.parse::<Mesh>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn distance_counts_columns_and_rows() {
        let mesh: Mesh = "4x2:3".parse().unwrap();
        // Routers 0 to 3 are in the first row, 4 to 7 in the second.
        assert_eq!(mesh.delay(5, 5), 0);
        assert_eq!(mesh.delay(0, 3), 9);
        assert_eq!(mesh.delay(3, 4), 12);
        assert_eq!(mesh.delay(4, 3), 12);
        assert_eq!(mesh.delay(1, 5), 3);
    }
}
