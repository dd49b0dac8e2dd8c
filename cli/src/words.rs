//! Options whose value is one of a few words: what is not among them is refused where it is read, so that no code behind has to
//! guess what was meant.

use check::Algorithm;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use memory::{Model, PsoRmw, models};

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

/// An algorithm as a value of an option, with what it does and where it is published.
pub fn algorithm(algorithm: Algorithm) -> PossibleValue {
    let (title, paper) = (algorithm.title().trim_end_matches('.'), algorithm.paper());
    let help = match paper.is_empty() {
        true => title.to_owned(),
        false => format!("{title} ({paper})"),
    };
    let value = PossibleValue::new(algorithm.name()).help(help);
    algorithm
        .former_name()
        .into_iter()
        .fold(value, PossibleValue::alias)
}

/// Reads one of the models by its name. What a read-modify-write waits for under PSO is an option of its own.
pub fn model() -> impl TypedValueParser<Value = Model> {
    one_of(models::ALL, Model::name)
}

/// Reads one of the models that there is a monitor for by its name.
pub fn monitored_model() -> impl TypedValueParser<Value = Model> {
    const MONITORED: &[Model] = &[Model::TSO, Model::PSO];
    one_of(MONITORED, Model::name)
}

/// Reads one of the models that a kernel is known of by its name.
pub fn kernel_model() -> impl TypedValueParser<Value = Model> {
    const WITH_KERNEL: &[Model] = &[Model::SC, Model::TSO];
    one_of(WITH_KERNEL, Model::name)
}

/// Reads what a read-modify-write waits for under PSO.
pub fn rmw() -> impl TypedValueParser<Value = PsoRmw> {
    one_of(&PsoRmw::ALL, PsoRmw::name)
}
