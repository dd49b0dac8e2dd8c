//! `rubric shrink`: finds the smallest part of a history that still violates a model.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use check::engine::proof::Violation;
use check::shrink::{LitmusShape, litmus_shape};
use check::shrink::{Shrunk, Size, shrink};
use check::{Bounds, Model, Verdict};
use history::{Ambiguity, Isa, ReadsFrom};
use ingest::{WriteError, axe, litmus};
use schemars::JsonSchema;
use serde::Serialize;

use crate::check::paint::paint;
use crate::convert;
use crate::error::Error;
use crate::json;
use crate::options::Format;
use crate::question::{Answer, Question};
use crate::status::Status;
use crate::{files, interrupt, progress, words};
use lab::ending::json::EndJson;
use lab::ending::{self, RunEnd};
use lab::load::Input;
use lab::save::{self, Format as FileFormat};
use lab::text::{counted, shown};
use report::explain::words as proofs;
use report::explain::{reasoning, why};

/// Find the smallest part of a history that still violates a model
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric shrink trace.gz
  rubric shrink --model tso trace.gz -o small.axe -o small.litmus
  rubric shrink tests.axe --history test7 --timeout 10 --format json

Operations are left out as long as what remains violates the model, threads and locations before
others: of what is left none can go. Leaving out a write leaves out its readers. Each operation keeps its
thread, address, values and trace line. If the time passes, or at Ctrl-C, the smallest part so far is
shown and written.

Files end in .axe, .json, .jsonl, .parquet, or .litmus: a test for herd and `rubric litmus` with the forbidden
outcome, its threads, locations and values numbered. In axe text they are numbered if they are too large for
the Axe checker, and comments say what they were; ticks are left out, as is what else some versions do not read.

JSON is one object: `file`, `history`, `model`, `verdict`, `reason` (of `undecided`), `threads`, `locations`,
`operations` (of the whole), `seconds`, and for a violation `shrunk`: `threads`, `locations`, `operations` (each as `rubric check`
has them), `shape` (the litmus test that it is, if known), `minimal`, `trials`, `seconds`, `files`.

Exit status: 1 for a violation, 0 if the history is consistent, 3 undecided, 2 bad usage or input.")]
pub(crate) struct Args {
    #[command(flatten)]
    question: Question,

    /// Write the part to this file; may be given several times
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Instruction set of a test that is written [default: that of the trace, or the first of x86, AArch64 and RISC-V that can express it]
    #[arg(long, value_name = "ISA", value_parser = words::one_of(&Isa::ALL, Isa::name))]
    arch: Option<Isa>,

    /// Form of the results on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// The kind of a file to write.
#[derive(Clone, Copy)]
enum Output {
    History(FileFormat),
    Axe,
    Litmus,
}

/// A violating part of the history, and how it was found.
struct Found {
    part: Shrunk,
    shape: Option<LitmusShape>,
    seconds: f64,
    /// The files that were written.
    written: Vec<String>,
}

/// What `rubric shrink --format json` prints: one object.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    /// The file or pipe that the history was read from, as it was given.
    file: &'a str,
    /// The name of the history in the file.
    history: Option<&'a str>,
    /// The name of the memory model, such as `tso`.
    model: &'a str,
    /// The verdict on the whole history.
    #[schemars(extend("enum" = ["consistent", "violation", "undecided"]))]
    verdict: &'a str,
    /// Why the history is undecided.
    reason: Option<String>,
    /// The number of threads of the whole history.
    threads: usize,
    /// The number of its locations.
    locations: usize,
    /// The number of its operations.
    operations: usize,
    /// Seconds that deciding it took.
    seconds: f64,
    /// The smallest part that violates the model; `None` if there is nothing to shrink.
    shrunk: Option<Part<'a>>,
    #[serde(flatten)]
    end: EndJson<'a>,
}

/// A part of a history.
#[derive(Serialize, JsonSchema)]
struct Part<'a> {
    /// The number of threads.
    threads: usize,
    /// The number of locations.
    locations: usize,
    /// The operations, with their threads and indices in the whole history.
    operations: Vec<reasoning::Event>,
    /// The name of the litmus test that the part is.
    shape: Option<&'static str>,
    /// Whether no operation can be left out. A limit may have come first.
    minimal: bool,
    /// The number of parts that were tried.
    trials: u64,
    /// Seconds that shrinking took.
    seconds: f64,
    /// The files that were written.
    files: &'a [String],
}

impl Args {
    /// The arguments to shrink the history in question and write the part.
    pub(crate) fn of(question: Question, output: &Path) -> Args {
        Args { question, output: vec![output.to_owned()], arch: None, format: Format::Text }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    // An output that cannot be written is reported before the work is done.
    let outputs: Result<Vec<Output>, Error> = args.output.iter().map(|path| output(path)).collect();
    let outputs = outputs?;
    args.question.spare(&args.output)?;
    let begun = Instant::now();
    let input = args.question.open(false)?;
    let answer = args.question.ask(&input)?;
    let found = answer.violation().and_then(|violation| shrunk(args, &answer, violation, begun));
    let Some(mut found) = found else {
        return unshrunk(args, &input, &answer, out);
    };
    let mut failed = None;
    for (path, output) in args.output.iter().zip(outputs) {
        match write(args, &input, &answer, &found, path, output, out) {
            Ok(()) => found.written.push(path.display().to_string()),
            // Another format may be able to express the part, so the remaining files are still written.
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    let printed = match args.format {
        Format::Text => print_text(&input, &answer, &found, out),
        Format::Json => print_json(&input, &answer, Some(&found), out),
    };
    printed.map_err(Error::Output)?;
    match failed {
        Some(error) => Err(error),
        None => Ok(Status::Violation),
    }
}

fn output(path: &Path) -> Result<Output, Error> {
    match path.extension().and_then(|it| it.to_str()) {
        Some("litmus") => Ok(Output::Litmus),
        Some("axe") => Ok(Output::Axe),
        _ => save::by_name(path).map(Output::History).ok_or_else(|| {
            Error::Usage(format!(
                "{}: a name that ends in {} was expected",
                path.display(),
                save::extensions()
            ))
        }),
    }
}

/// Shrinks the history within the rest of the time limit.
fn shrunk(
    args: &Args,
    answer: &Answer<'_>,
    violation: &Violation,
    begun: Instant,
) -> Option<Found> {
    let question = &args.question;
    let left = question.limits.timeout.map(|time| time.saturating_sub(begun.elapsed()));
    let bounds =
        Bounds::new(left, Some(question.limits.max_memory)).or_interrupted(interrupt::gracefully());
    let line = progress::spinner("shrinking".to_owned(), question.options.quiet);
    let shrinking = Instant::now();
    let part = shrink(
        answer.history(),
        &answer.reads_from,
        answer.model,
        violation,
        &bounds,
        &mut |size| {
            line.set_message(sized(size));
        },
    );
    line.finish_and_clear();
    let mut part = part?;
    let name = answer.whole.name.as_deref().map_or(String::new(), |name| format!(" of {name}"));
    part.history.name = Some(format!("a part{name} that violates {}", answer.model));
    Some(Found {
        shape: litmus_shape(&part.history, &part.violation),
        part,
        seconds: shrinking.elapsed().as_secs_f64(),
        written: Vec::new(),
    })
}

/// Prints why there is no part: there is no violation, or no operation takes part in it.
fn unshrunk(
    args: &Args,
    input: &Input,
    answer: &Answer<'_>,
    out: &mut dyn Write,
) -> Result<Status, Error> {
    let status = match answer.verdict() {
        Verdict::Undecided(_) => Status::Undecided,
        Verdict::Violation(_) | Verdict::Unproved => Status::Violation,
        _ => Status::Done,
    };
    if args.format == Format::Json {
        print_json(input, answer, None, out).map_err(Error::Output)?;
        return Ok(status);
    }
    let why = match answer.verdict() {
        Verdict::Undecided(reason) => format!("  {}\n", reason.describe(answer.history())),
        Verdict::Violation(violation) => {
            let why = proofs::explanation(answer.history(), violation);
            format!(
                "{why}  no operation takes part in that: there is nothing to shrink, and no file is written\n"
            )
        }
        Verdict::Unproved => {
            "  there is no run, but no proof was found in time: raise --timeout\n".to_owned()
        }
        _ => "  nothing to shrink\n".to_owned(),
    };
    let name = shown(&input.file, answer.whole);
    write!(out, "{}\n{why}", answer.headline(&name)).map_err(Error::Output)?;
    notes(answer, out).map_err(Error::Output)?;
    Ok(status)
}

/// Prints how the run ended, and the limits of the answer.
fn notes(answer: &Answer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut notes = ending::note(answer.whole).into_iter().chain(answer.caveats());
    notes.try_for_each(|note| writeln!(out, "  note: {note}"))
}

fn write(
    args: &Args,
    input: &Input,
    answer: &Answer<'_>,
    found: &Found,
    path: &Path,
    output: Output,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let history = &found.part.history;
    match output {
        Output::Axe => files::create(path, |mut file| {
            axe::write_small(history, &mut file).map_err(|error| match error {
                WriteError::Io(error) => Error::Output(error),
                error => Error::Usage(format!("{}: {error}", path.display())),
            })
        }),
        Output::History(format) => {
            let part = Input::of(&input.file, input.format, vec![history.clone()]);
            convert::write_to(&part, path, format, out)
        }
        Output::Litmus => files::create(path, |mut file| {
            let shape = found.shape.map_or("part", |shape| shape.name);
            let model = answer.model;
            let isa = save::architecture(history, args.arch);
            let remark = if isa == Isa::X86 { beyond_x86(found) } else { "" };
            let about = format!(
                "{}: {model} forbids this outcome{remark}",
                shown(&input.file, answer.whole)
            );
            litmus::write(history, shape, &about, isa, &mut file).map_err(|error| match error {
                WriteError::Io(error) => Error::Output(error),
                error => Error::Usage(format!("{}: {error}", path.display())),
            })
        }),
    }
}

/// A remark for a test whose outcome TSO allows, so that herd's model of x86 does too.
fn beyond_x86(found: &Found) -> &'static str {
    let history = &found.part.history;
    let Ok(reads_from) = ReadsFrom::derive(history, Ambiguity::Keep) else {
        return "";
    };
    let checked = check::check(history, &reads_from, Model::TSO, &check::Options::default());
    match checked.verdict {
        Verdict::Consistent(_) => ", which TSO and x86 allow",
        _ => "",
    }
}

/// The size of a part in words: `4 operations, 2 threads, 2 locations`
fn sized(size: Size) -> String {
    let Size { operations, threads, locations } = size;
    [counted(operations, "operation"), counted(threads, "thread"), counted(locations, "location")]
        .join(", ")
}

fn print_text(
    input: &Input,
    answer: &Answer<'_>,
    found: &Found,
    out: &mut dyn Write,
) -> io::Result<()> {
    let paint = paint();
    let whole = answer.history();
    let name = shown(&input.file, whole);
    let headline = answer.headline(&name);
    writeln!(out, "{}", headline.painted(|word| paint.verdict(headline.word, word)))?;
    let shape =
        found.shape.map_or(String::new(), |shape| format!(": {} ({})", shape.name, shape.meaning));
    let part = &found.part;
    writeln!(
        out,
        "shrunk to {}{shape}  ({} parts decided, {:.3} s)",
        sized(Size::of(&part.history)),
        part.trials,
        found.seconds
    )?;
    if !part.is_minimal {
        let why = if interrupt::asked() {
            "interrupted"
        } else {
            "a limit was met (--timeout, --max-memory)"
        };
        writeln!(out, "  {}", paint.unsure(&format!("{why}: more might go")))?;
    }
    let mut last = None;
    for &op in part.kept.iter().filter(|&&op| !whole.is_further_part(op)) {
        let thread = whole.operation(op).thread;
        if last.is_some_and(|it| it != thread) {
            writeln!(out)?;
        }
        last = Some(thread);
        writeln!(out, "  {}", why::access(whole, op))?;
    }
    write!(out, "{}", proofs::explanation(whole, &part.violation_in(whole)))?;
    notes(answer, out)?;
    for path in &found.written {
        writeln!(out, "written: {path}")?;
    }
    Ok(())
}

fn print_json(
    input: &Input,
    answer: &Answer<'_>,
    found: Option<&Found>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (whole, size) = (answer.history(), Size::of(answer.history()));
    let shrunk = found.map(|found| {
        let part = &found.part;
        let size = Size::of(&part.history);
        let accesses = part.kept.iter().filter(|&&op| !whole.is_further_part(op));
        Part {
            threads: size.threads,
            locations: size.locations,
            operations: accesses.map(|&op| reasoning::access(whole, op)).collect(),
            shape: found.shape.map(|shape| shape.name),
            minimal: part.is_minimal,
            trials: part.trials,
            seconds: found.seconds,
            files: &found.written,
        }
    });
    let reason = answer.undecided().map(|reason| reason.describe(whole));
    let document = Document {
        file: &input.file,
        history: whole.name.as_deref(),
        model: answer.model.name(),
        verdict: answer.verdict().word(),
        reason,
        threads: size.threads,
        locations: size.locations,
        operations: size.operations,
        seconds: answer.seconds,
        shrunk,
        end: RunEnd::of(whole, &input.ending).json(),
    };
    json::sorted_line(&document, out)
}
