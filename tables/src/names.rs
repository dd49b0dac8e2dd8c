//! The names that some columns of text may hold. Other names are refused when tables and journals are read, since rows with
//! them would be counted nowhere.

use serde::{Deserialize, Deserializer, de};

/// The memory models.
pub(super) use memory::models::NAMES as MODELS;

/// The sizes of experiments.
pub(super) const SIZES: &[&str] = &["quick", "paper", "large"];

/// Returns the current name of an algorithm, given that name or one that older versions wrote.
pub(super) fn current_algorithm(name: &str) -> &str {
    match name {
        "temporal" => "trace-order",
        name => name,
    }
}

/// Reads the name of an algorithm from a journal.
pub(super) fn algorithm<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    Ok(current_algorithm(&name).to_owned())
}

/// Reads the name of a model from a journal.
pub(super) fn model<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    one_of(deserializer, MODELS)
}

/// Reads the size of an experiment from a journal.
pub(super) fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    one_of(deserializer, SIZES)
}

fn one_of<'de, D: Deserializer<'de>>(
    deserializer: D,
    names: &'static [&'static str],
) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    if names.contains(&&*name) { Ok(name) } else { Err(de::Error::unknown_variant(&name, names)) }
}

#[cfg(test)]
mod tests {
    use crate::Trial;

    #[test]
    fn a_journal_with_an_unknown_model_or_size_is_refused() {
        let row = |model: &str, size: &str| {
            let trial =
                Trial { model: model.to_owned(), size: size.to_owned(), ..Trial::default() };
            let text = serde_json::to_string(&trial).unwrap();
            serde_json::from_str::<Trial>(&text).map_err(|error| error.to_string())
        };
        assert!(row("tso", "large").is_ok());
        let model = row("alpha", "large").unwrap_err();
        assert!(model.contains("`alpha`") && model.contains("`tso`"), "{model}");
        let size = row("sc", "huge").unwrap_err();
        assert!(size.contains("`huge`"), "{size}");
    }
}
