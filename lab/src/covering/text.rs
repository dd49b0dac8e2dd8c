//! The report of a search for runs, in words.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use explore::protocol::cover::CoveringRun;
use simulate::stepper::DescribedMove;
use slicc::outline::TableEntry;

use super::{Covered, Fate, FoundByWalks, Replayed};
use crate::testing::judge::{Problem, of_violation};
use crate::text::{counted, tame};

/// The number of rows of a machine, by their fate.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub all: usize,
    pub taken: usize,
    pub proved: usize,
    pub lacking: usize,
    /// Those of the rows that are left that are taken only after others of them.
    pub following: usize,
}

impl Counts {
    pub(super) fn left(self) -> usize {
        self.all - self.taken - self.proved - self.lacking
    }

    /// The percentage of the rows that are not proved unreachable that was taken.
    pub(super) fn percent(self) -> f64 {
        match self.all - self.proved {
            0 => 100.0,
            possible => self.taken as f64 * 100.0 / possible as f64,
        }
    }

    fn add(&mut self, fate: &Fate) {
        self.all += 1;
        self.taken += usize::from(fate.is_taken());
        self.proved += usize::from(matches!(fate, Fate::Proved(_)));
        self.lacking += usize::from(matches!(fate, Fate::Lacking(_)));
        self.following += usize::from(matches!(fate, Fate::Left { follows: true, .. }));
    }
}

/// The counts of each machine, and those of all.
pub(super) fn counts(covered: &Covered) -> (BTreeMap<&str, Counts>, Counts) {
    let (mut machines, mut all) = (BTreeMap::<&str, Counts>::new(), Counts::default());
    for (entry, fate) in &covered.rows {
        machines.entry(&entry.machine).or_default().add(fate);
        all.add(fate);
    }
    (machines, all)
}

/// Writes what became of all rows.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(covered: &Covered, out: &mut dyn Write) -> io::Result<()> {
    let (machines, all) = counts(covered);
    writeln!(
        out,
        "{}: {} of {} taken, {} proved unreachable, {} need other systems, {} left{}: {:.0} % of those that are not proved",
        tame(&covered.opened.given),
        all.taken,
        counted(all.all, "transition"),
        all.proved,
        all.lacking,
        all.left(),
        match all.following {
            0 => String::new(),
            following => format!(" ({following} of these only after others of them)"),
        },
        all.percent()
    )?;
    writeln!(
        out,
        "\n  {:16} {:>11} {:>6} {:>7} {:>6} {:>5} {:>6}",
        "machine", "transitions", "taken", "proved", "needs", "left", "share"
    )?;
    for (machine, own) in &machines {
        writeln!(
            out,
            "  {:16} {:>11} {:>6} {:>7} {:>6} {:>5} {:>4.0} %",
            tame(machine),
            own.all,
            own.taken,
            own.proved,
            own.lacking,
            own.left(),
            own.percent()
        )?;
    }
    let proved = |fate: &'_ Fate| match fate {
        Fate::Proved(why) => Some(why.clone()),
        _ => None,
    };
    let lacking = |fate: &'_ Fate| match fate {
        Fate::Lacking(why) => Some(why.clone()),
        _ => None,
    };
    let left = |fate: &'_ Fate| match fate {
        Fate::Left { why, follows: false } => Some(why.clone()),
        _ => None,
    };
    let following = |fate: &'_ Fate| match fate {
        Fate::Left { why, follows: true } => Some(why.clone()),
        _ => None,
    };
    by_reason(covered, "proved unreachable, in systems of any size", proved, out)?;
    by_reason(covered, "not in any system that is drawn here", lacking, out)?;
    by_reason(covered, "left", left, out)?;
    by_reason(covered, "left, and no run takes them before another that is left", following, out)?;
    extent(covered, out)?;
    findings(covered, out)
}

/// Lists the rows of one fate, those of one reason together.
fn by_reason(
    covered: &Covered,
    title: &str,
    reason: impl Fn(&Fate) -> Option<String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    // For each machine and reason, the events of each state.
    let mut groups: BTreeMap<(&str, String), BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for (entry, fate) in &covered.rows {
        if let Some(why) = reason(fate) {
            let group = groups.entry((&entry.machine, why)).or_default();
            group.entry(&entry.state).or_default().push(&entry.event);
        }
    }
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}:")?;
    for ((machine, why), states) in groups {
        let count: usize = states.values().map(Vec::len).sum();
        writeln!(out, "  {machine}, {}: {}", counted(count, "transition"), tame(&why))?;
        let events: BTreeSet<&str> = states.values().flatten().copied().collect();
        let is_told = |name: &str| why.split(' ').any(|word| word == name);
        match (events.len(), states.len()) {
            (1, _) if events.iter().all(|event| is_told(event)) => {
                let names: Vec<&str> = states.into_keys().collect();
                writeln!(out, "    in {}", names.join(", "))?;
            }
            _ => {
                for (state, events) in states {
                    writeln!(out, "    {state}: {}", events.join(", "))?;
                }
            }
        }
    }
    Ok(())
}

/// Says how much was looked at.
fn extent(covered: &Covered, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n{} in {}, {}, seed {}; {:.1} s, and nothing new after {:.1} s",
        counted(covered.walks as usize, "walk"),
        counted(covered.systems as usize, "small system"),
        counted(covered.programs as usize, "random program"),
        covered.options.seed,
        covered.elapsed.as_secs_f64(),
        covered.last_taken.as_secs_f64()
    )
}

/// Lists what went wrong on walks.
fn findings(covered: &Covered, out: &mut dyn Write) -> io::Result<()> {
    if covered.findings.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nwalks ended in {}:", counted(covered.findings.len(), "finding"))?;
    covered.findings.iter().try_for_each(|found| finding(covered, found, out))
}

/// Writes a finding in which walks ended.
fn finding(covered: &Covered, found: &FoundByWalks, out: &mut dyn Write) -> io::Result<()> {
    let walks = counted(found.walks as usize, "walk");
    let Some(problem) = problem(covered, found) else { return Ok(()) };
    writeln!(out, "  {}, {walks}", tame(&problem.signature.to_string()))?;
    writeln!(out, "    {}", tame(&problem.message))?;
    if let Some(source) = &problem.source {
        writeln!(out, "    at {}:{}: {}", source.file, source.line, source.text)?;
    }
    writeln!(out, "    show it: {}", covered.replay_command(found.system, &found.run))
}

/// What is wrong at the end of walks.
pub(super) fn problem(covered: &Covered, found: &FoundByWalks) -> Option<Problem> {
    let violation = found.run.violation.as_ref()?;
    Some(of_violation(violation, &covered.opened.protocol))
}

/// Writes how a row is reached, or why it is not.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write_run(
    covered: &Covered,
    entry: &TableEntry,
    run: Option<&CoveringRun>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let TableEntry { machine, state, event } = entry;
    let name = format!("{}: {machine} {state} {event}", covered.opened.given);
    match (covered.rows.get(entry), run) {
        (Some(Fate::Program(client, lineage)), _) => {
            writeln!(out, "{}: taken by a random program", tame(&name))?;
            writeln!(out, "  run it: {}", tame(&covered.command(*client, lineage)))
        }
        (Some(Fate::Proved(why)), _) => {
            writeln!(out, "{}: unreachable in systems of any size: {}", tame(&name), tame(why))
        }
        (Some(Fate::Walk(walk)), Some(run)) => {
            let system = covered.system_of(entry).unwrap_or_default();
            writeln!(out, "{}: taken in {}", tame(&name), counted(run.steps.len(), "move"))?;
            writeln!(out, "  in a system of {}", tame(&system))?;
            steps(&run.steps, out)?;
            writeln!(out, "  show it again: {}", covered.replay_command(walk.system, run))
        }
        (fate, _) => {
            let why = match fate {
                Some(Fate::Left { why, .. } | Fate::Lacking(why)) => why,
                _ => "the run that took it could not be repeated",
            };
            writeln!(out, "{}: not taken; {}", tame(&name), tame(why))?;
            extent(covered, out)
        }
    }
}

/// Writes a walk that was made again, and how it ends.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write_replayed(replayed: &Replayed, out: &mut dyn Write) -> io::Result<()> {
    let Replayed { opened, system, run } = replayed;
    let moves = counted(run.steps.len(), "move");
    writeln!(out, "{}: {moves} in a system of {}", tame(&opened.given), tame(system))?;
    steps(&run.steps, out)?;
    let Some(violation) = &run.violation else {
        return writeln!(out, "nothing wrong is found at its end");
    };
    let problem = of_violation(violation, &opened.protocol);
    writeln!(out, "{}", tame(&problem.signature.to_string()))?;
    writeln!(out, "  {}", tame(&problem.message))?;
    if let Some(source) = &problem.source {
        writeln!(out, "  at {}:{}: {}", source.file, source.line, source.text)?;
    }
    violation.notes().iter().try_for_each(|note| writeln!(out, "  {}", tame(note)))
}

fn steps(steps: &[DescribedMove], out: &mut dyn Write) -> io::Result<()> {
    for (number, step) in steps.iter().enumerate() {
        writeln!(out, "  {:3}  {}", number + 1, tame(&step.happens))?;
        step.effects.iter().try_for_each(|effect| writeln!(out, "       {}", tame(effect)))?;
    }
    Ok(())
}
