//! Options whose value is one of a few words: what is not among them is refused where it is read, so that no code behind has to
//! guess what was meant.

use check::{Model, PsoRmw};
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The models, the strongest first. What a read-modify-write waits for under PSO is an option of its own.
pub const MODELS: &[Model] = &[Model::Sc, Model::Tso, Model::Pso(PsoRmw::Own)];

/// Those of them that a kernel is known of.
pub const SC_AND_TSO: &[Model] = &[Model::Sc, Model::Tso];

/// Those of them that are weaker than SC.
pub const WEAKER_THAN_SC: &[Model] = &[Model::Tso, Model::Pso(PsoRmw::Own)];

/// Reads one of `all` by its name.
pub fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(move |&one| name(one))).try_map(move |word| {
        let found = all.iter().copied().find(|&one| name(one) == word);
        found.ok_or_else(|| format!("`{word}` is none of the words that this option takes"))
    })
}

/// Reads one of these models by its name.
pub fn model(models: &'static [Model]) -> impl TypedValueParser<Value = Model> {
    one_of(models, Model::name)
}

/// Reads what a read-modify-write waits for under PSO.
pub fn rmw() -> impl TypedValueParser<Value = PsoRmw> {
    one_of(&[PsoRmw::Own, PsoRmw::All], PsoRmw::name)
}
