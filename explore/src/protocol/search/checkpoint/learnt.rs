//! The file that says what the numbers in the rows of states stand for: parts, and groups of them.
//!
//! It consists of chunks, one for each checkpoint: 8 bytes that say how long it is, 8 bytes of its digest, and what was new then.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use simulate::stepper::{PartStepper, Parts};

use super::super::super::states::States;
use super::super::super::states::disk::DiskProblem;
use super::super::super::states::disk::file::{open, read_at, write_at};
use super::super::super::states::stored::Left;

/// The bytes before a chunk.
const HEAD: u64 = 16;

/// What was new at a checkpoint.
#[derive(Serialize, Deserialize)]
struct Chunk {
    parts: Parts,
    groups: Vec<Vec<u32>>,
}

/// The file of parts.
#[derive(Debug)]
pub struct Learnt {
    path: PathBuf,
    file: File,
    length: u64,
    /// The number of parts and groups in the file, of each kind.
    parts: Vec<usize>,
    groups: Vec<usize>,
}

fn digest(bytes: &[u8]) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&Sha256::digest(bytes)[..8]);
    first
}

impl Learnt {
    /// The file in a folder, of which a number of bytes are valid.
    ///
    /// # Errors
    /// The file cannot be opened, or is shorter than the manifest says.
    pub fn open(folder: &Path, length: u64) -> Result<Learnt, DiskProblem> {
        let path = folder.join("parts");
        let file = open(&path, length)?;
        Ok(Learnt { path, file, length, parts: Vec::new(), groups: Vec::new() })
    }

    /// The number of its bytes.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Appends what is new.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, stepper: &PartStepper, states: &States) -> Result<(), DiskProblem> {
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

    /// Numbers everything in the file.
    ///
    /// # Errors
    /// The file cannot be read, or is not what was written.
    pub fn read(&mut self, stepper: &mut PartStepper, left: &mut Left) -> Result<(), DiskProblem> {
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

    /// Reads the chunk at a place, which becomes that of the next one.
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
