//! wSC with the six-write pattern ("Boosting ... Saturation", section 4).
//!
//! For writes A and B of one location, B is ordered before A if there are locations y and z, writes
//! a_y and a_z of them before A, writes b_y and b_z of them after B, a read of a_z after b_y and a
//! read of a_y after b_z. Otherwise A would precede B, so a_y and a_z would precede b_y and b_z, their two
//! reads would too, and the four would be on a cycle.
//!
//! **How instances are found.** For a given A and B the pattern falls into two independent halves,
//! one that joins a_z and b_y, and one that joins a_y and b_z: it is enough to know for which pairs
//! (z, y) of locations a read of some a_z is after some b_y, and to look for a pair that is related
//! both ways. The nodes that precede the reads of a write are a row of bits. These rows are united for all
//! a_z before A, once for each A and z, and intersected with the row of the nodes that follow B.
//!
//! **Cost.** A round costs O(n/64) for each write and each write of any location before it, and
//! O(locations · n) for each pair of writes of one location that is unordered, at worst. Rounds are
//! repeated until one finds nothing; each that does orders a pair.

use host::Exceeded;

use crate::execution::{Execution, NONE};
use check::engine::relation::{Relation, bits};
use check::published::{Answer, Problem, Report};
use check::verdict::Statistics;

use super::{ForcedOrder, met};

/// Decides the criterion: whether saturation with the pattern finds no cycle (`wsc-pattern`).
pub fn decide(problem: &Problem<'_>) -> Report {
    let execution = Execution::new(problem.history, problem.reads_from);
    let forced = ForcedOrder::new(&execution, problem.model, problem.finals, problem.bounds);
    match forced.and_then(|mut forced| saturate(&execution, &mut forced).map(|()| forced)) {
        Ok(forced) => forced.report(),
        Err(_) => Answer::Exceeded.into(),
    }
}

/// Adds the pairs that the pattern orders, to a fixpoint.
///
/// # Errors
/// Returns the bound that was met.
pub fn saturate<'e>(
    execution: &'e Execution<'e>,
    forced: &mut ForcedOrder<'e>,
) -> Result<(), Exceeded> {
    while !forced.is_cyclic() {
        let found = instances(execution, forced)?;
        if found.is_empty() {
            break;
        }
        for (first, second) in found {
            forced.assume(first, second)?;
        }
    }
    Ok(())
}

/// The pairs of writes that the pattern orders and that are not ordered yet.
fn instances(
    execution: &Execution<'_>,
    forced: &ForcedOrder<'_>,
) -> Result<Vec<(u32, u32)>, Exceeded> {
    let mut open: Vec<(u32, u32)> = forced.unordered();
    open.extend(open.clone().iter().map(|&(first, second)| (second, first)));
    open.sort_unstable();
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let bytes = Relation::bytes(execution.len()) + seen_bytes(execution);
    if !forced.bounds.allows(bytes) {
        return Err(met(forced.bounds));
    }
    let reads = before_reads(execution, forced);
    let mut found = Vec::new();
    for pairs in open.chunk_by(|a, b| a.0 == b.0) {
        let later = pairs[0].0;
        let seen = Seen::new(execution, forced, &reads, later);
        for &(_, earlier) in pairs {
            if forced.bounds.passed() {
                return Err(met(forced.bounds));
            }
            if seen.crosses(execution, forced.hb().row(earlier)) {
                found.push((earlier, later));
            }
        }
    }
    Ok(found)
}

/// Per write, a row of the nodes that precede one of its readers.
fn before_reads(execution: &Execution<'_>, forced: &ForcedOrder<'_>) -> Relation {
    let mut reads = Relation::new(execution.len());
    for write in 0..execution.len() as u32 {
        for &reader in execution.readers.of(write) {
            reads.absorb_row(write, forced.hb_inverse().row(reader));
        }
    }
    reads
}

fn seen_bytes(execution: &Execution<'_>) -> usize {
    execution.locations() as usize * (execution.len().div_ceil(8) + 8)
}

/// For a write A, the locations with writes before A, and the nodes that precede reads of these writes.
struct Seen {
    locations: Vec<u32>,
    /// Per location, the nodes, as a row of bits.
    rows: Vec<Vec<u64>>,
}

impl Seen {
    fn new(
        execution: &Execution<'_>,
        forced: &ForcedOrder<'_>,
        reads: &Relation,
        later: u32,
    ) -> Seen {
        let mut of_location: Vec<Option<Vec<u64>>> = vec![None; execution.locations() as usize];
        for write in forced.hb_inverse().successors(later) {
            let location = execution.location[write as usize];
            if execution.readers.of(write).is_empty() || location == NONE {
                continue;
            }
            let row = of_location[location as usize].get_or_insert_with(Vec::new);
            row.resize(reads.row(write).len(), 0);
            for (word, more) in row.iter_mut().zip(reads.row(write)) {
                *word |= more;
            }
        }
        let (locations, rows) = of_location
            .into_iter()
            .enumerate()
            .filter_map(|(location, row)| Some((location as u32, row?)))
            .unzip();
        Seen { locations, rows }
    }

    /// Whether the pattern occurs with A and a write B, given the nodes after B as a row of bits.
    fn crosses(&self, execution: &Execution<'_>, after: &[u64]) -> bool {
        let mut related = std::collections::BTreeSet::new();
        for (&z, row) in self.locations.iter().zip(&self.rows) {
            let both: Vec<u64> = row.iter().zip(after).map(|(a, b)| a & b).collect();
            let writes = bits(&both).filter(|&node| execution.is_write(node));
            for y in writes.map(|write| execution.location[write as usize]) {
                if y != z && related.contains(&(y, z)) {
                    return true;
                }
                related.insert((z, y));
            }
        }
        false
    }
}

impl ForcedOrder<'_> {
    /// The report of an algorithm that ends with this order: the criterion holds if the order is acyclic.
    pub(super) fn report(&self) -> Report {
        Report {
            answer: if self.is_cyclic() { Answer::Refuted } else { Answer::Satisfied },
            statistics: Statistics {
                ordered: (!self.is_cyclic()).then(|| self.ordered()),
                ..Statistics::default()
            },
        }
    }
}
