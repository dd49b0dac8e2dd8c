//! Checkpoints: a search is stored on disk, so that another process can resume it.
//!
//! A folder has the files `states` and `moves` (see [`disk`](crate::protocol::states::disk)), `parts`, which says what the numbers in rows
//! stand for, and `exploration.json`, the manifest. The manifest is replaced as a whole, after all other files have been written, and says
//! how much of these is valid. If a process is killed, only its work since the last checkpoint is lost.
//!
//! - [`manifest`]: the contents of the manifest;
//! - [`learnt`]: the file of parts.

mod learnt;
mod manifest;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use simulate::stepper::PartStepper;

use super::super::states::States;
use super::super::states::disk::DiskProblem;
use super::super::states::stored::Left;
use super::super::{Asymmetry, Disk, SearchOptions};
use super::{At, Search, note};
use crate::search::Progress;
use learnt::Learnt;
pub(crate) use manifest::{Manifest, identity};

/// The name of the manifest.
pub(crate) const MANIFEST: &str = "exploration.json";
/// The names of all other files.
const FILES: [&str; 5] = ["states", "moves", "parts", "lock", "exploration.json.new"];
/// The shortest time between two checkpoints.
const LEAST_TIME: Duration = Duration::from_millis(500);
/// The time between two checkpoints, as a multiple of the time that the last one took.
const TIMES_ITS_TIME: u32 = 50;
/// The longest time between two checkpoints, apart from the time that a batch takes.
const MOST_TIME: Duration = Duration::from_secs(30);

/// The checkpoints of a search on disk.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    folder: PathBuf,
    /// The parameters that stay the same throughout the exploration.
    manifest: Manifest,
    learnt: Learnt,
    /// The time of the last checkpoint.
    last: Instant,
    /// The time that the last checkpoint took.
    took: Duration,
}

/// A folder that this process alone uses, until it is dropped.
pub(crate) struct Locked<'d> {
    pub disk: &'d Disk,
    _lock: File,
}

impl<'d> Locked<'d> {
    /// Makes a folder if there is none, and locks it.
    ///
    /// # Errors
    /// Fails if the folder cannot be written, if another process uses it, or if it has other files.
    pub(crate) fn new(disk: &'d Disk) -> Result<Locked<'d>, DiskProblem> {
        let folder = &disk.folder;
        fs::create_dir_all(folder).map_err(DiskProblem::io(folder, "made"))?;
        let entries = fs::read_dir(folder).map_err(DiskProblem::io(folder, "read"))?;
        for entry in entries {
            let name = entry.map_err(DiskProblem::io(folder, "read"))?.file_name();
            if name != MANIFEST && !FILES.iter().any(|file| name == *file) {
                return Err(DiskProblem::NoExploration { path: folder.clone() });
            }
        }
        let path = folder.join("lock");
        let lock = File::create(&path).map_err(DiskProblem::io(&path, "written"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Locked { disk, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(DiskProblem::Busy { path: folder.clone() }),
            Err(TryLockError::Error(why)) => Err(DiskProblem::io(&path, "locked")(why)),
        }
    }

    /// The manifest that an earlier process has left; none if there is none.
    ///
    /// # Errors
    /// Fails if the manifest is one of another exploration, or cannot be read.
    pub(crate) fn left(&self, identity: &str) -> Result<Option<Manifest>, DiskProblem> {
        let path = self.disk.folder.join(MANIFEST);
        match fs::read_to_string(&path) {
            Ok(text) => Manifest::read(&text, &path, identity).map(Some),
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(why) => Err(DiskProblem::io(&path, "read")(why)),
        }
    }

    /// Creates a search that begins in the first state. An exploration that was stored in the folder is lost.
    ///
    /// # Errors
    /// Fails if the folder cannot be written.
    pub(crate) fn begin(
        &self,
        stepper: PartStepper,
        search_options: &SearchOptions,
        manifest: Manifest,
    ) -> Result<Search, DiskProblem> {
        let folder = &self.disk.folder;
        let path = folder.join(MANIFEST);
        match fs::remove_file(&path) {
            Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
                return Err(DiskProblem::io(&path, "removed")(why));
            }
            _ => {}
        }
        let known = stepper.known();
        let states = States::on_disk(known.width(), known.groups(), folder, manifest.seed)?;
        let learnt = Learnt::open(folder, 0)?;
        let mut search = Search::begin(stepper, states, search_options);
        search.checkpoints = Some(Checkpoints::new(folder, manifest, learnt));
        Ok(search)
    }

    /// Resumes the search that is stored in the folder.
    ///
    /// # Errors
    /// Fails if the files cannot be read, or are damaged.
    pub(crate) fn go_on(
        &self,
        mut stepper: PartStepper,
        search_options: &SearchOptions,
        manifest: Manifest,
    ) -> Result<Search, DiskProblem> {
        let folder = &self.disk.folder;
        let (width, groups) = (stepper.known().width(), stepper.known().groups().to_vec());
        let counts = (manifest.states, manifest.explored);
        let mut left = Left::open(width, &groups, folder, counts, manifest.seed)?;
        let mut learnt = Learnt::open(folder, manifest.learnt)?;
        learnt.read(&mut stepper, &mut left)?;
        stepper.request_again(&manifest.requested);
        let findings = (manifest.found.clone(), manifest.findings.clone());
        let states = left.read(findings, &|parts| !stepper.known().is_busy(parts))?;
        let path = folder.join(MANIFEST);
        let corrupt = |problem: &str| Err(DiskProblem::corrupt(&path, problem));
        if states.sum() != manifest.sum {
            return corrupt("does not belong to the states in the folder");
        }
        let mut search = Search::of(stepper, states, search_options);
        search.at = manifest.at();
        search.taken = manifest.taken.clone();
        for &(state, chosen) in &manifest.warnings {
            if !search.warn_again(state as usize, chosen as usize) {
                return corrupt("has a move that there is not");
            }
        }
        search.checkpoints = Some(Checkpoints::new(folder, manifest, learnt));
        Ok(search)
    }
}

impl Checkpoints {
    fn new(folder: &Path, manifest: Manifest, learnt: Learnt) -> Checkpoints {
        let (last, took) = (Instant::now(), Duration::ZERO);
        Checkpoints { folder: folder.to_owned(), manifest, learnt, last, took }
    }
}

impl Search {
    /// Writes a checkpoint, if the last one is old enough.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(super) fn leave_if_due(&mut self, at: &At) -> Result<(), DiskProblem> {
        let is_due = |checkpoints: &Checkpoints| {
            let time = (checkpoints.took * TIMES_ITS_TIME).clamp(LEAST_TIME, MOST_TIME);
            checkpoints.last.elapsed() > time
        };
        if self.checkpoints.as_ref().is_some_and(is_due) { self.leave(at) } else { Ok(()) }
    }

    /// Writes a checkpoint, if states are on disk and the search is not void.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(super) fn leave(&mut self, at: &At) -> Result<(), DiskProblem> {
        let Some(mut checkpoints) = self.checkpoints.take() else { return Ok(()) };
        let begun = Instant::now();
        if self.states.verify() && !self.is_void() {
            self.states.flush()?;
            checkpoints.learnt.write(&self.stepper, &self.states)?;
            let manifest = self.manifest(at, &checkpoints);
            manifest.write(&checkpoints.folder)?;
            checkpoints.manifest = manifest;
        }
        (checkpoints.last, checkpoints.took) = (Instant::now(), begun.elapsed());
        self.checkpoints = Some(checkpoints);
        Ok(())
    }

    fn manifest(&mut self, at: &At, checkpoints: &Checkpoints) -> Manifest {
        let (found, findings) = self.states.findings();
        let noted: Vec<_> =
            self.warnings.iter().map(|(_, state, chosen)| (*state, *chosen)).collect();
        let mut warnings: Vec<(u32, u32)> = Vec::with_capacity(noted.len());
        let mut moves = Vec::new();
        for (state, chosen) in noted {
            self.states.unpack(state, &mut self.before);
            self.stepper.known().moves(self.before.parts(), &mut moves);
            let place = moves.iter().position(|one| *one == chosen);
            warnings.push((state as u32, place.expect("a warning is of a move") as u32));
        }
        warnings.dedup();
        let At { state, layer_ends, progress } = *at;
        Manifest {
            states: self.states.len(),
            explored: state,
            layer_ends,
            depth: progress.depth,
            moves: progress.moves,
            seconds: progress.time.as_secs_f64(),
            sum: self.states.sum(),
            learnt: checkpoints.learnt.len(),
            found,
            findings,
            warnings,
            taken: self.transitions(),
            requested: self.stepper.requested(),
            ..checkpoints.manifest.clone()
        }
    }

    /// Notes the warnings of a move of a state once more. Returns whether there is such a move.
    fn warn_again(&mut self, state: usize, chosen: usize) -> bool {
        if state >= self.at.state || self.states.finding(state).is_some() {
            return false;
        }
        self.states.unpack(state, &mut self.before);
        let mut moves = Vec::new();
        self.stepper.known().moves(self.before.parts(), &mut moves);
        let Some(&chosen) = moves.get(chosen) else { return false };
        // A finding after the move is known already.
        let _ = self.stepper.take(self.before.parts(), chosen, &mut self.after);
        for warning in self.stepper.warnings() {
            note(&mut self.warnings, warning, state, chosen);
        }
        true
    }

    /// The transitions that were taken by this process and those before it, by their numbers. An odd number is that of one
    /// that stalled.
    pub(crate) fn transitions(&mut self) -> Vec<u32> {
        let reached = self.stepper.stepper().system().reached().into_iter();
        let own = reached.map(|one| one.triple);
        let mut all: Vec<u32> = own.chain(self.taken.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Manifest {
    /// The manifest of a search that has not begun.
    pub(crate) fn new(disk: &Disk, identity: &str, seed: u64, ordered: &[Asymmetry]) -> Manifest {
        let mut manifest = Manifest::default();
        (manifest.explores, manifest.identity) = (disk.explores.clone(), identity.to_owned());
        manifest.seed = seed;
        manifest.set_ordered(ordered);
        manifest
    }

    fn at(&self) -> At {
        let progress = Progress {
            states: self.states,
            open: self.states - self.explored,
            moves: self.moves,
            depth: self.depth,
            time: Duration::from_secs_f64(self.seconds),
            ..Progress::default()
        };
        At { state: self.explored, layer_ends: self.layer_ends, progress }
    }
}
