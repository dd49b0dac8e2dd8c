//! The answers of a campaign, as human-readable text.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::PathBuf;

use host::Paint;
use report::answers::{
    Alarm, Answers, Effort, FINDERS, KillMatrix, KillRow, OperationsToDetection, Rates, Scope,
    Survivor,
};
use report::numbers::{halves, percent};
use tables::reached::Reached;

use super::table::Table;
use super::{Campaign, Progress};
use crate::check::paint::paint;
use lab::released::words::{TRIED, TRIED_IN_GEM5, explained_briefly};

/// Most tables whose names are printed.
const TABLES: usize = 4;

/// The campaign, and how it is printed.
struct Page<'a> {
    campaign: &'a Campaign<'a>,
    answers: &'a Answers,
    /// Most rows of a long list.
    most: usize,
    /// The option or the command that prints all rows.
    for_all: &'a str,
    paint: Paint,
}

/// Prints the answers of a campaign.
pub(super) fn print(
    campaign: &Campaign<'_>,
    answers: &Answers,
    for_all: &str,
    tables: &[PathBuf],
    progress: Option<&Progress>,
    most: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let paint = paint();
    let page = Page { campaign, answers, most, for_all, paint };
    page.overview(progress, out)?;
    page.kills(out)?;
    page.clients(out)?;
    page.rates(out)?;
    page.operations(out)?;
    page.violations(out)?;
    page.failures(out)?;
    page.survivors(out)?;
    page.equivalents(out)?;
    page.generators(out)?;
    page.alarms(out)?;
    page.coverage(out)?;
    let paths = tables.iter().take(TABLES);
    let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    match tables.len().saturating_sub(TABLES) {
        _ if tables.is_empty() => {}
        0 => writeln!(out, "\nTables: {}", paths.join(", "))?,
        more => writeln!(out, "\nTables: {} and {more} more", paths.join(", "))?,
    }
    Ok(())
}

impl Page<'_> {
    fn overview(&self, progress: Option<&Progress>, out: &mut dyn Write) -> io::Result<()> {
        let runs = self.campaign.runs;
        let protocols: BTreeSet<&str> = runs.iter().map(|run| &*run.protocol).collect();
        let clients: BTreeSet<&str> = runs.iter().map(|run| &*run.client).collect();
        let protocols: Vec<&str> = protocols.into_iter().collect();
        let clients: Vec<&str> = clients.into_iter().collect();
        if !runs.is_empty() {
            writeln!(out, "{} on {}", protocols.join(", "), clients.join(", "))?;
        }
        let time = progress.map(|progress| format!(" in {:.0} s", progress.seconds));
        let operations: u64 = runs.iter().map(|run| u64::from(run.operations)).sum();
        writeln!(
            out,
            "  {} runs, {operations} operations{}",
            runs.len(),
            time.unwrap_or_default()
        )?;
        let total = self.total().map_or((0, 0), |total| (total.mutants, total.killed));
        let (tried, caught) = total;
        let apart = self.answers.equivalents.len();
        writeln!(
            out,
            "  {} mutants: {caught} found, {} not found, {apart} excluded",
            tried + apart as u64,
            tried - caught
        )?;
        if self.campaign.is_running {
            let note = "  The campaign has not finished. Mutants without runs are not counted.";
            writeln!(out, "{}", self.paint.unsure(note))?;
        }
        if progress.is_some_and(|progress| !progress.is_whole) {
            let note = "  The time limit ended before all runs were done: the same command resumes the campaign. Mutants without \
                        runs are not counted.";
            writeln!(out, "{}", self.paint.unsure(note))?;
        }
        Ok(())
    }

    fn matrix(&self) -> Option<&KillMatrix> {
        self.answers.kills.iter().find(|matrix| matrix.scope == Scope::All)
    }

    fn total(&self) -> Option<&KillRow> {
        self.matrix().map(|matrix| &matrix.total)
    }

    /// Prints how many mutants of each operator each finder found. Several protocols are compared side by side.
    fn kills(&self, out: &mut dyn Write) -> io::Result<()> {
        let shown = self.answers.shown(&self.answers.kills, |matrix| &matrix.scope);
        let each: Vec<(&str, &KillMatrix)> = shown
            .filter_map(|matrix| match &matrix.scope {
                Scope::Protocol(protocol) => Some((protocol.as_str(), matrix)),
                _ => None,
            })
            .collect();
        if !each.is_empty() {
            return compared(&each, out);
        }
        let Some(matrix) = self.matrix().filter(|matrix| !matrix.rows.is_empty()) else {
            return Ok(());
        };
        writeln!(out, "\nMutants of each operator, and how many of them each finder found")?;
        let mut headings = vec!["", "mutants", "found"];
        headings.extend(FINDERS.map(short));
        let mut table = Table::new(&headings);
        matrix.rows.iter().for_each(|row| table.push(cells(&row.operator, row)));
        table.push(cells("all", &matrix.total));
        table.print(out)
    }

    /// Prints how many mutants each kind of core found, and how fast.
    fn clients(&self, out: &mut dyn Write) -> io::Result<()> {
        let clients = &self.answers.clients;
        if clients.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "\nMutants that each kind of core found, of those that ran on it; medians of runs until found and operations until detected"
        )?;
        let mut table = Table::new(&["", "client", "found", "runs", "operations"]);
        let median = |number: Option<f64>| number.map_or("-".to_owned(), halves);
        for one in clients {
            table.push(vec![
                one.protocol.clone(),
                one.client.clone(),
                format!("{}/{}", one.found, one.mutants),
                median(one.median_run),
                median(one.median_operations),
            ]);
        }
        table.print(out)
    }

    fn rates(&self, out: &mut dyn Write) -> io::Result<()> {
        for rates in self.of_models(&self.answers.rates, |rates: &Rates| &rates.scope) {
            if rates.violating == 0 {
                continue;
            }
            writeln!(
                out,
                "\nOf {}{} that {} {}, refuted by",
                if rates.violating == 1 {
                    "1 run".to_owned()
                } else {
                    format!("{} runs", rates.violating)
                },
                protocol(&rates.scope),
                if rates.violating == 1 { "violates" } else { "violate" },
                model(&rates.scope)
            )?;
            let counted = || rates.criteria.iter().filter(|rate| rate.asked > 0);
            let names: Vec<&str> = counted().map(|rate| rate.criterion).collect();
            let mut table = Table::new(&[&[""][..], &names].concat());
            let count = counted().map(|rate| rate.caught.to_string());
            table.push(std::iter::once("runs".to_owned()).chain(count).collect());
            let shares = counted().map(|rate| rate.share.map_or("-".to_owned(), percent));
            table.push(std::iter::once("share".to_owned()).chain(shares).collect());
            table.print(out)?;
            for claim in rates.claims.iter().filter(|claim| claim.of > 0) {
                writeln!(
                    out,
                    "  {}: {} of {}, {} ({} says {})",
                    claim.claim,
                    claim.found,
                    claim.of,
                    claim.share.map_or("-".to_owned(), percent),
                    claim.paper,
                    claim.stated.map_or("-".to_owned(), percent)
                )?;
            }
        }
        Ok(())
    }

    /// The answers about each model; if there are several protocols, those about each protocol and model. The answers about
    /// single kinds of cores are only in the JSON.
    fn of_models<'a, T>(
        &'a self,
        all: &'a [T],
        scope: impl Fn(&T) -> &Scope + Copy,
    ) -> impl Iterator<Item = &'a T> {
        let shown = self.answers.shown(all, scope);
        shown.filter(move |one| matches!(scope(one), Scope::Model(_) | Scope::Cores { .. }))
    }

    fn operations(&self, out: &mut dyn Write) -> io::Result<()> {
        let all =
            self.of_models(&self.answers.operations, |one: &OperationsToDetection| &one.scope);
        let all: Vec<_> =
            all.filter(|one| one.criteria.iter().any(|spread| spread.runs > 0)).collect();
        if all.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nOperations completed until a violation is detected, median and mean")?;
        for one in all {
            let counted = || one.criteria.iter().filter(|spread| spread.runs > 0);
            let names: Vec<&str> = counted().map(|spread| spread.criterion).collect();
            let clients = format!("clients of {}{}", model(&one.scope), protocol(&one.scope));
            let mut table = Table::new(&[&[&*clients][..], &names].concat());
            let number =
                |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
            let median = |value: Option<f64>| value.map_or("-".to_owned(), halves);
            let medians = counted().map(|spread| median(spread.median));
            table.push(std::iter::once("median".to_owned()).chain(medians).collect());
            let means = counted().map(|spread| number(spread.mean));
            table.push(std::iter::once("mean".to_owned()).chain(means).collect());
            table.print(out)?;
        }
        Ok(())
    }

    fn violations(&self, out: &mut dyn Write) -> io::Result<()> {
        let caught = &self.answers.caught;
        let violations = || caught.iter().filter(|one| one.outcome == "violation");
        if violations().next().is_none() {
            return Ok(());
        }
        writeln!(
            out,
            "\nViolations of what a client guarantees: the finders, and the command that reproduces the first"
        )?;
        for one in violations().take(self.most) {
            let finders = one.finders.join(" ");
            writeln!(out, "  {}  {}", one.mutant, self.paint.faint(&finders))?;
            writeln!(out, "      {}", one.command)?;
        }
        self.more(violations().count(), out)
    }

    /// Prints the mutants that only a fault of the protocol revealed.
    fn failures(&self, out: &mut dyn Write) -> io::Result<()> {
        let caught = &self.answers.caught;
        let failures = || caught.iter().filter(|one| one.outcome != "violation");
        if failures().next().is_none() {
            return Ok(());
        }
        writeln!(
            out,
            "\nFaults of the protocol without a violation: how the first run ended, and the command that reproduces it"
        )?;
        for one in failures().take(self.most) {
            let name = self.name(&one.protocol, &one.mutant);
            writeln!(out, "  {name}  {}", self.paint.faint(one.outcome))?;
            writeln!(out, "      {}", one.command)?;
        }
        self.more(failures().count(), out)
    }

    fn survivors(&self, out: &mut dyn Write) -> io::Result<()> {
        let survivors = &self.answers.survivors;
        if survivors.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nNot found, ordered by how often the edited place was taken")?;
        let mut table = Table::new(&["", "taken", "runs"]);
        for one in survivors.iter().take(self.most) {
            let Survivor { covered, runs, .. } = one;
            let covered = covered.map_or("?".to_owned(), |covered| covered.to_string());
            table.push(vec![self.name(&one.protocol, &one.mutant), covered, runs.to_string()]);
        }
        table.print(out)?;
        self.more(survivors.len(), out)
    }

    fn equivalents(&self, out: &mut dyn Write) -> io::Result<()> {
        let equivalents = &self.answers.equivalents;
        if equivalents.is_empty() {
            return Ok(());
        }
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for one in equivalents {
            *kinds.entry(&one.kind).or_default() += 1;
        }
        let kinds: Vec<String> =
            kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        writeln!(
            out,
            "\nExcluded, equivalent to their protocol, unreachable or harmless: {}",
            kinds.join(", ")
        )?;
        for one in equivalents.iter().take(self.most) {
            writeln!(out, "  {}", self.name(&one.protocol, &one.mutant))?;
            writeln!(out, "      {}", self.paint.faint(&one.reason))?;
        }
        self.more(equivalents.len(), out)
    }

    /// A mutant, with its protocol if the name alone is ambiguous: two versions of a protocol have mutants of the same names.
    fn name(&self, protocol: &str, mutant: &str) -> String {
        let is_clear = !mutant.contains('/') || mutant.starts_with(&format!("{protocol}/"));
        if is_clear || self.campaign.runs.iter().all(|run| run.protocol == protocol) {
            mutant.to_owned()
        } else {
            format!("{mutant} ({protocol})")
        }
    }

    fn more(&self, all: usize, out: &mut dyn Write) -> io::Result<()> {
        match all.saturating_sub(self.most) {
            0 => Ok(()),
            more => writeln!(out, "  and {more} more ({} shows them)", self.for_all),
        }
    }

    fn generators(&self, out: &mut dyn Write) -> io::Result<()> {
        let compared: Vec<_> = self
            .answers
            .generators
            .iter()
            .filter_map(|one| Some((one, one.blind?, one.guided?)))
            .collect();
        if compared.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "\nRuns until a named bug is found: median, and the repetitions that found it"
        )?;
        let mut table = Table::new(&["", "client", "blind", "", "guided", "", "gain"]);
        let median = |effort: Effort| effort.median.map_or("-".to_owned(), halves);
        let shown = |effort: Effort| format!("{}/{}", effort.detected, effort.repetitions);
        for (one, blind, guided) in compared {
            table.push(vec![
                one.mutant.clone(),
                one.client.clone(),
                median(blind),
                shown(blind),
                median(guided),
                shown(guided),
                one.gain.map_or("-".to_owned(), |gain| format!("{gain:.2}")),
            ]);
        }
        table.print(out)
    }

    fn alarms(&self, out: &mut dyn Write) -> io::Result<()> {
        let alarms = &self.answers.alarms;
        let runs: u64 = alarms.runs.iter().map(|one| one.runs).sum();
        let undecided: u64 = alarms.runs.iter().map(|one| one.undecided).sum();
        writeln!(
            out,
            "\nUnmutated protocols: {runs} runs; alarms: {}, undecided: {undecided}",
            alarms.alarms.len()
        )?;
        for alarm in alarms.alarms.iter().take(self.most) {
            writeln!(out, "  {}", self.paint.bad(&told(alarm)))?;
            writeln!(out, "      {}", alarm.command)?;
        }
        self.more(alarms.alarms.len(), out)?;
        known(&alarms.alarms, out)?;
        if !alarms.warnings.is_empty() {
            writeln!(out, "\nWarnings: errors that gem5 accepts (--strict makes them faults)")?;
        }
        for warned in &alarms.warnings {
            let plural = if warned.runs == 1 { "" } else { "s" };
            writeln!(
                out,
                "  {}: {} ({} run{plural})",
                warned.protocol, warned.warning, warned.runs
            )?;
            writeln!(out, "      {}", warned.command)?;
        }
        Ok(())
    }
}

impl Page<'_> {
    /// Prints how many transitions of each machine the unmutated protocols took and, if all rows are asked for, those that they
    /// did not take.
    fn coverage(&self, out: &mut dyn Write) -> io::Result<()> {
        let machines = self.campaign.machines();
        if machines.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "\nCoverage of the unmutated protocols: transitions taken, not known to be unreachable, in the table; entries that \
             stall, and those met"
        )?;
        let mut table = Table::new(&["", "taken", "reachable", "table", "stalls", "met"]);
        for one in &machines {
            let Reached { reached, reachable, table: all } = one.reached;
            let numbers = [reached, reachable, all, one.stalls, one.stalls_met];
            let name = format!("{}/{}", one.protocol, one.machine);
            table.push(std::iter::once(name).chain(numbers.map(|n| n.to_string())).collect());
        }
        table.print(out)?;
        let missing = machines.iter().filter(|one| !one.never.is_empty());
        if self.most <= super::SHOWN {
            return match missing.count() {
                0 => Ok(()),
                _ => writeln!(out, "  {} shows which transitions no run took", self.for_all),
            };
        }
        for one in missing {
            writeln!(out, "\nNever taken: {}/{}", one.protocol, one.machine)?;
            for (state, events) in &one.never {
                writeln!(out, "  {state}: {}", events.join(", "))?;
            }
        }
        Ok(())
    }
}

/// Prints the alarms that were tried with the repairs of released faults, and which faults explain them.
fn known(alarms: &[Alarm], out: &mut dyn Write) -> io::Result<()> {
    let tried: Vec<(&Alarm, &Vec<String>)> =
        alarms.iter().filter_map(|alarm| Some((alarm, alarm.known.as_ref()?))).collect();
    if tried.is_empty() {
        return Ok(());
    }
    let was_in_gem5 = tried.iter().all(|(alarm, _)| alarm.is_in_gem5);
    let what = if was_in_gem5 { TRIED_IN_GEM5 } else { TRIED };
    writeln!(out, "\nKnown faults of gem5's released protocol: {what}")?;
    for (alarm, repairs) in tried {
        writeln!(out, "  {}", told(alarm))?;
        writeln!(out, "      {}", explained_briefly(repairs))?;
        writeln!(out, "      {}", alarm.command)?;
    }
    Ok(())
}

/// An alarm in words: the protocol, its cores, and what was found.
fn told(alarm: &Alarm) -> String {
    let what = match &alarm.message {
        Some(message) => format!("{}: {message}", alarm.outcome),
        None => format!(
            "{} of {}, refuted by {}",
            alarm.outcome,
            alarm.model.to_uppercase(),
            alarm.violates.join(" ")
        ),
    };
    format!("{} on {}: {what}", alarm.protocol, alarm.client)
}

fn cells(name: &str, row: &KillRow) -> Vec<String> {
    let mut cells = vec![name.to_owned(), row.mutants.to_string(), row.killed.to_string()];
    // A dot marks a finder that could not have found any of the mutants.
    cells.extend(row.by.iter().map(|kills| match kills.of {
        0 => ".".to_owned(),
        _ => kills.killed.to_string(),
    }));
    cells
}

/// Prints how many mutants were found, by operator and by finder, with a column for each protocol.
fn compared(each: &[(&str, &KillMatrix)], out: &mut dyn Write) -> io::Result<()> {
    let headings: Vec<&str> = [""].into_iter().chain(each.iter().map(|(name, _)| *name)).collect();
    // A dot marks a cell without mutants, or without mutants that the finder could have found.
    let cell = |found: u64, of: u64| if of == 0 { ".".to_owned() } else { format!("{found}/{of}") };
    let rows = each.iter().flat_map(|(_, matrix)| &matrix.rows);
    let operators: BTreeSet<&str> = rows.map(|row| row.operator.as_str()).collect();
    writeln!(out, "\nMutants of each operator that were found, by protocol")?;
    let mut table = Table::new(&headings);
    for operator in operators {
        let own = each.iter().map(|(_, matrix)| {
            let row = matrix.rows.iter().find(|row| row.operator == operator);
            row.map_or_else(|| cell(0, 0), |row| cell(row.killed, row.mutants))
        });
        table.push(std::iter::once(operator.to_owned()).chain(own).collect());
    }
    let all = each.iter().map(|(_, matrix)| cell(matrix.total.killed, matrix.total.mutants));
    table.push(std::iter::once("all".to_owned()).chain(all).collect());
    table.print(out)?;
    writeln!(out, "\nMutants that each finder found, of those that it could find, by protocol")?;
    let mut table = Table::new(&headings);
    for (at, finder) in FINDERS.into_iter().enumerate() {
        let own = each.iter().map(|(_, matrix)| {
            let kills = matrix.total.by.get(at);
            kills.map_or_else(|| cell(0, 0), |kills| cell(kills.killed, kills.of))
        });
        table.push(std::iter::once(short(finder).to_owned()).chain(own).collect());
    }
    table.print(out)
}

/// The name of a finder as the head of a column.
fn short(finder: &'static str) -> &'static str {
    match finder {
        "protocol error" => "error",
        other => other,
    }
}

/// The model that a scope is about.
fn model(scope: &Scope) -> String {
    match scope {
        Scope::Model(model) | Scope::Cores { model, .. } => model.to_uppercase(),
        Scope::All | Scope::Client(_) | Scope::Protocol(_) => String::new(),
    }
}

/// The protocol that a scope is about, as ` of NAME`; nothing if there is only one.
fn protocol(scope: &Scope) -> String {
    match scope {
        Scope::Cores { protocol, .. } => format!(" of {protocol}"),
        _ => String::new(),
    }
}
