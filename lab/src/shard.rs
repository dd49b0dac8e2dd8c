//! [`Shard`]: one of N parts of a campaign or an experiment, which can run on different machines.
//!
//! The names of a shard's files contain its number, such as `runs.2-of-8.parquet` instead of `runs.parquet`, so all shards may share a
//! folder.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use thiserror::Error;

/// The error of a text that is not a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("I/N with I from 1 to N was expected, such as 2/8")]
pub struct NoShard;

/// Shard `number` of `of`, written `2/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    of: u32,
    /// The number of the shard, from 1.
    number: u32,
}

impl Shard {
    /// Number of shards into which the work is divided.
    pub fn of(self) -> u32 {
        self.of
    }

    /// Whether a piece of the work belongs to the shard. Pieces are assigned in turn, so that shards take about equally long.
    pub fn has(self, piece: usize) -> bool {
        piece as u64 % u64::from(self.of) == u64::from(self.number - 1)
    }

    /// The name of the file `STEM.EXTENSION` of a shard, or of the whole.
    pub fn file(shard: Option<Shard>, stem: &str, extension: &str) -> String {
        match shard {
            None => format!("{stem}.{extension}"),
            Some(Shard { of, number }) => format!("{stem}.{number}-of-{of}.{extension}"),
        }
    }

    /// The shard whose file `STEM.EXTENSION` has this path: `Some(None)` for the file of the whole, `None` for any other file.
    pub fn of_file(path: &Path, stem: &str, extension: &str) -> Option<Option<Shard>> {
        let name = path.file_name()?.to_str()?.strip_prefix(stem)?;
        match name.strip_suffix(extension)?.strip_suffix('.')? {
            "" => Some(None),
            shard => {
                let (number, of) = shard.strip_prefix('.')?.split_once("-of-")?;
                Some(Some(Shard::new(number, of)?))
            }
        }
    }

    fn new(number: &str, of: &str) -> Option<Shard> {
        let (number, of) = (number.parse().ok()?, of.parse().ok()?);
        (1..=of).contains(&number).then_some(Shard { of, number })
    }
}

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let found = text.split_once('/').and_then(|(number, of)| Shard::new(number, of));
        found.ok_or(NoShard)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_belongs_to_one_shard() {
        let shards: Vec<Shard> = ["1/3", "2/3", "3/3"].map(|text| text.parse().unwrap()).into();
        for piece in 0..100 {
            assert_eq!(shards.iter().filter(|shard| shard.has(piece)).count(), 1);
        }
        assert!(shards[0].has(0) && shards[2].has(5));
    }

    #[test]
    fn texts_that_are_no_shards_are_refused() {
        for bad in ["", "x", "3", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "1/99999999999"] {
            let message = bad.parse::<Shard>().unwrap_err().to_string();
            assert!(message.contains("such as 2/8"), "{bad}");
        }
    }

    #[test]
    fn files_are_known_by_their_names() {
        let shard = "2/8".parse().ok();
        for (shard, name) in [(None, "runs.parquet"), (shard, "runs.2-of-8.parquet")] {
            assert_eq!(Shard::file(shard, "runs", "parquet"), name);
            assert_eq!(Shard::of_file(Path::new(name), "runs", "parquet"), Some(shard));
        }
        for other in [
            "runs.jsonl",
            "runsparquet",
            "runs.9-of-8.parquet",
            "runs.2-of-8",
            "run.parquet",
            "runs.old.parquet",
        ] {
            assert_eq!(Shard::of_file(Path::new(other), "runs", "parquet"), None, "{other}");
        }
    }
}
