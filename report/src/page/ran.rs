//! The section about the runs: versions, machines, seeds, sizes, limits.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::Page;
use super::cell::Cell;
use super::section::{Anchors, Section};
use super::table::Table;
use crate::numbers::{counted, grouped};
use crate::summary::{Summary, experiments};
use tables::CampaignRun;

/// Makes the section; `None` if there are no runs.
pub(super) fn section(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let experiments = experiments(&page.results.trials);
    let runs = &page.results.runs;
    if experiments.is_empty() && runs.is_empty() {
        return None;
    }
    let body = html! {
        @if !experiments.is_empty() {
            (circumstances(&experiments))
            (table(&experiments).folded("Experiments, with sizes, algorithms, seeds and limits", false))
        }
        @if !runs.is_empty() { (campaign(runs, page.facts)) }
    };
    Some(Section::new(anchors, "ran", "What was run", body))
}

/// Shows the versions and machines of all experiments.
fn circumstances(experiments: &[Summary]) -> Markup {
    let all = |words: fn(&Summary) -> &BTreeSet<String>| {
        let all: BTreeSet<&str> = experiments.iter().flat_map(words).map(|word| &**word).collect();
        all.into_iter().collect::<Vec<_>>().join("; ")
    };
    html! {
        dl {
            dt { "Version" } dd { "rubric " (all(|one| &one.versions)) }
            dt { "Machine" } dd { (all(|one| &one.machines)) }
        }
    }
}

fn table(experiments: &[Summary]) -> Table {
    let heads = [
        "Experiment",
        "Size",
        "Histories",
        "Rows",
        "Timed out",
        "Undecided",
        "Models",
        "Algorithms",
        "Seed",
        "Time limit",
    ];
    let mut table = Table::new("Experiments: a row is an algorithm on a history", &heads);
    for one in experiments {
        let words = |words: &BTreeSet<String>| {
            Cell::text(&words.iter().cloned().collect::<Vec<_>>().join(", "))
        };
        let seeds: Vec<String> = one.seeds.iter().map(u64::to_string).collect();
        let limits = one.timeouts.iter().map(|seconds| format!("{seconds} s"));
        table.push(vec![
            Cell::text(&one.experiment),
            words(&one.sizes),
            Cell::count(one.histories as u64),
            Cell::count(one.rows as u64),
            Cell::count(one.timed_out as u64),
            Cell::count(one.undecided as u64),
            words(&one.models),
            words(&one.algorithms),
            Cell::text(&seeds.join(", ")),
            Cell::text(&limits.collect::<Vec<_>>().join(", ")),
        ]);
    }
    table
}

fn campaign(runs: &[CampaignRun], facts: &[(&str, String)]) -> Markup {
    let words = |word: fn(&CampaignRun) -> &str| {
        let words: BTreeSet<&str> = runs.iter().map(word).collect();
        words.into_iter().collect::<Vec<_>>().join(", ")
    };
    let operations: u64 = runs.iter().map(|run| u64::from(run.operations)).sum();
    let mutants: BTreeSet<_> = runs.iter().map(|run| (&run.protocol, &run.mutant)).collect();
    let mutants = mutants.iter().filter(|(_, mutant)| mutant.is_some()).count();
    html! {
        p {
            "Campaign: " (counted(runs.len(), "run", "runs")) " with " (grouped(operations)) " operations; "
            (counted(mutants, "mutant", "mutants")) " ran."
        }
        dl {
            dt { "Protocols" } dd { (words(|run| &run.protocol)) }
            dt { "Cores" } dd { (words(|run| &run.client)) }
            dt { "Programs" } dd { (words(|run| run.generator.name())) }
            @for (label, fact) in facts { dt { (label) } dd { (fact) } }
        }
    }
}
