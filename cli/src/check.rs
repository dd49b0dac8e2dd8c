//! `rubric check`: decides whether histories are consistent with memory models, and prints the verdicts in one of several
//! formats.

mod args;
mod certificates;
mod comparison;
pub mod json;
mod many;
mod markdown;
pub mod paint;
mod store_order;
mod table;
pub mod text;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Instant;

use check::{Algorithm, Bounds, Cases, Model, Outcome, Settled, Verdict, settle};
use history::{Ambiguity, History, OpId, ReadsFrom};

use crate::ending::RunEnd;
use crate::error::Error;
use crate::files;
use crate::options::Format;
use crate::status::Status;
pub use args::Args;
use args::{Choice, Form};
use certificates::{Certificates, FileCertificates, Written};
use comparison::Comparison;
use lab::load::{self, Input};
use lab::{inputs, verdicts};
use paint::Paint;
use report::assumptions;
use store_order::StoreOrder;
use tables::VerdictRow;

/// A verdict on one history under one model.
struct HistoryVerdict<'a> {
    input: &'a Input,
    /// The history as the model sees it, and its reads-from.
    history: &'a History,
    reads_from: &'a ReadsFrom,
    /// The history as it was read, and the cases by which the verdict is proved.
    whole: &'a History,
    cases: &'a Cases,
    model: Model,
    /// The algorithm that was asked to decide.
    algorithm: Algorithm,
    outcome: Outcome,
    seconds: f64,
    /// The certificate of the verdict.
    certificate: Option<Written>,
    /// The limits of the verdict, one sentence each.
    caveats: Vec<String>,
}

impl HistoryVerdict<'_> {
    /// The criterion that was asked about, if that is weaker than the model.
    fn criterion(&self) -> Option<&'static str> {
        self.algorithm.criterion()
    }

    /// The name of the model or criterion that the verdict is about.
    fn subject(&self) -> &'static str {
        self.criterion().unwrap_or(self.model.name())
    }

    /// The name of the model or criterion that the certificate is about. A proof by the rules of a model is about the model, even
    /// if the algorithm that found it decides a weaker criterion.
    fn claimed(&self) -> &'static str {
        match self.outcome.verdict {
            Verdict::CriterionViolation(_) => self.subject(),
            _ => self.model.name(),
        }
    }
}

/// Prints verdicts as they are found.
trait Printer {
    /// Called before the verdicts on a history: prints the crash of its run, if there was one.
    fn crash(&mut self, input: &Input, history: &History, out: &mut dyn Write) -> io::Result<()>;
    /// Prints one verdict.
    fn verdict(&mut self, decided: &HistoryVerdict<'_>, out: &mut dyn Write) -> io::Result<()>;
    /// Called for an input that cannot be checked. The message goes to standard error as well.
    fn unreadable(&mut self, row: &VerdictRow, out: &mut dyn Write) -> io::Result<()>;
    /// Prints the verdicts of all algorithms on one history under one model; the first is that of the engine's stages.
    fn comparison(&mut self, compared: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()>;
    /// Called after the last history of a file.
    fn file(&mut self, input: &Input, out: &mut dyn Write) -> io::Result<()>;
}

/// Runs the command. If an input cannot be read, the remaining inputs are still checked.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let reading = args.options.for_reading()?;
    let outputs = args.output.iter().map(|path| table::Output::of(path));
    let outputs = outputs.collect::<Result<Vec<table::Output>, Error>>()?;
    if args.format == Form::Parquet && outputs.is_empty() {
        return Err(Error::Usage("Parquet needs a file: -o FILE.parquet".to_owned()));
    }
    let found = inputs::traces(&args.traces);
    let checker = Checker {
        args,
        models: args.models()?,
        store_order: args.for_tso_tool()?,
        certificates: match &args.certificate {
            Some(folder) => Some(Certificates::new(folder, load::arguments(&reading), &found)?),
            None => None,
        },
        reading,
        prints_each: found.len() <= table::MOST_IN_FULL,
    };
    files::spare([], &args.output)?;
    let mut seen = many::Seen::default();
    match many::check(&checker, found, &mut seen, out) {
        // The reader of the output has closed the pipe. The verdicts so far still count.
        Err(error) if error.is_broken_pipe() => return Ok(seen.status),
        checked => checked?,
    }
    for output in &outputs {
        output.write(&seen.rows)?;
    }
    let printed = match args.format {
        Form::Text => table::print(&seen.rows, out),
        Form::Csv => tables::csv_to(&verdicts::sorted(&seen.rows), &mut *out),
        Form::Json | Form::Parquet => Ok(()),
    };
    match printed.map_err(Error::Output) {
        Err(error) if !error.is_broken_pipe() => Err(error),
        _ => Ok(seen.status),
    }
}

/// The options and outputs that all inputs share.
struct Checker<'a> {
    args: &'a Args,
    reading: ingest::Options,
    models: Vec<Model>,
    store_order: Option<StoreOrder>,
    certificates: Option<Certificates>,
    /// Whether each verdict is printed with its reason, and not only the table.
    prints_each: bool,
}

impl Checker<'_> {
    /// Checks the histories of one input, and prints the verdicts. The result also reports an input that cannot be read and
    /// output that cannot be written, so that the verdicts before the error still count.
    fn check(&self, path: &Path, out: &mut dyn Write) -> InputResult {
        let input = load::open_or_empty(path, &self.reading);
        let mut run = InputCheck {
            checker: self,
            certificates: self.certificates.as_ref().map(|all| all.of(path)),
            printer: self.printer(),
            out,
            result: InputResult::default(),
            file: path.display().to_string(),
        };
        let done = input.map_err(Error::from).and_then(|input| run.file(&input));
        let written = match done {
            Err(Error::Output(error)) => Err(error),
            Err(error) => run.complain(&error),
            Ok(()) => Ok(()),
        };
        InputResult { unwritten: written.err(), ..run.result }
    }

    fn printer(&self) -> Box<dyn Printer> {
        match self.args.format {
            Form::Json => Box::new(json::Json),
            Form::Text if self.prints_each => printer(Format::Text),
            Form::Text | Form::Csv | Form::Parquet => Box::new(table::Silent),
        }
    }
}

/// The result of checking one input.
#[derive(Default)]
struct InputResult {
    status: Option<Status>,
    rows: Vec<VerdictRow>,
    /// Messages about the input or histories of it that could not be checked.
    errors: Vec<String>,
    /// The error that ended the output, if it could not be written.
    unwritten: Option<io::Error>,
}

/// One input in progress.
struct InputCheck<'a> {
    checker: &'a Checker<'a>,
    certificates: Option<FileCertificates<'a>>,
    printer: Box<dyn Printer>,
    out: &'a mut dyn Write,
    result: InputResult,
    /// The input, as the user names it.
    file: String,
}

impl InputCheck<'_> {
    /// Notes an error, so that it is reported after what was printed about the input.
    fn complain(&mut self, error: &Error) -> io::Result<()> {
        self.add(Status::Bad);
        let row = verdicts::unreadable(&self.file, &error.to_string());
        self.printer.unreadable(&row, self.out)?;
        self.result.rows.push(row);
        self.result.errors.push(error.to_string());
        Ok(())
    }

    fn add(&mut self, status: Status) {
        self.result.status = Some(self.result.status.map_or(status, |known| known.and(status)));
    }

    /// Adds the row of a verdict.
    fn note(&mut self, decided: &HistoryVerdict<'_>) {
        let HistoryVerdict {
            input, history, model, algorithm, outcome, seconds, certificate, ..
        } = decided;
        let row = verdicts::row(input, history, *model, *algorithm, outcome, *seconds);
        let certificate = certificate.as_ref().map(|written| written.path.display().to_string());
        self.result.rows.push(VerdictRow { certificate, ..row });
    }

    fn file(&mut self, input: &Input) -> Result<(), Error> {
        let store_order = match &self.checker.store_order {
            Some(order) => Some(order.of(input)?),
            None => None,
        };
        // It depends on all histories, so asking again for each would cost the square of their number.
        let ambiguity = self.checker.args.ambiguity(input);
        let mut decided_any = false;
        for history in &input.histories {
            match ReadsFrom::derive(history, ambiguity) {
                Ok(reads_from) => {
                    self.history(input, history, &reads_from, store_order.as_ref())?;
                    decided_any = true;
                }
                Err(twice) => {
                    self.crash(input, history)?;
                    self.complain(&Error::written_twice(&input.file, history, &twice))
                        .map_err(Error::Output)?;
                }
            }
        }
        if decided_any { self.printer.file(input, self.out).map_err(Error::Output) } else { Ok(()) }
    }

    /// The models to check. If the user names none, this is the model of the instruction set that made the history, if it is
    /// known and the algorithm applies to it.
    fn models_of(&self, history: &History) -> Vec<Model> {
        let own = history.provenance.isa.map(Model::of_isa);
        let Checker { args, models, .. } = self.checker;
        let own = own.filter(|&model| args.algorithm.applies_to(model));
        match own.filter(|_| args.names_no_model()) {
            Some(model) => vec![model],
            None => models.clone(),
        }
    }

    fn history(
        &mut self,
        input: &Input,
        history: &History,
        reads_from: &ReadsFrom,
        store_order: Option<&Vec<OpId>>,
    ) -> Result<(), Error> {
        self.crash(input, history)?;
        for model in self.models_of(history) {
            let Choice::One(algorithm) = self.checker.args.algorithm else {
                self.compare(input, history, reads_from, model)?;
                continue;
            };
            let options = self.checker.args.for_checking(algorithm, store_order);
            // The limits are those of all forms and cases of the history together.
            let bounds = Bounds::new(options.timeout, options.max_memory);
            let decided = Decided::by(history, reads_from, model, |history, reads_from| {
                check::check_within(history, reads_from, model, &options, &bounds)
            });
            let mut decided = decided.verdict(algorithm, input, model);
            self.certify(&mut decided)?;
            self.add(status(&decided.outcome.verdict));
            self.note(&decided);
            let printed = self.printer.verdict(&decided, self.out);
            printed.map_err(Error::Output)?;
        }
        Ok(())
    }

    /// Reports the crash of a run, which counts as a violation whatever completed before it.
    fn crash(&mut self, input: &Input, history: &History) -> Result<(), Error> {
        self.add(RunEnd::of(history, &input.ending).status());
        let printed = self.printer.crash(input, history, self.out);
        printed.map_err(Error::Output)
    }

    fn certify(&mut self, decided: &mut HistoryVerdict<'_>) -> Result<(), Error> {
        if let Some(certificates) = &mut self.certificates {
            decided.certificate = certificates.write(decided)?;
        }
        Ok(())
    }

    /// Runs every algorithm that applies to the model, and prints their verdicts side by side.
    fn compare(
        &mut self,
        input: &Input,
        history: &History,
        reads_from: &ReadsFrom,
        model: Model,
    ) -> Result<(), Error> {
        let applicable = Algorithm::ALL.into_iter();
        let applicable = applicable.filter(|algorithm| algorithm.applies_to(model));
        let decided = applicable.map(|algorithm| {
            let options = self.checker.args.for_checking(algorithm, None);
            let bounds = Bounds::new(options.timeout, options.max_memory);
            let decided = Decided::by(history, reads_from, model, |history, reads_from| {
                if algorithm == Algorithm::Stages {
                    return check::check_within(history, reads_from, model, &options, &bounds);
                }
                // `decide` runs the algorithm alone: it does not search for a proof that the algorithm does not give.
                check::decide(history, reads_from, model, &options, &bounds)
            });
            (algorithm, decided.accepted(model))
        });
        let decided: Vec<(Algorithm, Decided<'_>)> = decided.collect();
        let verdicts = decided.iter().map(|(algorithm, it)| it.verdict(*algorithm, input, model));
        let mut compared = Comparison { decided: verdicts.collect() };
        self.certify(&mut compared.decided[0])?;
        self.add(compared.status());
        compared.decided.iter().for_each(|decided| self.note(decided));
        let printed = self.printer.comparison(&compared, self.out);
        printed.map_err(Error::Output)?;
        match compared.disagreement() {
            Some(what) => self
                .complain(&Error::Disagreement { file: input.file.clone(), what })
                .map_err(Error::Output),
            None => Ok(()),
        }
    }
}

/// Checks the histories of an input with the engine's stages, and prints the verdicts as `rubric check` does. Returns the exit
/// status and the models that were violated.
///
/// # Errors
/// Returns an error if a value is written twice and it matters, or if `out` cannot be written.
pub fn report(
    input: &Input,
    models: &[Model],
    options: &check::Options,
    format: Format,
    out: &mut dyn Write,
) -> Result<(Status, Vec<Model>), Error> {
    let mut printer = printer(format);
    let (mut all, mut violated) = (Status::Done, Vec::new());
    for history in &input.histories {
        let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared)
            .map_err(|twice| Error::written_twice(&input.file, history, &twice))?;
        for &model in models {
            let decided = Decided::by(history, &reads_from, model, |history, reads_from| {
                check::check(history, reads_from, model, options)
            });
            let decided = decided.verdict(Algorithm::Stages, input, model);
            let found = status(&decided.outcome.verdict);
            all = all.and(found);
            violated.extend((found == Status::Violation).then_some(model));
            printer.verdict(&decided, out).map_err(Error::Output)?;
        }
    }
    printer.file(input, out).map_err(Error::Output)?;
    Ok((all, violated))
}

fn printer(format: Format) -> Box<dyn Printer> {
    match format {
        Format::Text => Box::new(text::Text::new(Paint::new(io::stdout().is_terminal()))),
        Format::Json => Box::new(json::Json),
    }
}

fn status(verdict: &Verdict) -> Status {
    match verdict {
        Verdict::Consistent(_) | Verdict::Satisfied => Status::Done,
        Verdict::Violation(_) | Verdict::Unproved | Verdict::CriterionViolation(_) => {
            Status::Violation
        }
        Verdict::Undecided(_) => Status::Undecided,
    }
}

/// A history with the verdict on it, and the time that the verdict took.
struct Decided<'h> {
    /// The history as it was read.
    whole: &'h History,
    settled: Settled<'h>,
    seconds: f64,
}

impl<'h> Decided<'h> {
    /// Decides a history with the function `by`, and measures the time that it takes.
    fn by(
        history: &'h History,
        reads_from: &ReadsFrom,
        model: Model,
        by: impl Fn(&History, &ReadsFrom) -> Outcome,
    ) -> Decided<'h> {
        let start = Instant::now();
        let settled = settle(history, reads_from, model, by);
        Decided { whole: history, settled, seconds: start.elapsed().as_secs_f64() }
    }

    /// The verdict, if it is no violation with a proof that the verifier refuses.
    fn accepted(self, model: Model) -> Decided<'h> {
        Decided { settled: self.settled.accepted(model), ..self }
    }

    fn verdict<'a>(
        &'a self,
        algorithm: Algorithm,
        input: &'a Input,
        model: Model,
    ) -> HistoryVerdict<'a> {
        let Settled { history, reads_from, outcome, cases } = &self.settled;
        let is_consistent = matches!(outcome.verdict, Verdict::Consistent(_));
        let unknown = assumptions::of_consistent(&history.provenance, model);
        let unknown = unknown.filter(|_| is_consistent);
        let caveats = unknown_reads(reads_from).into_iter().chain(unknown);
        let caveats = caveats.chain(cases.describe(self.whole));
        HistoryVerdict {
            input,
            history,
            reads_from,
            whole: self.whole,
            cases,
            model,
            algorithm,
            outcome: outcome.clone(),
            seconds: self.seconds,
            certificate: None,
            caveats: caveats.chain(about_isa(history, model)).collect(),
        }
    }
}

/// The caveat of a verdict on a history from an instruction set whose own model is weak and is not the model that was checked.
fn about_isa(history: &History, model: Model) -> Option<String> {
    let isa = history.provenance.isa?;
    let own = Model::of_isa(isa);
    if !own.is_weak() || model == own {
        return None;
    }
    let (isa, name) = (isa.title(), own.name());
    if model.is_weak() {
        return Some(format!(
            "this is about {model}; the model of {isa} is {own} (--model {name})"
        ));
    }
    Some(format!(
        "this is about {model}; the model of {isa}, {own}, is weaker (--model {name}): a run that {model} forbids may \
         be one that {isa} allows"
    ))
}

/// The caveat of reads whose source is not known, which constrain nothing.
fn unknown_reads(reads_from: &ReadsFrom) -> Option<String> {
    let reads = match reads_from.unknown() {
        0 => return None,
        1 => "1 read constrains".to_owned(),
        reads => format!("{reads} reads constrain"),
    };
    Some(format!(
        "{reads} nothing: the value is not shown, may have been written outside of the \
         history, or may be an initial value that is not known"
    ))
}
