//! The manifest of an exploration on disk: what is explored, and how far the search has come.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use simulate::stepper::{Scope, Symmetry};
use slicc::protocol::Protocol;
use slicc::source::Span;

use super::super::super::states::disk::DiskProblem;
use super::super::super::{Asymmetry, Finding, SearchOptions, Why};
use super::MANIFEST;

/// The version of the files.
const VERSION: u32 = 2;

/// The manifest: the parameters of an exploration on disk, and its position.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The version of the files.
    pub(super) version: u32,
    /// The name and version of the program that wrote it.
    pub(super) program: String,
    /// A description of the exploration, for readers.
    pub explores: String,
    /// The digest of all on which states depend: see [`identity`].
    pub identity: String,
    /// The seed of the fingerprints.
    pub seed: u64,
    /// The symmetries that were left out since a run depends on the order of cores or lines, each with the place in the protocol where it
    /// does.
    pub(super) ordered: Vec<(String, [u32; 3])>,
    /// Whether a run depends on the requests that wait for memory, so that memory does not perform them at once.
    pub refuses_partial_order: bool,
    /// Whether a transition began in another state than its entry or TBE had, so that dead words are kept.
    pub refuses_live_variables: bool,
    /// The lines that were requested from memory, each with the controller that requests it.
    pub requested: Vec<(u64, usize)>,
    /// The number of states and findings.
    pub states: usize,
    /// The number of explored states.
    pub explored: usize,
    /// The end of the states that are as many moves from the first state as the next state to be explored.
    pub layer_ends: usize,
    /// The number of moves on a shortest run to the last explored state.
    pub depth: u32,
    /// The number of moves, including those to known states.
    pub moves: u64,
    /// The time of the search, in seconds.
    pub seconds: f64,
    /// The sum of all fingerprints.
    pub sum: u64,
    /// The length of the file of parts, in bytes.
    pub learnt: u64,
    /// The numbers of findings among states, each with its index in `findings`.
    pub found: Vec<(usize, u32)>,
    pub findings: Vec<Finding>,
    /// The states and moves that led to warnings.
    pub warnings: Vec<(u32, u32)>,
    /// The transitions that were taken.
    pub taken: Vec<u32>,
}

/// The program and its version.
fn program() -> String {
    format!("rubric {}", env!("CARGO_PKG_VERSION"))
}

/// A digest of all on which the states of an exploration depend: the texts of the protocol, what was changed in it, the
/// scope, and the reductions.
pub(crate) fn identity(
    protocol: &Protocol,
    scope: &Scope,
    search_options: &SearchOptions,
) -> String {
    let loaded = &protocol.loaded;
    let changed = (&loaded.mutant, &loaded.repairs, &loaded.settings);
    let changes = format!("{:?}", (changed, scope, search_options.partial_order));
    let files = loaded.own_files().into_iter().flat_map(|(path, text)| [path, text]);
    let mut hash = Sha256::new();
    for text in files.chain([&*changes]) {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// Fails if the text is not a manifest, or one of another version or exploration.
    pub(super) fn read(text: &str, path: &Path, identity: &str) -> Result<Manifest, DiskProblem> {
        #[derive(Deserialize)]
        struct Versions {
            version: u32,
            program: String,
        }
        let other =
            |of: String| DiskProblem::Other { path: path.parent().unwrap_or(path).to_owned(), of };
        let corrupt = |why: &dyn std::fmt::Display| {
            DiskProblem::corrupt(path, &format!("is no manifest of an exploration ({why})"))
        };
        let versions: Versions = serde_json::from_str(text).map_err(|why| corrupt(&why))?;
        if (versions.version, &versions.program) != (VERSION, &program()) {
            let of = format!("by {}, with files of version {}", versions.program, versions.version);
            return Err(other(of));
        }
        let manifest: Manifest = serde_json::from_str(text).map_err(|why| corrupt(&why))?;
        if manifest.identity != identity {
            return Err(other(format!("{}, with files as they were then", manifest.explores)));
        }
        let numbers = [manifest.explored, manifest.layer_ends];
        let is_sound = numbers.iter().all(|number| *number <= manifest.states)
            && manifest.explored <= manifest.layer_ends
            && manifest.states < u32::MAX as usize
            && (0.0..1e12).contains(&manifest.seconds)
            && manifest.ordered().len() == manifest.ordered.len()
            && manifest.found.iter().all(|(at, one)| {
                *at < manifest.states && (*one as usize) < manifest.findings.len()
            });
        if is_sound { Ok(manifest) } else { Err(corrupt(&"its numbers do not fit each other")) }
    }

    /// Writes the manifest to a folder, as a whole or not at all.
    ///
    /// # Errors
    /// Fails if the manifest cannot be written.
    pub(super) fn write(&self, folder: &Path) -> Result<(), DiskProblem> {
        let manifest = Manifest { version: VERSION, program: program(), ..self.clone() };
        let text = serde_json::to_string_pretty(&manifest).expect("a manifest can be written");
        let (path, new) = (folder.join(MANIFEST), folder.join(format!("{MANIFEST}.new")));
        let written = File::create(&new).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.write_all(b"\n")?;
            file.sync_all()
        });
        written.map_err(DiskProblem::io(&new, "written"))?;
        fs::rename(&new, &path).map_err(DiskProblem::io(&path, "written"))
    }

    /// The symmetries that were left out, with the places that depend on the order of what they exchange.
    pub(crate) fn ordered(&self) -> Vec<Asymmetry> {
        let named = self.ordered.iter().filter_map(|(name, [file, start, end])| {
            let all = [Symmetry::Cores, Symmetry::Lines].into_iter();
            let symmetry = { all }.find(|symmetry| symmetry.name() == name)?;
            let place = Span { file: *file, start: *start, end: *end };
            Some(Asymmetry { symmetry, reason: Why::Ordered(place) })
        });
        named.collect()
    }

    pub(super) fn set_ordered(&mut self, ordered: &[Asymmetry]) {
        let places = ordered.iter().filter_map(|one| match one.reason {
            Why::Ordered(Span { file, start, end }) => {
                Some((one.symmetry.name().to_owned(), [file, start, end]))
            }
            Why::Differs(_) => None,
        });
        self.ordered = places.collect();
    }
}
