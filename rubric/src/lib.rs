//! Decides whether an execution of a shared memory is sequentially consistent (SC), or allowed by total or partial store order
//! (TSO, PSO), and proves the answer. The library for other Rust programs.
//!
//! ```
//! use rubric::{FromReader, History, Model, Verdict, check};
//!
//! // Store buffering, in the axe format; gem5 traces and JSON are read the same way, gzip or not.
//! let text = "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\ncheck\n";
//! let history = History::from_reader(text.as_bytes())?;
//!
//! let sc = check(&history, Model::SC)?;
//! assert!(matches!(sc.verdict(), Verdict::Violation(_)));
//! let tso = check(&history, Model::TSO)?;
//! assert!(matches!(tso.verdict(), Verdict::Consistent(_)));
//!
//! // The proof can be checked independently.
//! let certificate = sc.certificate().expect("a violation has a proof");
//! rubric::verify(&history, &certificate)?;
//!
//! // The part that still violates the model, with nothing superfluous.
//! let small = sc.shrink().expect("it is a violation");
//! assert_eq!(small.history.len(), 4);
//! # Ok::<(), rubric::Error>(())
//! ```
//!
//! A trace that is still being written is checked by [`watch`].
//!
//! Everything else is in the crates behind it, which this one re-exports: [`history`](mod@history) (operations, reads-from), [`ingest`] (the readers, with their
//! options), [`check`](mod@check) (stages, proofs, certificates) and [`papers`] (the papers' algorithms).

pub mod watch;

use std::io::Read;
use std::path::Path;

use ::check::{Answer, Question};
use thiserror::Error;

pub use ::certify::certificate::{self, Certificate};
pub use ::certify::verify::{Rejection, Verified};
pub use ::check::Bounds;
pub use ::check::shrink::LitmusShape;
pub use ::check::shrink::Shrunk;
pub use ::check::{Model, Options, Verdict};
pub use ::history;
pub use ::history::{
    Access, Ambiguity, History, HistoryBuilder, Initial, Kind, OpId, Place, Provenance, ReadsFrom,
    WrittenTwice,
};
pub use ::ingest;
pub use ::papers;
pub use memory::PsoRmw;

/// Why a history cannot be read, checked or verified.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The input cannot be read.
    #[error(transparent)]
    Input(#[from] ingest::Error),
    /// The input holds several histories, or none: its name and their number.
    #[error("{0} holds {1} histories, not one: read them with `ingest::read`")]
    Several(String, usize),
    /// A value is written twice to a location, so it is not known from which write a read takes it.
    #[error(transparent)]
    WrittenTwice(#[from] WrittenTwice),
    /// The text is not a certificate.
    #[error(transparent)]
    Certificate(#[from] certificate::ReadError),
    /// The certificate does not prove what it claims.
    #[error(transparent)]
    Rejected(#[from] Rejection),
}

/// Reading one history. For files with several, selections and other options there is [`ingest::read`].
pub trait FromReader: Sized {
    /// Reads a gem5 trace, axe text or JSON, plain or gzip.
    ///
    /// # Errors
    /// Returns [`Error::Input`] if the input is of none of these formats or damaged, and [`Error::Several`] if it does not hold
    /// exactly one history.
    fn from_reader(reader: impl Read) -> Result<Self, Error>;

    /// Reads a file, or a gem5 output folder.
    ///
    /// # Errors
    /// As [`FromReader::from_reader`].
    fn from_path(path: impl AsRef<Path>) -> Result<Self, Error>;
}

impl FromReader for History {
    fn from_reader(reader: impl Read) -> Result<History, Error> {
        one(ingest::read(reader, "input", &ingest::Options::default())?)
    }

    fn from_path(path: impl AsRef<Path>) -> Result<History, Error> {
        one(ingest::read_path(path.as_ref(), &ingest::Options::default())?)
    }
}

fn one(mut trace: ingest::Trace) -> Result<History, Error> {
    match (trace.histories.pop(), trace.histories.len()) {
        (Some(history), 0) => Ok(history),
        (_, others) => Err(Error::Several(trace.name, others + 1)),
    }
}

/// Decides whether a history satisfies a model, without limits. With limits, or values that are written twice, use
/// [`check::check`](fn@::check::check). Cost: linear for most histories; exponential in the worst case, since the problem is
/// NP-complete.
///
/// # Errors
/// Returns [`Error::WrittenTwice`] if a value is written twice to a location and it matters.
pub fn check(history: &History, model: Model) -> Result<Checked<'_>, Error> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared)?;
    let options = Options::default();
    Ok(Checked { answer: Question::new(model, &options).ask(history, &reads_from) })
}

/// A history with its verdict.
#[derive(Clone, Debug)]
pub struct Checked<'h> {
    answer: Answer<&'h History>,
}

impl Checked<'_> {
    /// The verdict, with the run of the machine or the proof that supports it.
    pub fn verdict(&self) -> &Verdict {
        self.answer.verdict()
    }

    /// The limits of the verdict, one sentence each, such as that the model of the instruction set is weaker.
    pub fn caveats(&self) -> Vec<String> {
        self.answer.caveats()
    }

    /// Whether the history is consistent with the model.
    pub fn is_consistent(&self) -> bool {
        matches!(self.verdict(), Verdict::Consistent(_))
    }

    /// The certificate as text; `None` if the verdict is undecided.
    pub fn certificate(&self) -> Option<String> {
        let mut text = Vec::new();
        // Writing to memory does not fail.
        self.answer.certify(&mut text, None, "").ok()??;
        String::from_utf8(text).ok()
    }

    /// Returns a smallest part of the history that still violates the model; `None` if there is no violation.
    pub fn shrink(&self) -> Option<Shrunk> {
        let violation = self.answer.violation()?;
        let Answer { reads_from, model, .. } = &self.answer;
        let history = self.answer.history();
        let bounds = Bounds::none();
        ::check::shrink::shrink(history, reads_from, *model, violation, &bounds, &mut |_| {})
    }
}

/// Checks a certificate against the history that it is about, with code that is independent of the checker.
///
/// # Errors
/// Returns [`Error::Certificate`] if the text is not a certificate, and [`Error::Rejected`] if it does not prove its claim.
pub fn verify(history: &History, certificate: &str) -> Result<Verified, Error> {
    let certificate = certificate::read(certificate.as_bytes())?;
    Ok(::certify::verify::verify(history, &certificate)?)
}

/// The litmus test of which a small violation is an instance, if it has a name.
pub fn shape(shrunk: &Shrunk) -> Option<LitmusShape> {
    ::check::shrink::litmus_shape(&shrunk.history, &shrunk.violation)
}
