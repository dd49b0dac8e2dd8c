//! Writes proofs as text, as `rubric check` prints them below a verdict.

use std::io::{self, Write};

use certify::certificate::Node;
use check::criterion_violation::CriterionViolation;
use check::engine::proof::{Block, Contradiction, Violation};
use history::{History, OpId};
use memory::machine::Step;
use settings::Setting;

use super::notes::Cycle;
use super::{criterion, why};

/// Number of cases of a proof that are printed in full.
const CASES_IN_FULL: usize = 4;

/// A function that styles a label for the output, or returns it unchanged.
pub type Paint<'a> = &'a dyn Fn(&str) -> String;

/// Explains as text why a history violates a model, without colours.
pub fn explanation(history: &History, violation: &Violation) -> String {
    collect(|out| self::violation(history, violation, &str::to_owned, out))
}

/// Writes why a history violates a model, with the cases of the proof. `paint` makes the labels of edges less prominent.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn violation(
    history: &History,
    violation: &Violation,
    paint: Paint<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "  {}", why::headline(history, violation))?;
    if let Some(Contradiction::ThinAir(op)) = violation.last().map(|block| &block.end) {
        let op = *op;
        writeln!(out, "    {}", why::operation(history, op))?;
        writeln!(
            out,
            "    if memory held that value before the trace begins, say so: {}, or a file",
            Setting::Initial.to("infer")
        )?;
    }
    if let [block] = &violation.blocks[..] {
        return block_of(history, block, "    ", paint, out);
    }
    let cases = violation.blocks.len();
    for (case, block) in violation.blocks.iter().enumerate() {
        if case >= CASES_IN_FULL && case + 1 < cases {
            continue;
        }
        let assumed = block.assumptions.iter();
        let assumed = assumed.map(|&assumed| why::assumption(history, assumed));
        let assumed: Vec<String> = assumed.collect();
        if assumed.is_empty() {
            writeln!(out, "    in any case:")?
        } else {
            writeln!(out, "    case {}: assume {}:", case + 1, assumed.join(", "))?
        }
        block_of(history, block, "      ", paint, out)?;
    }
    if cases > CASES_IN_FULL + 1 {
        let left = cases - CASES_IN_FULL - 1;
        let certificate = Setting::Certificate;
        writeln!(out, "    and {left} more cases; {certificate} writes all of the proof")?;
    }
    if !violation.resolvents.is_empty() {
        writeln!(
            out,
            "    one of the cases always holds: the proof shows it in {} steps",
            violation.resolvents.len()
        )?;
    }
    Ok(())
}

fn block_of(
    history: &History,
    block: &Block,
    indent: &str,
    paint: Paint<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(cycle) = why::cycle(history, block) else {
        return Ok(());
    };
    let proof = Violation { blocks: vec![block.clone()], resolvents: Vec::new() };
    cycle_of(history, &cycle, proof.operations(|_| None), indent, paint, out)
}

/// Writes why a history does not satisfy a criterion, as [`violation`] does for a model.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn criterion_violation(
    history: &History,
    violation: &CriterionViolation,
    paint: Paint<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "  {}", criterion::headline(history, violation))?;
    let cycle = criterion::cycle(history, violation);
    cycle_of(history, &cycle, violation.operations(), "    ", paint, out)
}

/// Writes a cycle with its notes, and the operations of the proof that the cycle does not show.
fn cycle_of(
    history: &History,
    cycle: &Cycle,
    mut operations: Vec<OpId>,
    indent: &str,
    paint: Paint<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (at, edge) in cycle.edges.iter().enumerate() {
        if at == 0 {
            writeln!(out, "{indent}{}", place(history, edge.before))?;
        }
        let cited = edge.letter.as_ref().map(|letter| format!(" [{letter}]"));
        let label = format!("{}{}", edge.name, cited.unwrap_or_default());
        writeln!(out, "{indent}  | {}", paint(&label))?;
        let last = at + 1 == cycle.edges.len();
        let back = if last { " (again)" } else { "" };
        writeln!(out, "{indent}{}{back}", place(history, edge.after))?;
    }
    for note in &cycle.notes {
        writeln!(out, "{indent}[{}] {}", note.letter, note.text)?;
    }
    let shown = |op: &OpId| cycle.edges.iter().any(|edge| edge.before == Node::Op(*op));
    operations.retain(|op| !shown(op));
    if !operations.is_empty() {
        writeln!(out, "{indent}with")?;
    }
    for op in operations {
        writeln!(out, "{indent}  {}", why::operation(history, op))?;
    }
    Ok(())
}

/// A memory order in words, a line for each step, indented by thread.
pub fn memory_order(history: &History, steps: &[Step]) -> String {
    collect(|out| {
        let listed = super::listed(history, steps);
        writeln!(out, "  the memory order that explains it, {} steps:", listed.len())?;
        for step in &listed {
            let (op, what) = match step {
                Step::Execute(op) => (*op, why::operation(history, *op)),
                Step::Commit(op) => (*op, format!("{:8} reaches memory", why::label(history, *op))),
            };
            let indent = 2 * (1 + history.thread_of(op).min(20));
            writeln!(out, "{:indent$}{what}", "")?;
        }
        match super::not_listed(steps.len() - listed.len()) {
            Some(remark) => writeln!(out, "  {remark}"),
            None => Ok(()),
        }
    })
}

/// Describes an operation with the tick and line by which to find it in the trace, or names an initial or final value.
fn place(history: &History, node: Node) -> String {
    match node {
        Node::Op(op) => why::operation(history, op),
        Node::Initial(_) | Node::Final(_) => why::node(history, node),
    }
}

/// Returns what a function writes as text.
fn collect(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = write(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}
