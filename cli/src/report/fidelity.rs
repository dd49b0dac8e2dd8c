//! Prints how far the simulator and gem5 agree.

use std::io::{self, Write};

use report::fidelity::{self as compared, Findings, SharePair, SubjectPair};
use report::numbers::{halves, percent};

use super::table::Table;

/// Prints a table of the mutants, and how many transitions agree.
pub(crate) fn print(fidelity: &compared::Fidelity, out: &mut dyn Write) -> io::Result<()> {
    let heads = [
        "",
        "found here",
        "finder",
        "operations",
        "found in gem5",
        "finder",
        "operations",
        "by chance",
        "ticks",
    ];
    for protocol in fidelity.protocols() {
        writeln!(out, "{protocol}")?;
        let mut table = Table::new(&heads);
        let own = fidelity.subjects.iter().filter(|subject| subject.protocol == protocol);
        own.for_each(|subject| table.push(row(subject)));
        table.print(out)?;
        transitions(&fidelity.of_protocol(protocol).collect::<Vec<_>>(), out)?;
    }
    let ((same, all), [here, there, _]) =
        (fidelity.agreeing_unmutated(), fidelity.found_unmutated());
    if here + there > 0 {
        writeln!(out, "The same finder: {same} of {all} unmutated protocols")?;
    }
    match fidelity.agreeing() {
        (_, 0) => Ok(()),
        (same, all) => {
            let share = percent(same as f64 / all as f64);
            writeln!(out, "The same finder: {same} of {all} mutants ({share})")?;
            writeln!(
                out,
                "Found as often, unless chance makes such a difference in less than {} of comparisons: {} of {all} mutants",
                percent(compared::SIGNIFICANCE),
                fidelity.found_as_often()
            )
        }
    }
}

fn row(subject: &SubjectPair) -> Vec<String> {
    let SubjectPair { simulator, gem5, agrees, .. } = subject;
    let mark = if *agrees { "" } else { " *" };
    let mut row = vec![format!("{}{mark}", subject.name())];
    row.extend([simulator, gem5].into_iter().flat_map(cells));
    row.push(format!("{:.3}", subject.by_chance));
    row.push(match simulator.ticks {
        0 => "-".to_owned(),
        ticks => format!("{:.2}", gem5.ticks as f64 / ticks as f64),
    });
    row
}

fn cells(found: &Findings) -> [String; 3] {
    [
        format!("{}/{}", found.found, found.runs),
        found.finder.clone().unwrap_or_else(|| "-".to_owned()),
        found.operations.map_or_else(|| "-".to_owned(), halves),
    ]
}

/// Prints how many transitions of an unmutated protocol agree.
fn transitions(pairs: &[&SharePair], out: &mut dyn Write) -> io::Result<()> {
    if pairs.is_empty() {
        return Ok(());
    }
    let alone = |at: usize| pairs.iter().filter(|pair| pair.counts[1 - at] == 0).count();
    let compared = pairs.iter().filter(|pair| pair.is_compared());
    let far = compared.clone().filter(|pair| pair.difference() > compared::TOLERANCE);
    writeln!(
        out,
        "  transitions of the unmutated protocol: {} taken, {} only here, {} only in gem5; of {} taken at least {} times, {} differ \
         in their share by more than {}",
        pairs.len(),
        alone(0),
        alone(1),
        compared.clone().count(),
        compared::COMPARED,
        far.count(),
        percent(compared::TOLERANCE)
    )
}
