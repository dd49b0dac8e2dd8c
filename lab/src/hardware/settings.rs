//! The first line of a series' journal: a series is resumed by the same command only.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Series;
use crate::error::Error;
use crate::journal::{Journal, Lines};
use crate::resume::{self, unchanged};

/// What the rows of a journal depend on. Each row says itself how often its program ran.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Settings {
    command: String,
    seed: u64,
}

impl resume::Settings for Settings {
    fn fixed(&self) -> Vec<(String, String)> {
        vec![
            ("command".to_owned(), self.command.clone()),
            ("first seed".to_owned(), self.seed.to_string()),
        ]
    }
}

impl Settings {
    pub(super) fn of(series: &Series) -> Settings {
        Settings { command: series.command.clone(), seed: series.seed }
    }

    /// Compares the settings with those of a journal, or writes them to an empty one.
    pub(super) fn check(&self, journal: &Journal, lines: &Lines, path: &Path) -> Result<(), Error> {
        let advice = "choose another folder";
        match lines.parse::<Settings>(0, advice).next() {
            None => journal.add(self),
            Some(known) => {
                let stored = format!("{}: this file has programs of another", path.display());
                unchanged(&known?, self, &stored)
            }
        }
    }
}
