//! The history and the models that `explain` and `shrink` are asked about.

use std::path::{Path, PathBuf};

use check::{Model, Verdict};
use clap::ValueEnum;
use history::{Ambiguity, History, ReadsFrom};
use memory::PsoRmw;

use crate::error::Error;
use crate::files;
use crate::limits::Limits;
use crate::options::TraceOptions;
use crate::words;
use lab::load::{self, Input};

/// A trace, which of its histories, and the models to decide.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Question {
    /// A trace, a gem5 output folder, a file of histories, or `-`
    #[arg(value_name = "TRACE")]
    trace: PathBuf,

    /// Memory models, separated by commas: the first one that the history violates is shown, else the first [default: that of the
    /// instruction set whose instructions a trace shows, else sc]
    #[arg(long, value_name = "MODELS", value_delimiter = ',', value_parser = words::model())]
    model: Vec<Model>,

    /// What a read-modify-write waits for under PSO: its thread's stores to its own location, or
    /// all of its thread's stores
    #[arg(long, value_name = "own|all", default_value = "own", value_parser = words::rmw())]
    pso_rmw: PsoRmw,

    /// Of several histories the one of this name [default: the first that violates the model, else
    /// the first]
    #[arg(long, value_name = "NAME")]
    history: Option<String>,

    /// A value written twice to a location: an error, or search also for which write each such read
    /// takes its value from
    #[arg(long, value_name = "refuse|search", default_value = "refuse")]
    ambiguous: Ambiguous,

    #[command(flatten)]
    pub limits: Limits,

    #[command(flatten)]
    pub options: TraceOptions,
}

/// How a value that is written twice to a location is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ambiguous {
    /// Report an error
    Refuse,
    /// Consider every write of the value as the source of each read
    Search,
}

impl Ambiguous {
    /// How values that an input writes twice are treated.
    pub(crate) fn of(self, input: &Input) -> Ambiguity {
        match self {
            Ambiguous::Search => Ambiguity::Keep,
            Ambiguous::Refuse => load::ambiguity(input.format, &input.histories),
        }
    }
}

/// The answer about a history of an input.
pub(crate) type Answer<'a> = check::Answer<&'a History>;

impl Question {
    /// Asks whether the history in a file that another command has written satisfies a model.
    pub(crate) fn about(trace: &Path, model: Model, limits: Limits) -> Question {
        Question {
            trace: trace.to_owned(),
            model: vec![model],
            pso_rmw: model.rmw().unwrap_or(PsoRmw::Own),
            history: None,
            ambiguous: Ambiguous::Refuse,
            limits,
            options: TraceOptions { quiet: true, ..TraceOptions::default() },
        }
    }

    /// The models to check, in the order in which they are tried.
    fn models_of(&self, history: &History) -> Vec<Model> {
        if self.model.is_empty() {
            return vec![history.provenance.isa.map_or(Model::SC, Model::of_isa)];
        }
        self.model.iter().map(|model| model.with_rmw(self.pso_rmw)).collect()
    }

    /// Refuses outputs that are the input.
    ///
    /// # Errors
    /// Returns an error if an output is the input file, under this name or another.
    pub(crate) fn spare<'a>(
        &'a self,
        outputs: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Result<(), Error> {
        files::spare([&self.trace], outputs)
    }

    /// Reads the file, with controller transitions if `transitions`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub(crate) fn open(&self, transitions: bool) -> Result<Input, Error> {
        let reading = ingest::Options { transitions, ..self.options.for_reading()? };
        Ok(load::open(&self.trace, &reading)?)
    }

    /// Decides the history in question under one model after the other, until one is violated. If none is, returns the first
    /// answer.
    ///
    /// # Errors
    /// Returns an error if no history has the name that was asked for, or a value is written twice.
    pub(crate) fn ask<'a>(&self, input: &'a Input) -> Result<Answer<'a>, Error> {
        let mut first = None;
        let ambiguity = self.ambiguous.of(input);
        for history in self.candidates(input)? {
            for model in self.models_of(history) {
                let answer = self.decide(input, history, model, ambiguity)?;
                if matches!(answer.verdict(), Verdict::Violation(_) | Verdict::Unproved) {
                    return Ok(answer);
                }
                first = first.or(Some(answer));
            }
        }
        first.ok_or_else(|| Error::Usage(format!("{}: there is no history in it", input.file)))
    }

    fn candidates<'a>(&self, input: &'a Input) -> Result<Vec<&'a History>, Error> {
        let all = input.histories.iter();
        let Some(name) = &self.history else {
            return Ok(all.collect());
        };
        let named: Vec<&History> = all.filter(|it| it.name.as_deref() == Some(name)).collect();
        if named.is_empty() {
            let names = input.histories.iter().filter_map(|it| it.name.as_deref());
            let names: Vec<&str> = names.collect();
            let some = names[..names.len().min(10)].join(", ");
            let known = match names.len() {
                0 => "none with a name".to_owned(),
                1..=10 => some,
                all => format!("{some} and {} more", all - 10),
            };
            return Err(Error::Usage(format!(
                "{}: no history is called `{name}`; there are: {known}",
                input.file
            )));
        }
        Ok(named)
    }

    fn decide<'a>(
        &self,
        input: &Input,
        history: &'a History,
        model: Model,
        ambiguity: Ambiguity,
    ) -> Result<Answer<'a>, Error> {
        let reads_from = ReadsFrom::derive(history, ambiguity)
            .map_err(|twice| Error::written_twice(&input.file, history, &twice))?;
        let options = check::Options {
            timeout: self.limits.timeout,
            max_memory: Some(self.limits.max_memory),
            ..check::Options::default()
        };
        Ok(check::Question::new(model, &options).ask(history, &reads_from))
    }
}
