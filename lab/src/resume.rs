//! Decides whether rows may be added to stored ones: only if these were made with the same settings.
//!
//! A campaign stores its [`Settings`] in a file, an experiment in the first line of its journal. [`unchanged`] compares them with the
//! present ones, and its error names the setting that differs.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// The settings that stored rows depend on.
pub(crate) trait Settings: Serialize + DeserializeOwned {
    /// The settings that must not change, each with its name in messages.
    fn fixed(&self) -> Vec<(String, String)>;
}

/// Compares stored settings with those of a run that resumes. `stored` is the beginning of the error message, such as `DIR: this folder
/// holds a campaign with other`.
///
/// # Errors
/// [`Error::OtherSettings`] about the first setting that differs.
pub(crate) fn unchanged<S: Settings>(known: &S, now: &S, stored: &str) -> Result<(), Error> {
    let mut pairs = known.fixed().into_iter().zip(now.fixed());
    match pairs.find(|((_, then), (_, now))| then != now) {
        None => Ok(()),
        Some(((what, then), (_, now))) => {
            Err(Error::OtherSettings { stored: stored.to_owned(), what, then, now })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Seed(u64);

    impl Settings for Seed {
        fn fixed(&self) -> Vec<(String, String)> {
            vec![("seed".to_owned(), self.0.to_string())]
        }
    }

    #[test]
    fn the_error_names_both_values() {
        assert!(unchanged(&Seed(1), &Seed(1), "it has another").is_ok());
        let error = unchanged(&Seed(1), &Seed(2), "it has another").unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("it has another seed (1, now 2): repeat"), "{text}");
    }
}
