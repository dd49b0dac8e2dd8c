//! Which kinds of cores find the mutants of each protocol, as a table.

use maud::{Markup, html};

use super::cell::Cell;
use super::protocols::part;
use super::table::Table;
use crate::answers::ClientResult;
use crate::numbers::halves;

/// Makes the table, with the sentences above it.
pub(super) fn section(all: &[ClientResult]) -> Markup {
    html! {
        p {
            "Which kind of core finds them: a mutant counts for every kind of core that it ran on. A campaign runs a mutant no more once "
            "any kind of core has found it, unless "
            code { "--stop" }
            " says otherwise, so kinds of cores may have different mutants."
        }
        (table(all).markup())
    }
}

fn table(all: &[ClientResult]) -> Table {
    let heads = [
        "Protocol",
        "Cores",
        "Mutants",
        "Found",
        "Share found",
        "Runs until found",
        "Operations until detected",
        "Runs of mutants",
    ];
    let caption = "Mutants that each kind of core found; runs and operations are medians";
    let mut table = Table::new(caption, &heads);
    let median = |number: Option<f64>| {
        number.map_or_else(|| Cell::missing("·"), |one| Cell::number(&halves(one), one))
    };
    for one in all {
        table.push(vec![
            Cell::name(&one.protocol),
            Cell::text(&one.client),
            Cell::count(one.mutants),
            Cell::count(one.found),
            part(one.found, one.mutants),
            median(one.median_run),
            median(one.median_operations),
            Cell::count(one.runs),
        ]);
    }
    table
}
