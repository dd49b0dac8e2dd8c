//! `rubric prove`: proves protocols for any number of caches. The crate `prove` does the work.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ArgAction;
use lab::protocols::Opened;
use prove::{Answer, Certificate, MOST_PAIRS, Options, Problem, Progress, prove, verify};
use schemars::JsonSchema;
use serde::Serialize;
use simulate::stepper::{Order, StepperError};
use slicc::setting::Setting;

use crate::error::Error;
use crate::files;
use crate::json;
use crate::limits::Limits;
use crate::options::Format;
use crate::progress;
use crate::status::Status;
use crate::words;

/// The largest certificate that is read, in bytes.
const MOST_BYTES: u64 = 4 << 30;

/// Prove a coherence protocol right for any number of caches
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric prove MI_example
  rubric prove MI_example --certificate MI_example.proof
  rubric prove MI_example --check MI_example.proof
  rubric prove MI_example --mutant mi-dir-putx-not-written --format json

For any number of cores, each with a first-level cache, that load from and store to one line, it is proved that no cache
may write the line while another may read or write it, that a load returns a value that was the latest since it began,
and that the protocol does not fail (no event without a transition, no failed assertion). Deadlocks are looked for with up to 3
caches only. With one line, no line makes room for another.

Systems with 1, 2 and 3 caches are explored. For all larger ones, it is learnt what two caches may see of a run, with one
name for all other caches. docs/prove.md explains the method, and why it is a proof. The answer is one of:

  proved      for any number of caches
  refuted     a run of a small system is wrong; it is shown
  not proved  what pairs of caches may see does not exclude that something goes wrong, or the protocol does something that
              they do not show. The moves that lead there are shown, if there are any: the caches in them have other numbers
              in each move, and there need not be such a run

With --certificate a proof is written to a file, which --check verifies without learning anything.

JSON is one object; `rubric schema prove` describes it.

Exit status: 0 if it is proved or the certificate is right, 1 if it is refuted, 2 bad usage, protocol files or certificate,
3 if it is not proved.")]
pub(crate) struct Args {
    /// A built-in name or the path of a `.slicc` file
    #[arg(value_name = "PROTOCOL")]
    protocol: String,

    /// Put a fault into the protocol: a mutant from `rubric mutants list PROTOCOL`
    #[arg(long, value_name = "MUTANT")]
    mutant: Option<String>,

    /// Write the proof to a file
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    /// Verify a proof instead of looking for one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["certificate", "set", "by_buffers", "max_pairs"])]
    check: Option<PathBuf>,

    /// Which messages between two controllers keep their order: those between ordered `buffers`, or those on ordered virtual
    /// networks (`vnets`), one of whose buffers is ordered
    #[arg(long = "order", value_name = "buffers|vnets", default_value = "buffers", hide_possible_values = true,
        action = ArgAction::Set, value_parser = words::switch("buffers", "vnets"))]
    by_buffers: bool,

    /// Give a parameter of the protocol's machines a value, as in `rubric explore protocol`
    #[arg(long, value_name = "[MACHINE.]PARAMETER=VALUE", value_parser = clap::value_parser!(Setting))]
    set: Vec<Setting>,

    /// Give up when more pairs of caches' states are learnt
    #[arg(long, value_name = "N", default_value_t = MOST_PAIRS)]
    max_pairs: usize,

    #[command(flatten)]
    limits: Limits,

    /// Form of the result on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Print only errors on standard error
    #[arg(long, short)]
    quiet: bool,
}

/// The answer about a protocol.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Document {
    /// The protocol, as it was given.
    protocol: String,
    /// The mutant, if it is one.
    mutant: Option<String>,
    /// `proved`, `refuted` or `not proved`.
    outcome: &'static str,
    /// How long it took.
    seconds: f64,
    /// If it is proved: the number of pairs of caches' states.
    pairs: Option<usize>,
    /// If it is proved: whether the proof uses that the network keeps messages in order.
    uses_order: Option<bool>,
    /// If it is refuted: the number of caches.
    caches: Option<u32>,
    /// Unless it is proved: what is wrong, or why it is not proved.
    what: Option<String>,
    /// The moves that lead to what is wrong.
    steps: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    files::spare(&[PathBuf::from(&args.protocol)], &args.certificate)?;
    let opened = Opened::new(&args.protocol, args.mutant.as_deref())?;
    if let Some(path) = &args.check {
        return check(args, &opened, path, out);
    }
    let begun = Instant::now();
    let options = Options {
        order: if args.by_buffers { Order::Buffers } else { Order::VirtualNetworks },
        settings: args.set.clone(),
        bounds: args.limits.bounds(),
        pairs: args.max_pairs,
    };
    let line = progress::spinner(args.protocol.clone(), args.quiet);
    let answer = prove(&opened.protocol, &options, &mut |progress| {
        line.set_message(match progress {
            Progress::Exploring(caches) => format!("exploring {caches} caches"),
            Progress::Learning(done, all) => format!("{done} of {all} pairs"),
            Progress::Verifying(pairs) => format!("verifying {pairs} pairs"),
        });
    });
    line.finish_and_clear();
    let answer = answer.map_err(|error| refused(&args.protocol, &error))?;
    if let (Some(path), Answer::Proved(certificate)) = (&args.certificate, &answer) {
        write(certificate, path)?;
    }
    let mut document = document(&answer);
    document.protocol = args.protocol.clone();
    document.mutant = args.mutant.clone();
    document.seconds = begun.elapsed().as_secs_f64();
    match args.format {
        Format::Text => text(&document, out),
        Format::Json => json::line(&document, out),
    }
    .map_err(Error::Output)?;
    Ok(match answer {
        Answer::Proved(_) => Status::Done,
        Answer::Refuted(_) => Status::Violation,
        Answer::NotProved(_) => Status::Undecided,
    })
}

/// A protocol that cannot be explored.
fn refused(given: &str, error: &StepperError) -> Error {
    let why = match error {
        StepperError::Setup(error) => error.to_string(),
        StepperError::Protocol(_) | StepperError::Plan(_) => {
            format!("it cannot be explored; `rubric explore protocol {given}` says why")
        }
    };
    Error::Usage(format!("{given}: {why}"))
}

fn document(answer: &Answer) -> Document {
    match answer {
        Answer::Proved(certificate) => Document {
            outcome: "proved",
            pairs: Some(certificate.pairs.len()),
            uses_order: Some(certificate.uses_order),
            ..Document::default()
        },
        Answer::Refuted(refutation) => Document {
            outcome: "refuted",
            caches: Some(refutation.caches),
            what: Some(refutation.violation.sentence()),
            steps: refutation.violation.steps.iter().map(|step| step.happens.clone()).collect(),
            ..Document::default()
        },
        Answer::NotProved(problem) => Document {
            outcome: "not proved",
            what: Some(problem.to_string()),
            steps: match problem {
                Problem::Run(run) => run.steps.clone(),
                _ => Vec::new(),
            },
            ..Document::default()
        },
    }
}

fn text(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let Document { protocol, mutant, outcome, seconds, .. } = document;
    let mutant = mutant.as_ref().map_or(String::new(), |name| format!(" with {name}"));
    write!(out, "{protocol}{mutant}: {outcome}")?;
    if let Some(pairs) = document.pairs {
        let order =
            if document.uses_order == Some(true) { "" } else { ", without the order of messages" };
        writeln!(
            out,
            " for any number of caches ({pairs} pairs of caches' states{order}, {seconds:.1} s)"
        )?;
    }
    if let Some(caches) = document.caches {
        write!(out, " with {caches} cache{}", if caches == 1 { "" } else { "s" })?;
    }
    if let Some(what) = &document.what {
        writeln!(out, ": {what}")?;
    }
    document
        .steps
        .iter()
        .enumerate()
        .try_for_each(|(at, step)| writeln!(out, "  {}. {step}", at + 1))
}

fn write(certificate: &Certificate, path: &Path) -> Result<(), Error> {
    files::create(path, |out| {
        out.write_all(certificate.text().as_bytes()).map_err(files::failed(path))
    })
}

/// What a certificate is about besides the protocol's files, in words: another network than the usual one, and settings.
fn assumed(certificate: &Certificate) -> String {
    let mut words = String::new();
    if certificate.order == Order::VirtualNetworks {
        words.push_str("; order by virtual networks");
    }
    for setting in &certificate.settings {
        words.push_str(&format!("; {setting}"));
    }
    words
}

/// Verifies a certificate.
fn check(args: &Args, opened: &Opened, path: &Path, out: &mut dyn Write) -> Result<Status, Error> {
    let file = path.display().to_string();
    let refused = |what: String| Error::Certificate { file: file.clone(), what };
    let text = host::inputs::read_text(path, MOST_BYTES).map_err(files::failed(path))?;
    let certificate = Certificate::read(&text).map_err(|error| refused(error.to_string()))?;
    args.limits.watch(file.clone());
    let moves =
        verify(&opened.protocol, &certificate).map_err(|error| refused(error.to_string()))?;
    writeln!(
        out,
        "verified: {} is right for 4 or more caches ({moves} moves of {} pairs checked{})",
        args.protocol,
        certificate.pairs.len(),
        assumed(&certificate)
    )
    .map_err(Error::Output)?;
    Ok(Status::Done)
}
