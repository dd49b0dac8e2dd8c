//! The value of `--sample`: how many of the mutants that operators make are used.

use std::str::FromStr;

use lab::campaign::SAMPLE;

use crate::simulate::parse;

/// The number of mutants that are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sample {
    /// At most this many mutants.
    Some(u32),
    /// All mutants.
    All,
}

impl Sample {
    /// The number of mutants that the user asks for; [`SAMPLE`] if the option is not given, `None` for all.
    pub(crate) fn number(asked: Option<Sample>) -> Option<usize> {
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
