//! `rubric explain`: a verdict as a picture, which [`report::explain`] makes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use check::Verdict;
use check::engine::proof::Violation;
use host::Paint;
use memory::machine::Step;
use report::explain::coherence::{self, Permission};
use report::explain::{self, DRAWN, words};
use report::page::explained;
use report::picture::{Picture, dot, svg};
use report::sequence::crashed;

use crate::check::paint::paint;
use crate::ending;
use crate::error::{Error, tell};
use crate::files;
use crate::question::{Answer, Question};
use crate::sequence::{self, Form};
use crate::status::Status;
use lab::ending::RunEnd;
use lab::load::Input;
use lab::protocols::core_permissions;
use lab::text::capitalized;
use lab::text::{self, named, tame};

/// Show why a history violates a model, or the order that explains it, as a picture
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric explain trace.gz -o why.svg
  rubric explain --model tso m5out -o why.html
  rubric explain tests.axe --history test7 -o - --to dot | dot -Tpdf > why.pdf
  rubric explain trace.gz
  rubric explain m5out --chart crash.svg

Each thread is a column, time goes down (operations are ordered by the first tick that they show: a store in
a store buffer by the tick at which it was issued), and only the operations of the proof are drawn, each
with its trace line. Arrows: po program order, rf reads-from, co coherence order, fr from-reads (a read of a
value that is overwritten). A letter stands for the reason of an inferred edge, listed below the picture and
in HTML behind a line that opens. If the trace has controller transitions, the states of the violation's
cache lines are shown; a row stands for those that are left out between two others. Of a consistent history
the memory order is shown, drawn if it is short. Of a crashed run the last transitions and messages for the
crash address are shown, and the controllers that are busy with the lines of outstanding requests; --chart
draws these transitions and messages as a message-sequence chart.

Without -o the explanation is printed as text.

Exit status: 1 for a violation or a run that crashed, 0 if the history is consistent, 3 undecided, 2 bad usage
or input.")]
pub(crate) struct Args {
    #[command(flatten)]
    question: Question,

    /// File to write: a name ending in .svg, .html, .dot or .txt, or `-` with --to
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Format to write [default: as the name of the file says]
    #[arg(long, value_name = "FORMAT", requires = "output")]
    to: Option<Format>,

    /// If the run crashed, draw the last transitions and messages for the line as a message-sequence chart: a name ending in
    /// .svg, .html or .txt
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
}

/// The formats of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Drawing
    Svg,
    /// Page
    Html,
    /// Graph for Graphviz
    Dot,
    /// What is printed without -o
    Text,
}

/// An explanation: pictures, or only text for a verdict without pictures.
struct Shown {
    /// The pictures, the main one first.
    pictures: Vec<Picture>,
    /// The explanation in words.
    words: String,
    /// The reason why the picture cannot be drawn, if it is only a list.
    too_large: Option<String>,
}

impl Args {
    /// The arguments to draw the history in question.
    pub(crate) fn of(question: Question, output: &Path) -> Args {
        Args { question, output: Some(output.to_owned()), to: None, chart: None }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    // An output that cannot be written is reported before the work is done.
    let format = args.output.as_deref().map(|path| format(path, args.to)).transpose()?;
    let form = args.chart.as_deref().map(|path| Form::of("--chart", path)).transpose()?;
    args.question.spare(args.output.iter().chain(&args.chart))?;
    let input = args.question.open(true)?;
    if let (Some(path), Some(form)) = (&args.chart, form) {
        draw(&input, path, form)?;
    }
    let answer = match args.question.ask(&input) {
        Ok(answer) => answer,
        Err(error) => {
            // How the run crashed can be shown even if its operations cannot be checked.
            show_crash(args, &input, format, out)?;
            return Err(error);
        }
    };
    let name = text::shown(&input.file, answer.whole);
    let headline = answer.headline(&name);
    let end = RunEnd::of(answer.whole, &input.ending);
    let (mut shown, status) = match answer.verdict() {
        Verdict::Violation(violation) => {
            (Shown::violation(&input, &answer, violation), Status::Violation)
        }
        Verdict::Consistent(steps) => (Shown::consistent(&input, &answer, steps), Status::Done),
        Verdict::Undecided(reason) => {
            (Shown::words(&reason.describe(answer.history())), Status::Undecided)
        }
        _ => (
            Shown::words("there is no run, but no proof was found in time: raise --timeout"),
            Status::Violation,
        ),
    };
    for caveat in answer.caveats() {
        shown.words += &format!("  note: {caveat}\n");
        shown.pictures.iter_mut().for_each(|picture| picture.notes.push(caveat.clone()));
    }
    shown.end(&input, &answer, &end);
    let print = |paint: Paint, out: &mut dyn Write| {
        end.write(&name, paint, out)?;
        let headline = headline.painted(|word| paint.verdict(headline.word, word));
        write!(out, "{headline}\n{}", shown.words)
    };
    let crashed = end.headline(&name).map(|crashed| format!("{crashed}\n"));
    let title = format!("{}{headline}", crashed.unwrap_or_default());
    match (&args.output, format) {
        (Some(path), Some(Format::Text)) => write_text(path, print, &title, out)?,
        (Some(path), Some(format)) if !shown.pictures.is_empty() => {
            write(&shown, path, format, &title, out)?;
        }
        (path, _) => {
            print(paint(), out).map_err(Error::Output)?;
            if let Some(path) = path {
                tell(format_args!("nothing to draw: {} was not written", path.display()));
            }
        }
    }
    Ok(status.and(end.outcome().into()))
}

/// Writes text to a file, without colours, and says so; `-` is standard output.
fn write_text(
    path: &Path,
    print: impl FnOnce(Paint, &mut dyn Write) -> io::Result<()>,
    headline: &str,
    out: &mut dyn Write,
) -> Result<(), Error> {
    if path == Path::new("-") {
        return print(paint(), out).map_err(Error::Output);
    }
    files::create(path, |file| print(Paint::new(false), file).map_err(Error::Output))?;
    writeln!(out, "{headline}\nwritten: {}", path.display()).map_err(Error::Output)
}

/// Draws the last steps before a crash, and says on standard error that it did, or that there is nothing to draw.
fn draw(input: &Input, path: &Path, form: Form) -> Result<(), Error> {
    let crash = input.histories.iter().find_map(|history| history.provenance.crash.as_ref());
    let name = tame(&file_name(input));
    match crash.and_then(|crash| crashed(&name, crash, &input.ending)) {
        Some(chart) => {
            sequence::write(&chart, path, form)?;
            tell(format_args!("written: {}", path.display()));
        }
        None => {
            let why = match crash {
                Some(_) => "the trace shows no steps before the crash",
                None if input.ending.unexplained.is_none() => "the input shows no crash of its run",
                None => {
                    "the input has no message of a crash. gem5 writes it to standard error: give the folder with the trace and simerr"
                }
            };
            tell(format_args!("nothing to draw: {} was not written, since {why}", path.display()));
        }
    }
    Ok(())
}

/// Shows the crash of a run that cannot be checked, if there was one.
fn show_crash(
    args: &Args,
    input: &Input,
    format: Option<Format>,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut histories = input.histories.iter();
    let Some(history) = histories.find(|history| history.provenance.crash.is_some()) else {
        return Ok(());
    };
    let end = RunEnd::of(history, &input.ending);
    let headline = format!("{} crashed", input.file);
    let print = |paint: Paint, out: &mut dyn Write| end.write(&input.file, paint, out);
    let (path, format) = match (&args.output, format) {
        (Some(path), Some(Format::Text)) => return write_text(path, print, &headline, out),
        (Some(path), Some(format)) => (path, format),
        _ => return print(paint(), out).map_err(Error::Output),
    };
    let shown = Shown {
        pictures: vec![ending::picture(
            &end,
            end.crash.map_or(headline.clone(), |crash| tame(&crash.finding())),
            vec![format!("{} crashed.", tame(&file_name(input)))],
        )],
        words: String::new(),
        too_large: None,
    };
    write(&shown, path, format, &headline, out)
}

impl Shown {
    /// A verdict without a picture.
    fn words(reason: &str) -> Shown {
        Shown { pictures: Vec::new(), words: format!("  {reason}\n"), too_large: None }
    }

    /// Pictures of a violation, and the same in words.
    fn violation(input: &Input, answer: &Answer<'_>, violation: &Violation) -> Shown {
        let history = answer.history();
        let permissions = core_permissions(history.provenance.protocol.as_deref());
        let pictures = explain::violation(
            history,
            &answer.reads_from,
            answer.model,
            violation,
            &input.transitions,
            &|machine, state| Permission::from_name(&permissions(machine, state)?),
            &title(input, answer),
        );
        let mut words = words::explanation(history, violation);
        if let Some(picture) = pictures.first() {
            words += &coherence::words(&picture.lines);
            for note in &picture.notes {
                words += &format!("  note: {note}\n");
            }
        }
        Shown { pictures, words, too_large: None }
    }

    /// The memory order that explains a consistent history.
    fn consistent(input: &Input, answer: &Answer<'_>, steps: &[Step]) -> Shown {
        let history = answer.history();
        let words = words::memory_order(history, steps);
        let drawn = explain::listed(history, steps).len();
        let too_large = (drawn > DRAWN).then(|| {
            format!(
                "{}: a memory order of {} steps is too long to draw (more than {DRAWN}): write .html, which has a timeline and lists it, or take a part of the \
                 trace with --addresses, --from-tick and --to-tick",
                input.file, drawn
            )
        });
        let title = title(input, answer);
        Shown {
            pictures: vec![explain::consistent(history, &answer.reads_from, steps, title)],
            words,
            too_large,
        }
    }

    /// Adds how the run ended to the picture. If it crashed and there is no violation, the crash replaces the picture.
    fn end(&mut self, input: &Input, answer: &Answer<'_>, end: &RunEnd<'_>) {
        let is_violation = answer.violation().is_some();
        match (end.crash, self.pictures.first_mut()) {
            (Some(crash), _) if !is_violation => {
                let file = shown_name(input, answer);
                let lead = vec![
                    format!("{file} crashed: {}.", tame(&crash.headline())),
                    completed(answer),
                ];
                self.pictures = vec![ending::picture(end, tame(&crash.finding()), lead)];
                self.too_large = None;
            }
            (crash, Some(picture)) => {
                let crash = crash.map(|crash| format!("The run crashed: {}.", crash.headline()));
                picture.lead.extend(crash);
                ending::add_to(end, picture);
            }
            (_, None) => {}
        }
        if end.crash.is_none() {
            self.words += &worded(|out| end.write_waiting(out));
        }
    }
}

/// The verdict on the operations that completed before a crash, as a sentence.
fn completed(answer: &Answer<'_>) -> String {
    let (operations, model) = (answer.history().operations(), answer.model);
    let (which, are, violate) = if operations == 1 {
        ("the operation".to_owned(), "is", "violates")
    } else {
        (format!("the {operations} operations"), "are", "violate")
    };
    capitalized(&match answer.verdict() {
        Verdict::Consistent(_) => {
            format!("{which} that completed before {are} consistent with {model}.")
        }
        Verdict::Undecided(reason) => format!(
            "whether {which} that completed before {are} consistent with {model} is undecided: {}.",
            reason.describe(answer.history())
        ),
        _ => format!("{which} that completed before {violate} {model}."),
    })
}

fn format(path: &Path, to: Option<Format>) -> Result<Format, Error> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let by_name = match extension {
        Some("svg") => Some(Format::Svg),
        Some("html" | "htm") => Some(Format::Html),
        Some("dot" | "gv") => Some(Format::Dot),
        Some("txt") => Some(Format::Text),
        _ => None,
    };
    to.or(by_name).ok_or_else(|| {
        Error::Usage(format!(
            "{}: a name that ends in .svg, .html, .dot or .txt was expected; or add --to. For a PNG, convert the SVG, for a PDF, \
             print the HTML from a browser",
            path.display()
        ))
    })
}

/// Writes the pictures. The verdict and the name of the file go to standard output.
fn write(
    shown: &Shown,
    path: &Path,
    format: Format,
    headline: &str,
    out: &mut dyn Write,
) -> Result<(), Error> {
    if let (Some(why), Format::Svg | Format::Dot) = (&shown.too_large, format) {
        return Err(Error::Usage(why.clone()));
    }
    let Some(first) = shown.pictures.first() else {
        return Ok(());
    };
    let text = match format {
        Format::Svg => svg(&alone(first, shown.pictures.len())),
        Format::Dot => dot(&alone(first, shown.pictures.len())),
        Format::Html => explained(&shown.pictures),
        Format::Text => shown.words.clone(),
    };
    if path == Path::new("-") {
        return out.write_all(text.as_bytes()).map_err(Error::Output);
    }
    files::create(path, |file| file.write_all(text.as_bytes()).map_err(Error::Output))?;
    writeln!(out, "{headline}\nwritten: {}", path.display()).map_err(Error::Output)
}

/// The first of several pictures, with a note that HTML shows the others.
fn alone(picture: &Picture, count: usize) -> Picture {
    let mut picture = picture.clone();
    match count - 1 {
        0 => {}
        1 => picture.notes.push("The proof has another case, which HTML shows.".to_owned()),
        others => {
            picture.notes.push(format!("The proof has {others} more cases, which HTML shows."))
        }
    }
    picture
}

/// The title of pictures of a verdict.
fn title(input: &Input, answer: &Answer<'_>) -> String {
    let what = match answer.verdict().word() {
        "violation" => "violates",
        _ => "is consistent with",
    };
    let name = shown_name(input, answer);
    format!("{name} {what} {}", answer.model)
}

/// The file and the history, as pictures name them.
fn shown_name(input: &Input, answer: &Answer<'_>) -> String {
    tame(&named(&file_name(input), answer.whole))
}

/// The name of the file, without its folder.
fn file_name(input: &Input) -> String {
    let file = Path::new(&input.file).file_name();
    file.map_or(input.file.clone(), |name| name.to_string_lossy().into_owned())
}

/// Collects what a function writes.
fn worded(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = write(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}
