//! The section about runs of the same programs on rubric's simulator and in gem5.

use maud::{Markup, html};

use super::Page;
use super::cell::Cell;
use super::drawing::drawing;
use super::section::{Anchors, Section};
use super::table::Table;
use crate::fidelity::{
    COMPARED, Fidelity, Findings, SIGNIFICANCE, SharePair, SubjectPair, TOLERANCE,
};
use crate::numbers::{counted, halves, percent};

/// Makes the section; `None` if there are no such runs.
pub(super) fn section(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let fidelity = Fidelity::of(page.results);
    if fidelity.is_empty() {
        return None;
    }
    let mut section = Section::new(
        anchors,
        "fidelity",
        "Rubric's simulator and gem5",
        html! {
            p {
                "The same programs run on rubric's simulator and in gem5, with the same mutant built in, the same caches and the same number "
                "of cores. Latencies are those of gem5's scripts, but each draws its own random delays, so single runs differ: what is compared is what all "
                "runs of a mutant show."
            }
        },
    );
    let figures = page.figures.iter().filter(|figure| figure.experiment == "fidelity");
    let drawings: Vec<Markup> = figures.map(|figure| drawing(figure, anchors)).collect();
    let parts = [
        ("fidelity-mutants", "What finds each mutant", mutants(&fidelity)),
        ("fidelity-transitions", "Transitions", transitions(&fidelity, &drawings)),
    ];
    for (id, title, body) in parts {
        section.parts.push(Section::new(anchors, id, title, body));
    }
    Some(section)
}

fn mutants(fidelity: &Fidelity) -> Markup {
    let heads = [
        "Protocol",
        "Mutant",
        "Same finder",
        "Finders here",
        "Found here",
        "Operations here",
        "Finders in gem5",
        "Found in gem5",
        "Operations in gem5",
        "By chance",
        "Ticks in gem5 / here",
    ];
    let mut table = Table::new("Findings on rubric's simulator (here) and in gem5", &heads);
    fidelity.subjects.iter().for_each(|subject| table.push(row(subject)));
    let (same, all) = fidelity.agreeing();
    html! {
        @if all > 0 {
            p {
                strong { (same) " of " (counted(all, "mutant", "mutants")) }
                " have the same finder in most of the runs that find them: the weakest criterion that is violated, a protocol error or a "
                "deadlock. Operations are the median of those that had completed. "
                strong { (fidelity.found_as_often()) " of them" }
                " are found by as many runs in both, as far as Fisher's exact test can tell: chance would make such a difference or a larger one "
                "in at least " (percent(SIGNIFICANCE)) " of comparisons (the column “by chance”)."
            }
        }
        @if let Some(text) = protocols_alone(fidelity) { p { (text) "." } }
        (table.markup())
    }
}

/// Says what was found in unmutated protocols, in a sentence without its full stop; `None` if they were not run, or if
/// mutants ran and nothing was found in the unmutated protocols.
pub(super) fn protocols_alone(fidelity: &Fidelity) -> Option<String> {
    let ((same, all), [here, there, runs]) =
        (fidelity.agreeing_unmutated(), fidelity.found_unmutated());
    let is_only = fidelity.agreeing().1 == 0;
    if all > 0 && is_only && here + there == 0 {
        return Some(format!(
            "Nothing was found in {runs} runs of unmutated protocols, here and in gem5"
        ));
    }
    (here + there > 0).then(|| {
        format!(
            "{same} of {} the same finder here and in gem5: something was found in {here} of {runs} runs here, and in {there} of \
             {runs} in gem5",
            counted(all, "unmutated protocol has", "unmutated protocols have")
        )
    })
}

fn row(subject: &SubjectPair) -> Vec<Cell> {
    let SubjectPair { protocol, mutant, simulator, gem5, agrees, by_chance } = subject;
    let mut row = vec![
        Cell::name(protocol),
        mutant.as_deref().map_or_else(|| Cell::text(subject.name()), Cell::code),
        Cell::text(if *agrees { "yes" } else { "no" }),
    ];
    for found in [simulator, gem5] {
        row.push(Cell::text(&finders(found)));
        row.push(Cell::number(&format!("{}/{}", found.found, found.runs), found.found as f64));
        let operations = found.operations;
        row.push(operations.map_or_else(|| Cell::missing(""), |at| Cell::number(&halves(at), at)));
    }
    row.push(Cell::number(&format!("{by_chance:.3}"), *by_chance));
    row.push(if simulator.ticks == 0 {
        Cell::missing("")
    } else {
        let ratio = gem5.ticks as f64 / simulator.ticks as f64;
        Cell::number(&format!("{ratio:.2}"), ratio)
    });
    row
}

/// Lists the finders of a mutant, each with the number of runs in which it found the mutant.
fn finders(found: &Findings) -> String {
    let named = found.finders.iter().map(|(finder, runs)| format!("{finder} {runs}"));
    named.collect::<Vec<_>>().join(", ")
}

fn transitions(fidelity: &Fidelity, drawings: &[Markup]) -> Markup {
    let heads =
        ["Protocol", "Machine", "State", "Event", "Here", "In gem5", "Share here", "Share in gem5"];
    let mut alone = Table::new("Transitions that only one of them took", &heads);
    let mut differing = Table::new("Transitions whose shares differ", &heads);
    let compared = fidelity.transitions.iter().filter(|pair| pair.is_compared()).count();
    let (mut few, mut many) = (0, 0);
    for pair in &fidelity.transitions {
        if pair.counts.contains(&0) {
            alone.push(cells(pair));
            few += 1;
        } else if pair.is_compared() && pair.difference() > TOLERANCE {
            differing.push(cells(pair));
            many += 1;
        }
    }
    html! {
        p {
            "Of programs that came to their end in both, " (counted(fidelity.transitions.len(), "transition was", "transitions were")) " taken, " (few) " of these by only one of them. "
            (counted(compared, "transition", "transitions")) " both took at least " (COMPARED) " times; the shares of " (many)
            " differ by more than " (percent(TOLERANCE)) "."
        }
        @for drawing in drawings { (drawing) }
        @if few > 0 { (alone.folded("Transitions that only one of them took", few <= 20)) }
        @if many > 0 { (differing.folded("Transitions whose shares differ", many <= 20)) }
    }
}

fn cells(pair: &SharePair) -> Vec<Cell> {
    let mut row: Vec<Cell> = vec![Cell::name(&pair.protocol)];
    row.extend(pair.place.iter().map(|name| Cell::text(name)));
    row.extend(pair.counts.map(Cell::count));
    row.extend(pair.shares.map(|share| Cell::number(&percent(share), share)));
    row
}
