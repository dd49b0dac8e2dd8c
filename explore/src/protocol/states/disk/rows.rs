//! Rows in a file, found by fingerprints in memory.
//!
//! A row that has the fingerprint of a known one is taken for that one, and the two are compared some time later: many at a time, in the
//! order of the file, so that it is read from the beginning to the end. If they differ, the whole exploration is void. As there are 2⁶⁴
//! fingerprints, that hardly ever happens.

use std::path::Path;
use std::sync::OnceLock;

use super::super::print_table::PrintTable;
use super::DiskProblem;
use super::file::WordFile;

/// The least number of words of claims at which they are verified. For large files the number is proportional to the file.
const WORDS_OF_CLAIMS: usize = 1 << 21;
/// The claims of a large file are verified when the file has this many times as many words as they have.
const SHARE: usize = 64;
/// The number of words that are read at a time.
const WORDS_AT_A_TIME: usize = 1 << 12;

/// Rows of the same length with their numbers.
#[derive(Debug)]
pub(crate) struct DiskRows {
    length: usize,
    table: PrintTable,
    file: WordFile,
    /// The claims that are not verified yet: each the number of a known row, and the row that was taken for it.
    claims: Vec<u32>,
    /// The sum of all fingerprints.
    sum: u64,
    /// Whether two different rows have the same fingerprint.
    has_collided: bool,
    /// The first error.
    problem: OnceLock<DiskProblem>,
}

impl DiskRows {
    /// Opens the file of `rows` rows. They are not known before each of them is [learnt](DiskRows::learn).
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is too short.
    pub(crate) fn open(folder: &Path, length: usize, rows: usize) -> Result<DiskRows, DiskProblem> {
        Ok(DiskRows {
            length,
            table: PrintTable::default(),
            file: WordFile::open(folder, "states", (rows * length) as u64)?,
            claims: Vec::new(),
            sum: 0,
            has_collided: false,
            problem: OnceLock::new(),
        })
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// The number of words of a row.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The number of the row with a fingerprint, if it is known.
    #[inline]
    pub(crate) fn find(&self, print: u64) -> Option<u32> {
        self.table.find(print)
    }

    /// Loads the entry at which [`DiskRows::find`] will look into the processor's caches.
    #[inline]
    pub(crate) fn glance(&self, print: u64) -> u32 {
        self.table.glance(print)
    }

    /// Learns the fingerprint of the next row of the file. Returns whether it differs from those of all rows before.
    pub(crate) fn learn(&mut self, print: u64) -> bool {
        self.number_of(print).is_err()
    }

    fn number_of(&mut self, print: u64) -> Result<u32, u32> {
        let number = self.table.number(print);
        if number.is_err() {
            self.sum = self.sum.wrapping_add(print);
        }
        number
    }

    /// The number of a row with a fingerprint. One that is new gets the next number, which is returned as an error.
    pub(crate) fn number(&mut self, row: &[u32], print: u64) -> Result<u32, u32> {
        let number = self.number_of(print);
        match number {
            Ok(known) => self.claim(known, row),
            Err(_) => {
                let pushed = self.file.push(row);
                self.note(pushed);
            }
        }
        number
    }

    /// Notes that a row was taken for the one with a number.
    pub(crate) fn claim(&mut self, number: u32, row: &[u32]) {
        let at = u64::from(number) * self.length as u64;
        if let Some(known) = self.file.in_memory(at, self.length) {
            self.has_collided |= known != row;
            return;
        }
        self.claims.push(number);
        self.claims.extend_from_slice(row);
        if self.claims.len() >= WORDS_OF_CLAIMS.max(self.file.len() as usize / SHARE) {
            self.verify();
        }
    }

    /// Verifies all claims: compares the rows that were taken for known ones with the known rows.
    pub(crate) fn verify(&mut self) {
        let claims = std::mem::take(&mut self.claims);
        let compared = self.compare(&claims);
        self.has_collided |= compared.as_ref().is_ok_and(|all_equal| !all_equal);
        self.note(compared.map(|_| ()));
        self.claims = claims;
        self.claims.clear();
    }

    /// Whether all claims are true.
    fn compare(&self, claims: &[u32]) -> Result<bool, DiskProblem> {
        let stride = self.length + 1;
        let mut order: Vec<u32> = (0..(claims.len() / stride) as u32).collect();
        order.sort_unstable_by_key(|&at| claims[at as usize * stride]);
        let (mut words, mut first) = (Vec::new(), 0);
        let rows_at_a_time = (WORDS_AT_A_TIME / self.length).max(1);
        for at in order {
            let claim = &claims[at as usize * stride..][..stride];
            let row = claim[0] as usize;
            if row >= first + words.len() / self.length {
                first = row;
                let count = rows_at_a_time.min(self.len() - first);
                words.resize(count * self.length, 0);
                self.file.read((first * self.length) as u64, &mut words)?;
            }
            if words[(row - first) * self.length..][..self.length] != claim[1..] {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads rows that follow each other. If they cannot be read, they are 0, and [`DiskRows::problem`] says why.
    pub(crate) fn read(&self, first: usize, into: &mut [u32]) {
        if let Err(problem) = self.file.read((first * self.length) as u64, into) {
            into.fill(0);
            // An earlier error is kept instead.
            let _ = self.problem.set(problem);
        }
    }

    /// Keeps an error, if it is the first one.
    pub(crate) fn note(&self, done: Result<(), DiskProblem>) {
        if let Err(problem) = done {
            let _ = self.problem.set(problem);
        }
    }

    /// Whether there was an error, so that rows that are read are meaningless.
    pub(crate) fn has_failed(&self) -> bool {
        self.problem.get().is_some()
    }

    /// Takes the first error, if there was one.
    pub(crate) fn problem(&mut self) -> Option<DiskProblem> {
        self.problem.take()
    }

    /// Whether two different rows have the same fingerprint, as far as they were compared.
    pub(crate) fn has_collided(&self) -> bool {
        self.has_collided
    }

    /// The sum of all fingerprints.
    pub(crate) fn sum(&self) -> u64 {
        self.sum
    }

    /// Writes all rows to the disk.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn flush(&mut self) -> Result<(), DiskProblem> {
        self.file.flush()
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// The memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes() + self.claims.capacity() * size_of::<u32>() + self.file.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_one_fingerprint_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let mut rows = DiskRows::open(folder.path(), 2, 0).unwrap();
        for number in 0..500 {
            assert_eq!(rows.number(&[number, 1], u64::from(number) << 40), Err(number));
        }
        rows.flush().unwrap();
        for number in (0..500).rev() {
            assert_eq!(rows.number(&[number, 1], u64::from(number) << 40), Ok(number));
        }
        rows.verify();
        assert!(!rows.has_collided());
        rows.claim(70, &[70, 2]);
        assert!(!rows.has_collided(), "it is compared later");
        rows.verify();
        assert!(rows.has_collided() && !rows.has_failed());
    }

    #[test]
    fn rows_in_memory_are_compared_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut rows = DiskRows::open(folder.path(), 1, 0).unwrap();
        assert_eq!(rows.number(&[7], 1), Err(0));
        assert_eq!(rows.number(&[8], 1), Ok(0));
        assert!(rows.has_collided());
    }
}
