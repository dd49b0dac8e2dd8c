//! `rubric check`: decides whether histories are consistent with memory models, and prints the verdicts in one of several
//! formats.

mod args;
mod certificates;
mod comparison;
pub(crate) mod json;
mod many;
mod markdown;
pub(crate) mod paint;
mod store_order;
mod table;
pub(crate) mod text;

use std::io::{self, Write};
use std::path::Path;

use check::{Algorithm, Answer, Model, Question, Verdict};
use history::{Ambiguity, History, OpId, ReadsFrom};

use crate::error::Error;
use crate::files;
use crate::options::Format;
use crate::status::Status;
pub(crate) use args::Args;
use args::{Choice, Form};
use certificates::{Certificates, FileCertificates, Written};
use comparison::Comparison;
use lab::ending::RunEnd;
use lab::load::{self, Input};
use lab::text::shown;
use lab::{inputs, verdicts};
use paint::paint;
use store_order::StoreOrder;
use tables::VerdictRow;

/// An answer about one history under one model.
struct Decided<'a> {
    input: &'a Input,
    answer: Answer<&'a History>,
    /// The certificate of the verdict.
    certificate: Option<Written>,
}

impl Decided<'_> {
    /// The file and the history, as they are shown.
    fn name(&self) -> String {
        shown(&self.input.file, self.answer.whole)
    }
}

/// Prints verdicts as they are found.
trait Printer {
    /// Called before the verdicts on a history: prints the crash of its run, if there was one.
    fn crash(&mut self, input: &Input, history: &History, out: &mut dyn Write) -> io::Result<()>;
    /// Prints one verdict.
    fn verdict(&mut self, decided: &Decided<'_>, out: &mut dyn Write) -> io::Result<()>;
    /// Called for an input that cannot be checked. The message goes to standard error as well.
    fn unreadable(&mut self, row: &VerdictRow, out: &mut dyn Write) -> io::Result<()>;
    /// Prints the verdicts of all algorithms on one history under one model; the first is that of the engine's stages.
    fn comparison(&mut self, compared: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()>;
    /// Called after the last history of a file.
    fn file(&mut self, input: &Input, out: &mut dyn Write) -> io::Result<()>;
}

/// Runs the command. If an input cannot be read, the remaining inputs are still checked.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
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
    fn note(&mut self, decided: &Decided<'_>) {
        let row = verdicts::row(decided.input, &decided.answer);
        let certificate = decided.certificate.as_ref();
        let certificate = certificate.map(|written| written.path.display().to_string());
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
            let answer = Question::new(model, &options).ask(history, reads_from);
            let mut decided = Decided { input, answer, certificate: None };
            self.certify(&mut decided)?;
            self.add(status(decided.answer.verdict()));
            self.note(&decided);
            let printed = self.printer.verdict(&decided, self.out);
            printed.map_err(Error::Output)?;
        }
        Ok(())
    }

    /// Reports the crash of a run, which counts as a violation whatever completed before it.
    fn crash(&mut self, input: &Input, history: &History) -> Result<(), Error> {
        self.add(RunEnd::of(history, &input.ending).outcome().into());
        let printed = self.printer.crash(input, history, self.out);
        printed.map_err(Error::Output)
    }

    fn certify(&mut self, decided: &mut Decided<'_>) -> Result<(), Error> {
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
        let applicable = papers::ALL.into_iter();
        let applicable = applicable.filter(|algorithm| algorithm.applies_to(model));
        let decided = applicable.map(|algorithm| {
            let options = self.checker.args.for_checking(algorithm, None);
            let question = Question::new(model, &options);
            // Alone, it does not search for a proof that the algorithm does not give.
            let question = if algorithm == Algorithm::Stages { question } else { question.alone() };
            let answer = question.ask(history, reads_from);
            Decided { input, answer, certificate: None }
        });
        let mut compared = Comparison { decided: decided.collect() };
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
pub(crate) fn report(
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
            let answer = Question::new(model, options).ask(history, &reads_from);
            let decided = Decided { input, answer, certificate: None };
            let found = status(decided.answer.verdict());
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
        Format::Text => Box::new(text::Text::new(paint())),
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
