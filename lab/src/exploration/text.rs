//! Human-readable report of an exploration.

use std::io::{self, Write};

use explore::memory::method::Search;
use explore::protocol::{Asymmetry, LiveVariables, PartialOrder, Verdict, Violation, WarningRun};
use explore::search::Progress;
use settings::Setting;
use simulate::stepper::DescribedMove;

use super::moves::{heading_of_run, listed, reason};
use super::{Explored, Plan, Subject, Warned, fair, memory_system, unreached};
use crate::folder::bytes_in;
use crate::outcome::Outcome;
use crate::released::words::explained_lines;
use crate::testing::Known;
use crate::text::tame;

/// Writes one exploration.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(
    plan: &Plan,
    subject: &Subject,
    explored: &Explored,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title = match subject.mutant() {
        Some(mutant) => format!("{} with {mutant}", subject.given),
        None => subject.given.to_owned(),
    };
    writeln!(out, "{}: {}", tame(&title), plan.size())?;
    let progress = &explored.exploration.progress;
    match &explored.exploration.verdict {
        Verdict::Clean => {
            let repertoire = &plan.scope.repertoire;
            let also = [
                (
                    repertoire.linked || repertoire.locked || repertoire.atomic,
                    "atomicity violation",
                ),
                (repertoire.early, "missed invalidation"),
            ];
            let also = also.iter().filter(|(is_checked, _)| *is_checked);
            let also: String = also.map(|(_, kind)| format!(" no {kind},")).collect();
            writeln!(
                out,
                "  nothing found: no fault, no SWMR violation, no stale value,{also} no deadlock, no livelock"
            )?;
            what_runs_have(explored, plan, "all runs", out)?;
        }
        Verdict::Unproved { missed } => {
            writeln!(
                out,
                "  undecided: nothing found among states with different fingerprints: no fault, no SWMR violation, no stale value, \
                 no deadlock; livelocks were not looked for. States were missed with a probability of at most {missed:.1e}"
            )?;
            what_runs_have(explored, plan, "runs", out)?;
        }
        Verdict::Found(found) => violation(found, explored, out)?,
        Verdict::Stopped(why) => writeln!(
            out,
            "  undecided: {}. Nothing found so far: all runs of {} moves or less were looked at, {} states are left",
            reason(*why),
            progress.depth,
            progress.open
        )?,
    }
    let order = explored.exploration.partial_order;
    for (run, warned) in explored.exploration.warnings.iter().zip(&explored.warned) {
        warning(run, order, warned, out)?;
    }
    let files = plan.disk.as_deref().map(|folder| bytes_in(folder) as f64 / 1e6);
    let files = files.map_or(String::new(), |megabytes| format!(" and {megabytes:.1} MB in files"));
    writeln!(out, "  {}{files}", numbers(progress))?;
    symmetries(subject, explored, out)?;
    partial_order(order, out)?;
    live_variables(explored.exploration.live_variables, out)?;
    writeln!(out, "  coverage {}", explored.coverage)?;
    if let Some(rest) = &explored.unreached {
        unreached::write(rest, plan, &explored.exploration, out)?;
    }
    if let Some(fair) = &explored.fair {
        fair::write(fair, out)?;
    }
    for search in &explored.searches {
        memory_system::text_of(search, out)?;
    }
    if explored.outcome() == Outcome::Found {
        writeln!(out, "  reproduce with: {}", tame(&subject.command(plan)))?;
    }
    let has_none = |search: &Search| search.found.is_none() && search.stopped.is_none();
    if !explored.searches.is_empty() && explored.searches.iter().all(has_none) {
        writeln!(
            out,
            "  every run is SC, the stores of each line being ordered as they are performed"
        )
    } else {
        Ok(())
    }
}

/// Says which requests the runs without a finding consist of, and which options add others: a fault that needs other requests is
/// not excluded.
fn what_runs_have(
    explored: &Explored,
    plan: &Plan,
    runs: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "  in {runs} of {} of one word a line", plan.asked())?;
    if explored.exploration.memory_caught_up {
        let most = plan.scope.memory_queue;
        let more = Setting::MemoryQueue.to(most.saturating_mul(2).max(1));
        writeln!(
            out,
            "  with at most {most} messages between a directory and memory; more: {more}"
        )?;
    }
    let starvation =
        if plan.fair { String::new() } else { format!("; starvation: {}", Setting::Fair) };
    writeln!(
        out,
        "  other runs: {}; `rubric simulate --per-line 2` for several words a line{starvation}",
        plan.other_runs().join(", ")
    )
}

fn violation(found: &Violation, explored: &Explored, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  found: {}", tame(&found.sentence()))?;
    if let Some((file, line, text)) = &explored.place {
        writeln!(out, "    at {}:{line}: {}", tame(file), tame(text))?;
    }
    if let Some(latest) = found.latest_sentence() {
        writeln!(out, "    {latest}")?;
    }
    explanation(explored.known.as_ref(), out)?;
    shortest_run(&found.steps, explored.exploration.partial_order, out)?;
    if !found.left.is_empty() {
        writeln!(out, "  what waits then:")?;
    }
    found.left.iter().try_for_each(|line| writeln!(out, "    {}", tame(line)))
}

/// Writes a mistake that gem5 accepts, with a shortest run to it.
fn warning(
    run: &WarningRun,
    order: PartialOrder,
    warned: &Warned,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "  warning: {}", tame(&run.warning.message))?;
    if let Some((file, line, text)) = &warned.place {
        writeln!(out, "    at {}:{line}: {}", tame(file), tame(text))?;
    }
    explanation(warned.known.as_ref(), out)?;
    writeln!(out, "    gem5 continues; {} makes it a fault", Setting::Strict)?;
    shortest_run(&run.steps, order, out)
}

/// Writes the released faults that explain a finding or a warning, if there are any.
fn explanation(known: Option<&Known>, out: &mut dyn Write) -> io::Result<()> {
    let lines = known.into_iter().flat_map(explained_lines);
    for (at, line) in lines.enumerate() {
        writeln!(out, "    {}{line}", if at == 0 { "known: " } else { "" })?;
    }
    Ok(())
}

fn shortest_run(
    steps: &[DescribedMove],
    order: PartialOrder,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "  {}:", heading_of_run(steps.len(), order))?;
    listed(steps, 1, out)
}

/// Says by which symmetries states were reduced, and why others could not be used.
fn symmetries(subject: &Subject, explored: &Explored, out: &mut dyn Write) -> io::Result<()> {
    let exploration = &explored.exploration;
    if !exploration.symmetries.is_empty() {
        let names: Vec<&str> = exploration.symmetries.iter().map(|one| one.name()).collect();
        writeln!(
            out,
            "  symmetry: {} (of states that differ only in their names, one was explored)",
            names.join(" and ")
        )?;
    }
    for Asymmetry { symmetry, reason } in &exploration.asymmetries {
        let reason = subject.why(reason);
        writeln!(out, "  no symmetry of {}: {}", symmetry.name(), tame(&reason))?;
    }
    Ok(())
}

/// Says whether the exploration used partial-order reduction, in which memory performs each request at once.
fn partial_order(order: PartialOrder, out: &mut dyn Write) -> io::Result<()> {
    match order {
        PartialOrder::Off => Ok(()),
        PartialOrder::On => writeln!(
            out,
            "  partial order: memory performs each request at once (of runs that differ only in when it does, one was explored)"
        ),
        PartialOrder::Refused => {
            writeln!(out, "  no partial order: a run depends on the requests that wait for memory")
        }
    }
}

/// Says whether states were taken for equal that differ only in fields that are not read before they are written.
fn live_variables(live: LiveVariables, out: &mut dyn Write) -> io::Result<()> {
    match live {
        LiveVariables::Off => Ok(()),
        LiveVariables::On => writeln!(
            out,
            "  live variables: fields that are not read before they are written make no difference"
        ),
        LiveVariables::Refused => writeln!(
            out,
            "  no live variables: a transition begins in another state than its entry or TBE has"
        ),
    }
}

fn numbers(progress: &Progress) -> String {
    format!(
        "{} states, {} moves, depth {}; {:.2} s, {:.0} states/s, {:.1} MB",
        progress.states,
        progress.moves,
        progress.depth,
        progress.time.as_secs_f64(),
        progress.states_per_second(),
        progress.bytes as f64 / 1e6
    )
}
