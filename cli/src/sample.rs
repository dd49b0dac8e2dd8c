//! How many of the mutants that operators make are taken: `--sample`.

use std::str::FromStr;

use lab::campaign::SAMPLE;

use crate::simulate::parse;

/// How many mutants are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// At most so many mutants.
    Some(u32),
    /// All mutants.
    All,
}

impl Sample {
    /// The number that is asked for, [`SAMPLE`] if none is; `None` for all.
    pub fn number(asked: Option<Sample>) -> Option<usize> {
        match asked {
            None => Some(SAMPLE),
            Some(Sample::Some(count)) => Some(count as usize),
            Some(Sample::All) => None,
        }
    }
}

impl FromStr for Sample {
    type Err = String;

    fn from_str(text: &str) -> Result<Sample, String> {
        match text {
            "all" => Ok(Sample::All),
            text => parse::positive(text).map(Sample::Some),
        }
    }
}
