//! Names of walks, from which they are made again.

use std::fmt;
use std::str::FromStr;

/// A walk: one of the systems that a seed draws for a protocol, and the moves that are made there. As text `7:12:0.3.1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkId {
    /// The seed from which the systems were drawn.
    pub seed: u64,
    /// The number of the system among those of the seed.
    pub system: u64,
    /// The place of each move among the moves that are possible before it.
    pub choices: Vec<usize>,
}

impl fmt::Display for WalkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choices: Vec<String> = self.choices.iter().map(usize::to_string).collect();
        write!(f, "{}:{}:{}", self.seed, self.system, choices.join("."))
    }
}

impl FromStr for WalkId {
    type Err = String;

    fn from_str(text: &str) -> Result<WalkId, String> {
        let parsed = || {
            let (seed, rest) = text.split_once(':')?;
            let (system, choices) = rest.split_once(':')?;
            let choices = choices.split('.').map(|one| one.parse().ok());
            Some(WalkId {
                seed: seed.parse().ok()?,
                system: system.parse().ok()?,
                choices: choices.collect::<Option<Vec<usize>>>()?,
            })
        };
        parsed().ok_or_else(|| {
            "the name of a walk was expected, such as 7:12:0.3.1, as this command prints it"
                .to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let id = WalkId { seed: 7, system: 12, choices: vec![0, 3, 1] };
        assert_eq!(id.to_string(), "7:12:0.3.1");
        assert_eq!(id.to_string().parse(), Ok(id));
        for wrong in ["", "7", "7:12", "7:12:", "7:x:1", "7:12:0..1", "7:12:-1"] {
            assert!(wrong.parse::<WalkId>().is_err(), "{wrong}");
        }
    }
}
