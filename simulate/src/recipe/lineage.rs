//! The names of recipes.

use crate::program::{Extras, MOST_DEVICES};
use slicc::error::ParseError;
use std::fmt;
use std::str::FromStr;

/// The origin of a recipe: the seed from which it was drawn, followed by the seeds of its variations. Written as `17`
/// or `17.203.88`. With extras of programs it is `17+dma2` (DMA devices), `17+flush10` (flushes, in percent),
/// `17+atomics50` (atomic requests, in percent), `17+partial40` (accesses to parts of words, in percent),
/// `17+functional10` (functional accesses, in percent), `17+functional10+suppress1` (and those that fail are made in the usual
/// way), `17+policies1` (policies of controllers are drawn, with `+policies2` also slots of CHI's other nodes,
/// with `+policies3` also prefetchers of its caches, with `+policies4` also whether cores that need not know are told of lines that leave their caches), `17+dvm10` (TLB invalidations and syncs, in percent),
/// `17+clusters1` (clusters of cores are drawn) or several of these in this order, such as `17+dma2+flush10.203`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lineage {
    root: u64,
    extras: Extras,
    variations: Vec<u64>,
}

impl Lineage {
    /// Makes the lineage of a recipe that is drawn from a seed.
    pub fn root(seed: u64) -> Lineage {
        Lineage { root: seed, extras: Extras::default(), variations: Vec::new() }
    }

    /// The same lineage of programs with these extras.
    #[must_use]
    pub fn with_extras(self, extras: Extras) -> Lineage {
        Lineage { extras, ..self }
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
        Some(Lineage { root: self.root, extras: self.extras, variations })
    }

    /// The seed from which the first recipe was drawn.
    pub fn seed(&self) -> u64 {
        self.root
    }

    /// The extras of its programs.
    pub fn extras(&self) -> Extras {
        self.extras
    }

    /// The seeds of the variations, in order.
    pub fn variations(&self) -> &[u64] {
        &self.variations
    }
}

/// One of the numbers of [`Extras`] in a lineage.
struct Part {
    name: &'static str,
    most: u32,
    of: fn(&mut Extras) -> &mut u32,
}

/// The numbers of [`Extras`], in the order in which lineages have them.
static PARTS: [Part; 9] = [
    Part { name: "dma", most: MOST_DEVICES, of: |extras| &mut extras.devices },
    Part { name: "flush", most: 100, of: |extras| &mut extras.flushes },
    Part { name: "atomics", most: 100, of: |extras| &mut extras.atomics },
    Part { name: "partial", most: 100, of: |extras| &mut extras.partial },
    Part { name: "functional", most: 100, of: |extras| &mut extras.functional },
    Part { name: "suppress", most: 1, of: |extras| &mut extras.suppressed },
    Part { name: "policies", most: 4, of: |extras| &mut extras.policies },
    Part { name: "dvm", most: 100, of: |extras| &mut extras.dvm },
    Part { name: "clusters", most: 1, of: |extras| &mut extras.clusters },
];

impl fmt::Display for Lineage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.root)?;
        let mut extras = self.extras;
        for part in &PARTS {
            match *(part.of)(&mut extras) {
                0 => {}
                count => write!(f, "+{}{count}", part.name)?,
            }
        }
        self.variations.iter().try_for_each(|seed| write!(f, ".{seed}"))
    }
}

impl FromStr for Lineage {
    type Err = ParseError;

    /// Parses what [`fmt::Display`] writes.
    fn from_str(text: &str) -> Result<Lineage, ParseError> {
        const EXPECTED: &str = "expected seeds separated by dots, such as 17, 17.203.88 or, with a DMA device and \
                                flushes before 10 % of the operations, 17+dma1+flush10.203";
        let wrong = || ParseError::new(text, EXPECTED);
        let mut words = text.split('.');
        let mut first = words.next().unwrap_or_default().split('+');
        let root = first.next().and_then(number).ok_or_else(wrong)?;
        let mut parts = PARTS.iter();
        let mut extras = Extras::default();
        for word in first {
            // Each part at most once, and in their order, so that a recipe has one name.
            let found = parts.find_map(|part| Some((part, word.strip_prefix(part.name)?)));
            let (part, count) = found.ok_or_else(wrong)?;
            let count = number(count).filter(|count| (1..=u64::from(part.most)).contains(count));
            *(part.of)(&mut extras) = count.ok_or_else(wrong)? as u32;
        }
        let variations = words.map(|word| number(word).ok_or_else(wrong));
        Ok(Lineage { root, extras, variations: variations.collect::<Result<_, _>>()? })
    }
}

/// The number that a word of digits stands for.
fn number(word: &str) -> Option<u64> {
    word.parse().ok().filter(|_| word.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lineages_are_read_as_they_are_written() {
        let plain = ["0", "17", "17.203.88", "18446744073709551615.1", "17+dma2", "17+dma1.203"];
        let more = [
            "17+flush10.203",
            "17+dma2+flush100",
            "17+partial5",
            "1+dma1+flush1+atomics1+partial9.2",
            "17+partial5+functional10+suppress1.2",
            "17+dma1+atomics50+dvm10.3",
            "17+policies1+dvm10+clusters1",
            "17+policies2",
            "17+policies3+clusters1",
            "17+policies4",
        ];
        for text in plain.into_iter().chain(more) {
            assert_eq!(text.parse::<Lineage>().unwrap().to_string(), text);
        }
        assert_eq!("17.203".parse(), Ok(Lineage::root(17).vary(203)));
        assert_eq!(Lineage::root(17).vary(203).parent(), Some(Lineage::root(17)));
        assert_eq!(Lineage::root(17).parent(), None);
        let extras = Extras { devices: 2, ..Extras::default() };
        let with_devices = Lineage::root(17).with_extras(extras);
        assert_eq!("17+dma2.203".parse(), Ok(with_devices.vary(203)));
        assert_eq!(with_devices.vary(203).parent(), Some(with_devices));
        for wrong in
            ["17+dma", "17+dma0", "17+dma99", "17+policies5", "+dma1", "17.203+dma1", "17+dma1x"]
        {
            assert!(wrong.parse::<Lineage>().is_err(), "{wrong}");
        }
        for wrong in
            ["17+flush101", "17+flush1+dma1", "17+dma1+dma1", "17+", "17+other1", "17+flush+1"]
        {
            assert!(wrong.parse::<Lineage>().is_err(), "{wrong}");
        }
        for wrong in ["", ".", "1.", ".1", "1..2", "-1", "+1", "1 ", "x", "18446744073709551616"] {
            assert!(wrong.parse::<Lineage>().is_err(), "{wrong}");
        }
    }
}
