//! Decides whether an execution of a shared memory is sequentially consistent (SC), or allowed by total or partial store order (TSO, PSO),
//! and proves the answer: what another Rust program needs, in one place.
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
//! // Nobody has to take its word for it.
//! let certificate = sc.certificate().expect("a violation has a proof");
//! rubric::verify(&history, &certificate)?;
//!
//! // What makes it wrong, and nothing else.
//! let small = sc.shrink().expect("it is a violation");
//! assert_eq!(small.history.len(), 4);
//! # Ok::<(), rubric::Error>(())
//! ```
//!
//! A trace that is still being written is checked by [`watch`].
//!
//! Everything else is in the crates behind it, which this one re-exports: [`history`](mod@history) (operations, reads-from), [`ingest`] (the readers, with their
//! options) and [`check`](mod@check) (stages, proofs, certificates, the papers' algorithms).

pub mod watch;

use std::io::Read;
use std::path::Path;

use thiserror::Error;

pub use ::certify::certificate::{self, Certificate};
pub use ::certify::verify::{Rejection, Verified};
pub use ::check::Bounds;
pub use ::check::shrink::LitmusShape;
pub use ::check::shrink::Shrunk;
pub use ::check::{Model, Options, Verdict};
pub use ::history;
pub use ::history::{
    Access, Ambiguity, History, HistoryBuilder, Initial, Kind, OpId, Place, ReadsFrom, WrittenTwice,
};
pub use ::ingest;
pub use memory::PsoRmw;

/// What can go wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The input cannot be read.
    #[error(transparent)]
    Input(#[from] ingest::Error),
    /// There is not one history in it, but so many.
    #[error("{0} holds {1} histories, not one: read them with `ingest::read`")]
    Several(String, usize),
    /// A value is written twice, so that nobody knows which write a read takes.
    #[error(transparent)]
    WrittenTwice(#[from] WrittenTwice),
    /// The certificate is none.
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
    /// The input is none of these, is damaged, or holds several histories.
    fn from_reader(reader: impl Read) -> Result<Self, Error>;

    /// Reads a file, or a gem5 output folder.
    ///
    /// # Errors
    /// The same.
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
/// [`check::check`](fn@::check::check). Cost: most often linear; in the worst case exponential, since the problem is NP-complete.
///
/// # Errors
/// A value is written twice to a location.
pub fn check(history: &History, model: Model) -> Result<Checked<'_>, Error> {
    let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared)?;
    let verdict = ::check::check(history, &reads_from, model, &Options::default()).verdict;
    Ok(Checked { history, model, reads_from, verdict })
}

/// A history that was decided about.
#[derive(Clone, Debug)]
pub struct Checked<'h> {
    history: &'h History,
    model: Model,
    reads_from: ReadsFrom,
    verdict: Verdict,
}

impl Checked<'_> {
    /// The verdict, with the run of the machine or the proof that it rests on.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Whether it is consistent.
    pub fn is_consistent(&self) -> bool {
        matches!(self.verdict, Verdict::Consistent(_))
    }

    /// The certificate as text, unless nothing was decided.
    pub fn certificate(&self) -> Option<String> {
        let claim = certificate::Claim::new(self.history, self.model, "");
        let mut text = Vec::new();
        let written = match &self.verdict {
            Verdict::Consistent(run) => {
                certificate::write_consistent(&mut text, self.history, &claim, &[], run)
            }
            Verdict::Violation(violation) => {
                let proof = ::check::engine::steps::steps(self.history, violation);
                certificate::write_violation(&mut text, &claim, &proof)
            }
            _ => return None,
        };
        // Memory takes everything.
        written.ok()?;
        String::from_utf8(text).ok()
    }

    /// The smallest part that still violates the model, of a violation.
    pub fn shrink(&self) -> Option<Shrunk> {
        let Verdict::Violation(violation) = &self.verdict else {
            return None;
        };
        let bounds = Bounds::none();
        ::check::shrink::shrink(
            self.history,
            &self.reads_from,
            self.model,
            violation,
            &bounds,
            &mut |_| {},
        )
    }
}

/// Checks a certificate against the history that it is about, with code that shares nothing with what decides.
///
/// # Errors
/// It is no certificate, or does not prove what it claims.
pub fn verify(history: &History, certificate: &str) -> Result<Verified, Error> {
    let certificate = certificate::read(certificate.as_bytes())?;
    Ok(::certify::verify::verify(history, &certificate)?)
}

/// The litmus test that a small violation is, if it has a name.
pub fn shape(shrunk: &Shrunk) -> Option<LitmusShape> {
    ::check::shrink::litmus_shape(&shrunk.history, &shrunk.violation)
}
