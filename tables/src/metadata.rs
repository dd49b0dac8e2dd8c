//! The metadata of a Parquet file: the properties of its histories that are not in rows.

use std::path::Path;

use history::{History, Provenance};
use polars_parquet::read::FileMetadata;
use serde::{Deserialize, Serialize};

use crate::TableError;

const KEY: &str = "rubric";

/// The JSON value of the metadata key `rubric`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Metadata {
    /// Version of rubric that wrote the file.
    version: String,
    /// The histories, by number.
    pub histories: Vec<About>,
}

/// The properties of a history other than its operations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct About {
    #[serde(default)]
    pub name: Option<String>,
    /// [`History::digest`] of the history that was written, against which the history that is read is checked.
    #[serde(default)]
    pub digest: Option<String>,
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Metadata {
    pub(crate) fn of(histories: &[History]) -> Metadata {
        Metadata {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            histories: histories
                .iter()
                .map(|history| About {
                    name: history.name.clone(),
                    digest: Some(history.digest()),
                    provenance: history.provenance.clone(),
                })
                .collect(),
        }
    }

    /// Returns the key and value that the metadata has in a Parquet file.
    pub(crate) fn to_parquet(&self, path: &Path) -> Result<(String, String), TableError> {
        let text = serde_json::to_string(self)
            .map_err(|error| TableError::Make { path: path.to_owned(), what: error.to_string() })?;
        Ok((KEY.to_owned(), text))
    }

    /// Reads the metadata of a file; `None` if a program other than rubric wrote it.
    pub(crate) fn from_parquet(
        path: &Path,
        file: &FileMetadata,
    ) -> Result<Option<Metadata>, TableError> {
        let pairs = file.key_value_metadata().iter().flatten();
        let Some(text) =
            pairs.filter(|pair| pair.key == KEY).find_map(|pair| pair.value.as_deref())
        else {
            return Ok(None);
        };
        serde_json::from_str(text).map(Some).map_err(|error| {
            TableError::damaged(path, format!("its metadata cannot be read ({error})"))
        })
    }
}
