//! `rubric verify`: verifies that a certificate proves its claim about a history.

use std::ffi::OsStr;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use certify::certificate::{self, Certificate, Claim};
use certify::verify::{Verified, verify};
use clap::Parser;
use history::History;

use crate::error::Error;
use crate::files::failed;
use crate::limits::Limits;
use crate::options::TraceOptions;
use crate::status::Status;
use check::assumptions;
use lab::ending;
use lab::load;
use lab::text::{named, tame};

/// Check a certificate against the history it is about
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric check --model tso --certificate proofs trace.gz
  rubric verify trace.gz proofs/trace.gz.tso.cert

The history is read with the options that the certificate names; those given here come first. A
run of the operational machine is replayed, the memory order of a weak model is checked against its
axioms, the steps of a refutation are checked one by one; no
code of the engines takes part.

Exit status: 0 if the certificate proves its verdict, whichever that is; 2 if it does not; 3 if a limit was met
before that was known.")]
pub(crate) struct Args {
    /// The trace, or the file with the history
    history: PathBuf,

    /// The certificate that `rubric check --certificate` wrote
    certificate: PathBuf,

    #[command(flatten)]
    limits: Limits,

    #[command(flatten)]
    options: TraceOptions,
}

/// Reads options from a certificate's header.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Header {
    #[command(flatten)]
    options: TraceOptions,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let file = args.certificate.display().to_string();
    args.limits.watch(tame(&file));
    let certificate = read(&args.certificate, &file)?;
    let options = options(args, &certificate, &file)?;
    let reading = options.for_reading()?;
    let input = load::open(&args.history, &reading)?;
    let history = pick(&input.histories, &certificate).ok_or_else(|| Error::Certificate {
        file: file.clone(),
        what: format!(
            "it is for {}, and none of the {} histories of {} is that one; verify it with the file that it is for",
            claimed(&certificate.claim),
            input.histories.len(),
            input.file
        ),
    })?;
    let verified = verify(history, &certificate).map_err(|rejection| {
        let other = other_history(&certificate.claim, history, &input.file, &reading);
        Error::Certificate { file, what: other.unwrap_or_else(|| rejection.to_string()) }
    })?;
    let model = certificate.claim.model;
    let name = named(&input.file, history);
    match verified {
        Verified::Consistent { steps } => writeln!(
            out,
            "verified: {name} is consistent with {model} ({})",
            if model.is_weak() {
                format!("a memory order of {steps} accesses checked")
            } else {
                format!("a run of {steps} steps replayed")
            }
        ),
        Verified::Violation { steps } => {
            writeln!(out, "verified: {name} violates {model} (a proof of {steps} steps checked)")
        }
        Verified::CriterionViolation { criterion, steps } => writeln!(
            out,
            "verified: {name} does not satisfy {}, and so violates {model} (a proof of {steps} \
             steps checked)",
            criterion.name()
        ),
    }
    .and_then(|()| conditions(history, &reading, out))
    .map_err(Error::Output)?;
    Ok(Status::Done)
}

/// Prints the options and assumptions under which the verdict holds.
fn conditions(
    history: &History,
    options: &ingest::Options,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let arguments = load::arguments(options);
    if !arguments.is_empty() {
        writeln!(out, "  note: the history was read with {arguments}")?;
    }
    for assumption in ending::note(history).into_iter().chain(assumptions::of(&history.provenance))
    {
        writeln!(out, "  note: {assumption}")?;
    }
    Ok(())
}

fn read(path: &Path, file: &str) -> Result<Certificate, Error> {
    let text = host::inputs::open(path).map_err(failed(path))?;
    certificate::read(BufReader::new(text))
        .map_err(|error| Error::Certificate { file: file.to_owned(), what: error.to_string() })
}

/// The user's options; those that the user does not give are taken from the certificate.
fn options(args: &Args, certificate: &Certificate, file: &str) -> Result<TraceOptions, Error> {
    if certificate.claim.initial == "given" && args.options.initial.is_none() {
        return Err(Error::Usage(format!(
            "{file}: was made with a file of initial values: give it with --initial FILE"
        )));
    }
    let words = certificate.claim.options.split_ascii_whitespace();
    Header::try_parse_from(words)
        .ok()
        // A certificate must not name other files.
        .filter(|header| matches!(header.options.initial.as_deref(), None | Some("zero" | "infer")))
        .map(|header| args.options.or(&header.options))
        .ok_or_else(|| Error::Certificate {
            file: file.to_owned(),
            what: format!(
                "its header has the options `{}`, which a certificate cannot have",
                certificate.claim.options
            ),
        })
}

/// Says that the certificate is for another history, and describes both; `None` if it is for this one.
fn other_history(
    claim: &Claim,
    history: &History,
    file: &str,
    options: &ingest::Options,
) -> Option<String> {
    let digest = claim.model.digest(history);
    if claim.digest == digest {
        return None;
    }
    let size = (history.threads().len() as u64, history.operations() as u64);
    let this = described(Some(file), history.name.as_deref(), Some(size), &digest);
    let is_same_file = claim.file.as_deref().map(OsStr::new) == Path::new(file).file_name();
    let advice = match (is_same_file, load::arguments(options)) {
        (false, _) => "verify it with the trace that it is for".to_owned(),
        (true, read_with) if read_with.is_empty() => {
            "the file has another content by now, or it is another file of that name: check it again".to_owned()
        }
        (true, read_with) => format!(
            "the file was read with {read_with}: read it as for the certificate, or check it again"
        ),
    };
    Some(format!("it is for {}, and this is {this}; {advice}", claimed(claim)))
}

/// Describes the history that a certificate is for. A certificate of an older version has only its digest.
fn claimed(claim: &Claim) -> String {
    let size = claim.threads.map(u64::from).zip(claim.operations);
    let file = claim.file.as_deref();
    described(file, claim.history.as_deref(), size, &claim.digest)
}

/// Describes a history by what is known of it: `litmus.axe: SB (2 threads, 4 operations, digest 1f0c…)`
fn described(
    file: Option<&str>,
    name: Option<&str>,
    size: Option<(u64, u64)>,
    digest: &str,
) -> String {
    /// Number of characters of a digest that are shown.
    const SHOWN: usize = 16;
    let name = match (file, name) {
        (Some(file), Some(name)) => format!("{file}: {name}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => "a history".to_owned(),
    };
    let size = size.map_or(String::new(), |(threads, operations)| {
        format!("{threads} threads, {operations} operations, ")
    });
    let digest: String = digest.chars().take(SHOWN).collect();
    // A certificate may come from anywhere, so its names may hold control characters.
    tame(&format!("{name} ({size}digest {digest})"))
}

/// The history with the digest of the certificate; else one with the same name, so that the verifier can say what differs; else
/// none. A single history is that one.
fn pick<'a>(histories: &'a [History], certificate: &Certificate) -> Option<&'a History> {
    // A digest takes as long as a part of the verification.
    if let [only] = histories {
        return Some(only);
    }
    let claim = &certificate.claim;
    let same_name = || histories.iter().filter(|h| h.name == claim.history);
    same_name()
        .chain(histories)
        .find(|history| claim.model.digest(history) == claim.digest)
        .or_else(|| same_name().next())
}
