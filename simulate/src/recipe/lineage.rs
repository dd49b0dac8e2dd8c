//! The names of recipes.

use crate::program::MOST_DEVICES;
use slicc::error::ParseError;
use std::fmt;
use std::str::FromStr;

/// The origin of a recipe: the seed from which it was drawn, followed by the seeds of its
/// variations. Written as `17` or `17.203.88`. A program with two DMA devices beside the same
/// cores has `17+dma2` and `17+dma2.203.88`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lineage {
    root: u64,
    devices: u32,
    variations: Vec<u64>,
}

impl Lineage {
    /// Makes the lineage of a recipe that is drawn from a seed.
    pub fn root(seed: u64) -> Lineage {
        Lineage { root: seed, devices: 0, variations: Vec::new() }
    }

    /// The same lineage with so many DMA devices.
    #[must_use]
    pub fn with_devices(self, devices: u32) -> Lineage {
        Lineage { devices, ..self }
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
        let variations = variations.to_vec();
        Some(Lineage { root: self.root, devices: self.devices, variations })
    }

    /// The seed from which the first recipe was drawn.
    pub fn seed(&self) -> u64 {
        self.root
    }

    /// Number of DMA devices.
    pub fn devices(&self) -> u32 {
        self.devices
    }

    /// The seeds of the variations, in order.
    pub fn variations(&self) -> &[u64] {
        &self.variations
    }
}

/// What stands before the number of DMA devices.
const DEVICES: &str = "+dma";

impl fmt::Display for Lineage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.root)?;
        if self.devices > 0 {
            write!(f, "{DEVICES}{}", self.devices)?;
        }
        self.variations.iter().try_for_each(|seed| write!(f, ".{seed}"))
    }
}

impl FromStr for Lineage {
    type Err = ParseError;

    /// Parses what [`fmt::Display`] writes.
    fn from_str(text: &str) -> Result<Lineage, ParseError> {
        const EXPECTED: &str = "expected seeds separated by dots, such as 17, 17.203.88 or, with a DMA device, 17+dma1.203";
        let number = |word: &str| {
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            let number = word.parse().ok().filter(|_| is_number);
            number.ok_or_else(|| ParseError::new(text, EXPECTED))
        };
        let mut words = text.split('.');
        let first = words.next().unwrap_or_default();
        let (root, devices) = match first.split_once(DEVICES) {
            None => (number(first)?, 0),
            Some((root, count)) => {
                let count = u32::try_from(number(count)?).ok();
                let count = count.filter(|count| (1..=MOST_DEVICES).contains(count));
                (number(root)?, count.ok_or_else(|| ParseError::new(text, EXPECTED))?)
            }
        };
        let variations = words.map(number).collect::<Result<_, _>>()?;
        Ok(Lineage { root, devices, variations })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lineages_are_read_as_they_are_written() {
        for text in ["0", "17", "17.203.88", "18446744073709551615.1", "17+dma2", "17+dma1.203"] {
            assert_eq!(text.parse::<Lineage>().unwrap().to_string(), text);
        }
        assert_eq!("17.203".parse(), Ok(Lineage::root(17).vary(203)));
        assert_eq!(Lineage::root(17).vary(203).parent(), Some(Lineage::root(17)));
        assert_eq!(Lineage::root(17).parent(), None);
        let with_devices = Lineage::root(17).with_devices(2);
        assert_eq!("17+dma2.203".parse(), Ok(with_devices.vary(203)));
        assert_eq!(with_devices.vary(203).parent(), Some(with_devices));
        for wrong in ["17+dma", "17+dma0", "17+dma99", "+dma1", "17.203+dma1", "17+dma1x"] {
            assert!(wrong.parse::<Lineage>().is_err(), "{wrong}");
        }
        for wrong in ["", ".", "1.", ".1", "1..2", "-1", "+1", "1 ", "x", "18446744073709551616"] {
            assert!(wrong.parse::<Lineage>().is_err(), "{wrong}");
        }
    }
}
