//! Parsers of options whose value is one of a few words. Other words are refused while the command line is parsed, so no later code
//! sees an unknown name.

use std::ffi::OsStr;
use std::sync::LazyLock;

use check::Algorithm;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use explore::monitor::MONITORED;
use memory::{Model, PsoRmw, models};

/// Parses the name of an element of `all`.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(move |&one| name(one))).try_map(move |word| {
        let found = all.iter().copied().find(|&one| name(one) == word);
        found.ok_or_else(|| format!("`{word}` is not a value of this option"))
    })
}

/// Parses one of two words: whether it is the first one.
pub(crate) fn switch(yes: &'static str, no: &'static str) -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new([yes, no]).map(move |word| word == yes)
}

/// An algorithm as a value of an option, with what it does and where it is published.
pub(crate) fn algorithm(algorithm: Algorithm) -> PossibleValue {
    let (title, paper) = (algorithm.title().trim_end_matches('.'), algorithm.paper());
    let help = if paper.is_empty() { title.to_owned() } else { format!("{title} ({paper})") };
    let value = PossibleValue::new(algorithm.name()).help(help);
    algorithm.former_name().into_iter().fold(value, PossibleValue::alias)
}

/// A parser that takes the lower-case names of another parser in any case, since people write the names of models in both.
#[derive(Clone)]
struct AnyCase<P>(P);

impl<P: TypedValueParser> TypedValueParser for AnyCase<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        let parsed = self.0.parse_ref(command, arg, &value.to_ascii_lowercase());
        // Parsing the original word makes the error message show it as the user wrote it.
        parsed.or_else(|_| self.0.parse_ref(command, arg, value))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// Parses the name of a model in `all`, in any case.
fn one_of_models(all: &'static [Model]) -> impl TypedValueParser<Value = Model> {
    AnyCase(one_of(all, Model::name))
}

/// Parses the name of a model. The variant of PSO is chosen by another option, `--pso-rmw`.
pub(crate) fn model() -> impl TypedValueParser<Value = Model> {
    one_of_models(models::ALL)
}

/// Parses the name of a model for litmus tests, which have dependencies and no ticks.
pub(crate) fn litmus_model() -> impl TypedValueParser<Value = Model> {
    static WITHOUT_TICKS: LazyLock<Vec<Model>> =
        LazyLock::new(|| models::ALL.iter().copied().filter(|model| !model.uses_ticks()).collect());
    one_of_models(&WITHOUT_TICKS)
}

/// Parses the name of a model that has an operational machine, which excludes the weak ones.
pub(crate) fn machine_model() -> impl TypedValueParser<Value = Model> {
    static WITH_MACHINE: LazyLock<Vec<Model>> = LazyLock::new(|| models::with_machines().collect());
    one_of_models(&WITH_MACHINE)
}

/// Parses the name of a model that has a monitor.
pub(crate) fn monitored_model() -> impl TypedValueParser<Value = Model> {
    one_of_models(&MONITORED)
}

/// Parses the name of a model whose kernel can be computed.
pub(crate) fn kernel_model() -> impl TypedValueParser<Value = Model> {
    const WITH_KERNEL: &[Model] = &[Model::SC, Model::TSO];
    one_of_models(WITH_KERNEL)
}

/// Parses the name of a criterion that orders some of the pairs of a kernel.
pub(crate) fn kernel_criterion() -> impl TypedValueParser<Value = Algorithm> {
    const CRITERIA: &[Algorithm] =
        &[papers::CCV, papers::CCM, papers::WSC, papers::WCCM, papers::WTSO];
    one_of(CRITERIA, Algorithm::name)
}

/// Parses what a read-modify-write waits for under PSO.
pub(crate) fn rmw() -> impl TypedValueParser<Value = PsoRmw> {
    one_of(&PsoRmw::ALL, PsoRmw::name)
}
