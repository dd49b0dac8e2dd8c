//! The kill matrix.

use maud::{Markup, html};

use super::scope;
use crate::answers::{Answers, FINDERS, KillMatrix, KillRow, Kills, Scope};
use crate::numbers::percent;
use crate::page::cell::Cell;
use crate::page::table::Table;

/// Shows the kill matrices. If there are several protocols, these are the matrices of each protocol; otherwise those of
/// all runs, of each model and of each client.
pub(super) fn part(answers: &Answers) -> Option<Markup> {
    let shown = answers.shown(&answers.kills, |matrix| &matrix.scope);
    // The matrices of each model of each protocol would be twice as many tables.
    let shown = shown.filter(|matrix| !matches!(matrix.scope, Scope::Cores { .. }));
    let mut matrices = shown.filter(|matrix| !matrix.rows.is_empty());
    let first = matrices.next()?;
    Some(html! {
        p {
            "A cell is the number of mutants of the operator that the finder found; its colour is the share of those that it could "
            "have found. A dot is where it could have found none."
        }
        (table(first).markup())
        @for matrix in matrices {
            (table(matrix).folded(&format!("The same for {}", scope(&matrix.scope)), false))
        }
    })
}

fn table(matrix: &KillMatrix) -> Table {
    let mut heads = vec!["Operator", "mutants", "found"];
    heads.extend(FINDERS);
    let caption = format!("Mutants found, by operator and finder: {}", scope(&matrix.scope));
    let mut table = Table::new(&caption, &heads);
    for one in &matrix.rows {
        table.push(row(&one.operator, one));
    }
    table.total(row("all", &matrix.total));
    table
}

fn row(name: &str, row: &KillRow) -> Vec<Cell> {
    let caught = Cell::count(row.killed).shaded(share(row.killed, row.mutants));
    let mut cells = vec![Cell::text(name), Cell::count(row.mutants), caught];
    cells.extend(row.by.iter().map(cell));
    cells
}

fn cell(kills: &Kills) -> Cell {
    if kills.of == 0 {
        return Cell::missing("·");
    }
    let share = share(kills.killed, kills.of);
    let title = format!("{} of {}, {}", kills.killed, kills.of, percent(share));
    Cell::count(kills.killed).shaded(share).titled(title)
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
