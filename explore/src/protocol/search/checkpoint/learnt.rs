//! The file of the parts of states, and of groups of parts, for which the numbers in the rows of states stand.
//!
//! It consists of chunks, one for each checkpoint: its length (8 bytes), its digest (8 bytes), and the parts and groups that were new then.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use simulate::stepper::{PartStepper, Parts};

use super::super::super::states::States;
use super::super::super::states::disk::DiskProblem;
use super::super::super::states::disk::file::{open, read_at, write_at};
use super::super::super::states::stored::Left;

/// The size of the length and digest before a chunk, in bytes.
const HEAD: u64 = 16;

/// The parts and groups that were new at a checkpoint.
#[derive(Serialize, Deserialize)]
struct Chunk {
    parts: Parts,
    groups: Vec<Vec<u32>>,
}

/// The file of parts.
#[derive(Debug)]
pub(super) struct Learnt {
    path: PathBuf,
    file: File,
    length: u64,
    /// The number of parts of each kind that are in the file.
    parts: Vec<usize>,
    /// The number of groups of each kind that are in the file.
    groups: Vec<usize>,
}

fn digest(bytes: &[u8]) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&Sha256::digest(bytes)[..8]);
    first
}

impl Learnt {
    /// Opens the file in a folder, of which `length` bytes are valid.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, or is shorter.
    pub(super) fn open(folder: &Path, length: u64) -> Result<Learnt, DiskProblem> {
        let path = folder.join("parts");
        let file = open(&path, length)?;
        Ok(Learnt { path, file, length, parts: Vec::new(), groups: Vec::new() })
    }

    /// The length of the file, in bytes.
    pub(super) fn len(&self) -> u64 {
        self.length
    }

    /// Appends a chunk with the parts and groups that are not in the file yet.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(super) fn write(
        &mut self,
        stepper: &PartStepper,
        states: &States,
    ) -> Result<(), DiskProblem> {
        let chunk = Chunk {
            parts: stepper.parts_since(&mut self.parts),
            groups: states.groups_since(&mut self.groups),
        };
        let chunk = postcard::to_stdvec(&chunk).expect("parts can be written");
        let mut bytes = (chunk.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(&digest(&chunk));
        bytes.extend_from_slice(&chunk);
        write_at(&self.file, &self.path, self.length, &bytes)?;
        self.length += bytes.len() as u64;
        self.file.sync_data().map_err(DiskProblem::io(&self.path, "written"))
    }

    /// Reads the file, and gives its parts and groups their numbers.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is damaged.
    pub(super) fn read(
        &mut self,
        stepper: &mut PartStepper,
        left: &mut Left,
    ) -> Result<(), DiskProblem> {
        let mut at = 0;
        while at < self.length {
            let chunk = self.chunk(&mut at)?;
            let is_same =
                stepper.add_parts(&chunk.parts, &mut self.parts) && left.add_groups(&chunk.groups);
            if !is_same {
                return Err(self.corrupt());
            }
        }
        left.count_groups(&mut self.groups);
        Ok(())
    }

    /// Reads the chunk at `at`, which becomes the place of the next chunk.
    fn chunk(&self, at: &mut u64) -> Result<Chunk, DiskProblem> {
        let mut head = [0; HEAD as usize];
        if self.length - *at < HEAD {
            return Err(self.corrupt());
        }
        read_at(&self.file, &self.path, *at, &mut head)?;
        let (length, expected) = head.split_at(8);
        let length = length.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
        *at += HEAD;
        if length > self.length - *at {
            return Err(self.corrupt());
        }
        let mut bytes = vec![0; length as usize];
        read_at(&self.file, &self.path, *at, &mut bytes)?;
        *at += length;
        if digest(&bytes) != expected {
            return Err(self.corrupt());
        }
        postcard::from_bytes(&bytes).map_err(|_| self.corrupt())
    }

    fn corrupt(&self) -> DiskProblem {
        DiskProblem::corrupt(&self.path, "does not have the parts that were written")
    }
}
