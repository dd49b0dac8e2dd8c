//! The names of recipes.

use slicc::error::ParseError;
use std::fmt;
use std::str::FromStr;

/// The origin of a recipe: the seed from which it was drawn, followed by the seeds of its
/// variations. Written as `17` or `17.203.88`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lineage {
    root: u64,
    variations: Vec<u64>,
}

impl Lineage {
    /// Makes the lineage of a recipe that is drawn from a seed.
    pub fn root(seed: u64) -> Lineage {
        Lineage { root: seed, variations: Vec::new() }
    }

    /// Makes the lineage of the variation by a seed.
    pub fn vary(&self, seed: u64) -> Lineage {
        let mut lineage = self.clone();
        lineage.variations.push(seed);
        lineage
    }

    /// The lineage of which this is a variation, if it is one.
    pub fn parent(&self) -> Option<Lineage> {
        let (_, variations) = self.variations.split_last()?;
        Some(Lineage { root: self.root, variations: variations.to_vec() })
    }

    /// The seed from which the first recipe was drawn.
    pub fn seed(&self) -> u64 {
        self.root
    }

    /// The seeds of the variations, in order.
    pub fn variations(&self) -> &[u64] {
        &self.variations
    }
}

impl fmt::Display for Lineage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.root)?;
        self.variations.iter().try_for_each(|seed| write!(f, ".{seed}"))
    }
}

impl FromStr for Lineage {
    type Err = ParseError;

    /// Parses what [`fmt::Display`] writes.
    fn from_str(text: &str) -> Result<Lineage, ParseError> {
        const EXPECTED: &str = "expected seeds separated by dots, such as 17 or 17.203.88";
        let seed = |word: &str| {
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            let seed = word.parse().ok().filter(|_| is_number);
            seed.ok_or_else(|| ParseError::new(text, EXPECTED))
        };
        let mut words = text.split('.').map(seed);
        let root = words.next().unwrap_or_else(|| seed(""))?;
        let variations = words.collect::<Result<_, _>>()?;
        Ok(Lineage { root, variations })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lineages_are_read_as_they_are_written() {
        for text in ["0", "17", "17.203.88", "18446744073709551615.1"] {
            assert_eq!(text.parse::<Lineage>().unwrap().to_string(), text);
        }
        assert_eq!("17.203".parse(), Ok(Lineage::root(17).vary(203)));
        assert_eq!(Lineage::root(17).vary(203).parent(), Some(Lineage::root(17)));
        assert_eq!(Lineage::root(17).parent(), None);
        for wrong in ["", ".", "1.", ".1", "1..2", "-1", "+1", "1 ", "x", "18446744073709551616"] {
            assert!(wrong.parse::<Lineage>().is_err(), "{wrong}");
        }
    }
}
