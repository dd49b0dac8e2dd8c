//! Human-readable report of a test.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use explore::search::Stopped;
use settings::Setting;
use simulate::config::{handled, has_dma, takes_flushes, takes_invalidations};
use simulate::program::Extras;
use slicc::outline::TableEntry;
use slicc::requests::never_sent;
use tables::reached::Reached;

use super::options::Options;
use super::{Evidence, Explored, Finding, FindingKind, Known, NearestChange, Part, Tested};
use crate::protocols::{Opened, words_of};
use crate::released::words::explained_lines;
use crate::text::{counted, tame};

/// Explains the violation of a part of a run, in lines.
pub type Explain<'a> = &'a dyn Fn(&Part) -> String;

/// Most lines of evidence that are printed for a finding, if more than a few would be left out.
const LINES: usize = 40;
/// The number of lines that are not worth to be left out.
const FEW: usize = 10;

/// Writes the report. `explain` shows the violation of a part.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(
    tested: &Tested,
    options: &Options,
    explain: Explain<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", headline(tested, options))?;
    writeln!(out, "  coverage {}", coverage(tested))?;
    for explored in &tested.explored {
        writeln!(out, "  explored {}: {}", explored.system, extent(explored))?;
    }
    if !tested.warnings.is_empty() {
        writeln!(
            out,
            "  {} about the files: rubric protocol check {}",
            counted(tested.warnings.len(), "warning"),
            words_of(&tested.opened.given)
        )?;
    }
    let (known, new): (Vec<&Finding>, Vec<&Finding>) =
        tested.findings.iter().partition(|finding| finding.known.is_some());
    writeln!(out, "\n{}", verdict(tested))?;
    for finding in new {
        writeln!(out)?;
        shown(finding, explain, out)?;
    }
    if !known.is_empty() {
        writeln!(out, "\nKnown faults of gem5's released protocol, by their repairs")?;
    }
    known_faults(&known, out)?;
    match not_reached(tested, options) {
        Some(line) => writeln!(out, "\n{line}"),
        None => Ok(()),
    }
}

/// A sentence about the transitions that no program took; `None` if all were taken.
pub fn not_reached(tested: &Tested, options: &Options) -> Option<String> {
    let Reached { reached, reachable, .. } = coverage(tested);
    let what = format!("{} of {reachable} transitions", reachable - reached);
    (reachable > reached).then(|| untried(&what, &[&tested.opened], options))
}

/// The sentence that nothing is known about transitions that no program took, with what programs were not asked for.
pub(super) fn untried(what: &str, versions: &[&Opened], options: &Options) -> String {
    let mut reasons: Vec<String> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for one in versions.iter().filter(|one| !has_dma(&one.protocol)) {
        if !names.contains(&&*one.given) {
            names.push(&one.given);
        }
    }
    for name in names {
        reasons.push(format!("{} has no machine for DMA devices", tame(name)));
    }
    let given = options.extras.unwrap_or_else(|| {
        let handled = versions.iter().map(|one| handled(&one.protocol));
        handled.reduce(Extras::min).unwrap_or_default()
    });
    let left_out = [
        (Setting::Dma, given.devices == 0 && reasons.is_empty()),
        (
            Setting::Flush,
            given.flushes == 0 && versions.iter().all(|one| takes_flushes(&one.protocol)),
        ),
        (
            Setting::Dvm,
            given.dvm == 0 && versions.iter().all(|one| takes_invalidations(&one.protocol)),
        ),
    ];
    let left_out = left_out.into_iter().filter(|(_, is_out)| *is_out);
    let left_out: Vec<String> = left_out.map(|(setting, _)| setting.to_string()).collect();
    if !left_out.is_empty() {
        reasons.push(format!("the programs had no {}", left_out.join(" and no ")));
    }
    let mut unsent: Vec<String> = versions
        .iter()
        .flat_map(|one| never_sent(&one.protocol.loaded))
        .map(|one| one.to_string())
        .collect();
    unsent.dedup();
    reasons.extend(unsent);
    if options.explores && options.extras.is_some_and(|extras| extras.partial > 0) {
        reasons.push("explorations have no accesses to parts of words".to_owned());
    }
    let why = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
    format!("Not reached, and so not tested: {what}{why}")
}

/// Writes known findings below the faults that explain them.
fn known_faults(known: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    let mut groups: BTreeMap<&Known, Vec<&Finding>> = BTreeMap::new();
    for finding in known {
        if let Some(known) = &finding.known {
            groups.entry(known).or_default().push(finding);
        }
    }
    for (known, findings) in groups {
        writeln!(out)?;
        for line in explained_lines(known) {
            writeln!(out, "{line}")?;
        }
        for finding in findings {
            writeln!(out, "  {}, {}", finding.signature, occurrence(finding))?;
            writeln!(out, "    {}", finding.command)?;
        }
    }
    Ok(())
}

/// The sentence that says what was tested: programs, kinds of cores, operations, seeds and time.
pub fn headline(tested: &Tested, options: &Options) -> String {
    let seeds = match tested.runs {
        0 | 1 => format!("seed {}", options.seed),
        runs => {
            format!("seeds {} to {}", options.seed, options.seed.wrapping_add(u64::from(runs) - 1))
        }
    };
    format!(
        "{}{}: {} on each of {}, {} operations, {seeds}{}; {:.0} s{}",
        tame(&tested.opened.given),
        repaired(&tested.opened),
        counted(tested.runs as usize, "program"),
        kinds_of_cores(options),
        tested.operations,
        given_up(tested.given_up),
        tested.elapsed.as_secs_f64(),
        first_found(tested.first_found),
    )
}

/// When the first finding was seen, as `, the first finding after 3 s`; empty if there is none.
pub(super) fn first_found(first: Option<Duration>) -> String {
    let first =
        first.map(|first| format!(", the first finding after {:.1} s", first.as_secs_f64()));
    first.unwrap_or_default()
}

/// The repairs with which a protocol was tested, as ` with repairs one, another`; empty if there are none.
pub(super) fn repaired(opened: &Opened) -> String {
    match &opened.protocol.loaded.repairs[..] {
        [] => String::new(),
        [name] => format!(" with repair {name}"),
        names => format!(" with repairs {}", names.join(", ")),
    }
}

/// The number of runs that were given up, as `, 3 runs not finished in time`; empty if it is 0.
pub(super) fn given_up(runs: u32) -> String {
    match runs {
        0 => String::new(),
        runs => format!(", {} not finished in time", counted(runs as usize, "run")),
    }
}

/// The number of kinds of cores in words: `5 kinds of cores`.
pub(super) fn kinds_of_cores(options: &Options) -> String {
    match options.clients.len() {
        1 => "1 kind of core".to_owned(),
        count => format!("{count} kinds of cores"),
    }
}

/// The result in a few words: `No new findings`, with the number of known ones.
pub fn verdict(tested: &Tested) -> String {
    let new = match tested.new_findings().count() {
        0 => "No new findings".to_owned(),
        count => counted(count, "new finding"),
    };
    match tested.findings.iter().filter(|finding| finding.known.is_some()).count() {
        0 => new,
        count => format!("{new}; {} of gem5's released protocol", counted(count, "known finding")),
    }
}

/// The coverage of the protocol's table by the programs.
pub fn coverage(tested: &Tested) -> Reached {
    Reached::of(&tested.coverage, |row| row.unreached.is_some())
}

/// The extent of an exploration in words: its number of states, and a finding or the limit that ended it.
pub fn extent(explored: &Explored) -> String {
    let states = explored.progress.states;
    let original = match (explored.is_found, explored.stopped) {
        (true, _) => format!("a finding after {states} states"),
        (false, Some(why)) => format!("{states} states, then {}", reason(why)),
        (false, None) => format!("all {states} states"),
    };
    match &explored.repaired {
        Some(progress) => format!("{original}; {} states with repairs", progress.states),
        None => original,
    }
}

/// The limit that ended an exploration.
fn reason(why: Stopped) -> &'static str {
    match why {
        Stopped::Time => "the time limit",
        Stopped::Memory => "the memory limit",
        Stopped::Count => "the limit of states",
        Stopped::Interrupted => "an interruption",
    }
}

/// Writes a finding.
pub(super) fn shown(
    finding: &Finding,
    explain: Explain<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", finding.signature)?;
    writeln!(out, "  {}", finding.message)?;
    if let Some(source) = &finding.source {
        writeln!(out, "  at {}:{}: {}", source.file, source.line, source.text)?;
    }
    writeln!(out, "  {}", occurrence(finding))?;
    let change = finding.change.as_ref().map(|change| match change {
        NearestChange::Row(TableEntry { machine, state, event }) => {
            format!("{machine} ({state}, {event})")
        }
        NearestChange::Declaration(name) => name.clone(),
    });
    if let Some(change) = change {
        writeln!(out, "  nearest change: {}", tame(&change))?;
    }
    for line in finding.known.iter().flat_map(explained_lines) {
        writeln!(out, "  {line}")?;
    }
    for line in shortened(evidence(finding, explain), &finding.evidence) {
        writeln!(out, "    {line}")?;
    }
    writeln!(out, "  reproduce with: {}", finding.command)
}

/// The lines of evidence, of which some are left out if there are many: the later ones, or of a run of a small system those after its
/// beginning, since it goes wrong at its end.
fn shortened(mut lines: Vec<String>, evidence: &Evidence) -> Vec<String> {
    if lines.len() <= LINES + FEW {
        return lines;
    }
    let mut left_out = match evidence {
        Evidence::Steps { .. } => 1..lines.len() - LINES,
        _ => LINES..lines.len(),
    };
    // A move is shown with all its effects.
    let is_effect = |line: &str| line.starts_with("       ");
    while lines.get(left_out.end).is_some_and(|line| is_effect(line)) {
        left_out.end += 1;
    }
    let note = format!("… {} more lines (-o FILE.html shows all)", left_out.len());
    lines.splice(left_out, [note]);
    lines
}

/// In how many runs, and on which cores, a finding was seen.
pub fn occurrence(finding: &Finding) -> String {
    if finding.clients.is_empty() {
        return format!("seen in small systems only{}", also(finding));
    }
    let seen = counted(finding.seen as usize, "time");
    format!("seen {seen} on {}{}", finding.clients.join(", "), also(finding))
}

/// The findings that are taken for the same fault, as `, also as TSO violation`; empty if there are none.
fn also(finding: &Finding) -> String {
    let others: Vec<String> = finding.also.iter().map(ToString::to_string).collect();
    if others.is_empty() { String::new() } else { format!(", also as {}", others.join("; ")) }
}

/// The evidence for a finding, as lines: the smallest part of a violation, the last transitions and messages, or a shortest run.
pub fn evidence(finding: &Finding, explain: Explain<'_>) -> Vec<String> {
    match &finding.evidence {
        Evidence::Part(part) => {
            let text = explain(part);
            let what = if part.shrunk.is_minimal {
                "the smallest part"
            } else {
                "the smallest part that was found in the time"
            };
            let mut lines = vec![format!(
                "{what} that violates {}, {} of the run's {}, with their numbers in the run:",
                part.model,
                counted(part.shrunk.history.operations(), "operation"),
                part.whole.operations()
            )];
            lines.extend(text.lines().map(str::to_owned));
            lines
        }
        Evidence::Recent(recent) if recent.is_empty() => {
            without_part(finding).into_iter().collect()
        }
        Evidence::Recent(recent) => {
            let mut lines = vec!["the last transitions and messages for that address:".to_owned()];
            lines.extend(recent.iter().map(|line| format!("  {line}")));
            lines
        }
        Evidence::Steps { steps, is_shortest, notes } => {
            let short = if *is_shortest { "shortest" } else { "short" };
            let mut lines = vec![format!("a {short} run, of {}:", counted(steps.len(), "move"))];
            for (at, step) in steps.iter().enumerate() {
                lines.push(format!("{:3}  {}", at + 1, tame(&step.happens)));
                lines.extend(step.effects.iter().map(|effect| format!("       {}", tame(effect))));
            }
            lines.extend(notes.iter().map(|note| tame(note)));
            lines
        }
    }
}

/// A sentence that says why a violation has no smallest part, and how to get it; `None` for other findings.
fn without_part(finding: &Finding) -> Option<String> {
    let FindingKind::Violation(model, _) = finding.signature.kind else {
        return None;
    };
    Some(format!(
        "no operations and no picture: the time was over before they were found. Raise {}, or let `explain` draw the run: {} --save \
         run.json, then rubric explain --model {} run.json -o why.html",
        Setting::Budget,
        finding.command,
        model.0.name()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Cores, Signature, Weakness};
    use check::Model;

    #[test]
    fn a_violation_without_a_picture_says_how_to_get_one() {
        let finding = |kind: FindingKind| Finding {
            command: "rubric simulate P --recipe 7 --check".to_owned(),
            ..Finding::plain(Signature { kind, place: String::new() })
        };
        let violation = FindingKind::Violation(Weakness(Model::TSO), Cores::Plain);
        let [line] = &evidence(&finding(violation), &|_| String::new())[..] else {
            panic!("one line")
        };
        let commands = "rubric simulate P --recipe 7 --check --save run.json, then rubric explain --model tso run.json -o why.html";
        assert!(line.contains("the time was over") && line.ends_with(commands), "{line}");
        assert!(evidence(&finding(FindingKind::Deadlock), &|_| String::new()).is_empty());
    }
}
