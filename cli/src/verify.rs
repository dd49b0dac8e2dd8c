//! `rubric verify`: does a certificate prove what it claims?

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use check::certificate::{self, Certificate};
use check::verify::{Verified, verify};
use clap::Parser;
use history::History;

use crate::assumptions;
use crate::ending;
use crate::error::Error;
use crate::load;
use crate::options::TraceOptions;
use crate::status::Status;

/// Check a certificate against the history it is about
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric check --model tso --certificate proofs trace.gz
  rubric verify trace.gz proofs/trace.gz.tso.cert

The history is read with the options that the certificate names; those given here come first. A
run of the operational machine is replayed, the steps of a refutation are checked one by one; no
code of the engines takes part.

Exit status: 0 if the certificate proves its verdict, whichever that is; 2 if it does not.")]
pub struct Args {
    /// The trace, or the file with the history
    history: PathBuf,

    /// The certificate that `rubric check --certificate` wrote
    certificate: PathBuf,

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
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let file = args.certificate.display().to_string();
    let certificate = read(&args.certificate, &file)?;
    let options = options(args, &certificate, &file)?;
    let input = load::open(&args.history, &options.for_reading()?)?;
    let history = pick(&input.histories, &certificate).ok_or_else(|| Error::Certificate {
        file: file.clone(),
        what: format!("it is about no history of {}", input.file),
    })?;
    let verified = verify(history, &certificate).map_err(|rejection| Error::Certificate {
        file: file.clone(),
        what: rejection.to_string(),
    })?;
    let model = certificate.claim.model;
    let name = match &history.name {
        Some(name) => format!("{}: {name}", input.file),
        None => input.file.clone(),
    };
    match verified {
        Verified::Consistent { steps } => writeln!(
            out,
            "verified: {name} is consistent with {model} (a run of {steps} steps replayed)"
        ),
        Verified::Violation { steps } => writeln!(
            out,
            "verified: {name} violates {model} (a proof of {steps} steps checked)"
        ),
        Verified::Breach { criterion, steps } => writeln!(
            out,
            "verified: {name} does not satisfy {}, and so violates {model} (a proof of {steps} \
             steps checked)",
            criterion.name()
        ),
    }
    .and_then(|()| conditions(history, &options, out))
    .map_err(Error::Output)?;
    Ok(Status::Done)
}

/// Under what reading of the trace the verdict holds.
fn conditions(
    history: &History,
    options: &TraceOptions,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let arguments = options.as_arguments();
    if !arguments.is_empty() {
        writeln!(out, "  note: the history was read with {arguments}")?;
    }
    for assumption in ending::note(history)
        .into_iter()
        .chain(assumptions::of(history))
    {
        writeln!(out, "  note: {assumption}")?;
    }
    Ok(())
}

fn read(path: &Path, file: &str) -> Result<Certificate, Error> {
    let text = File::open(path).map_err(|error| Error::File {
        file: file.to_owned(),
        error,
    })?;
    certificate::read(BufReader::new(text)).map_err(|error| Error::Certificate {
        file: file.to_owned(),
        what: error.to_string(),
    })
}

/// The user's options, and those of the certificate where the user gives none.
fn options(args: &Args, certificate: &Certificate, file: &str) -> Result<TraceOptions, Error> {
    if certificate.claim.initial == "given" && args.options.initial.is_none() {
        return Err(Error::Usage(format!(
            "{file}: was made with a file of initial values: give it with --initial FILE"
        )));
    }
    let words = certificate.claim.options.split_ascii_whitespace();
    Header::try_parse_from(words)
        .ok()
        // A certificate has no business with other files.
        .filter(|header| {
            matches!(
                header.options.initial.as_deref(),
                None | Some("zero" | "infer")
            )
        })
        .map(|header| args.options.or(&header.options))
        .ok_or_else(|| Error::Certificate {
            file: file.to_owned(),
            what: format!(
                "its options `{}` are none that a certificate has",
                certificate.claim.options
            ),
        })
}

/// The history of the same digest; else one of the same name, so that the verifier can say what
/// differs; else the only one.
fn pick<'a>(histories: &'a [History], certificate: &Certificate) -> Option<&'a History> {
    let claim = &certificate.claim;
    let same_name = || histories.iter().filter(|h| h.name == claim.history);
    same_name()
        .chain(histories)
        .find(|history| history.digest() == claim.digest)
        .or_else(|| same_name().next())
        .or_else(|| histories.first().filter(|_| histories.len() == 1))
}
