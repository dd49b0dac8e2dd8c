//! Mutants found, by operator and finder, and by operator and protocol.

use std::collections::BTreeSet;

use crate::answers::{Answers, FINDERS, KillMatrix, KillRow, ProtocolResult, Scope};
use crate::numbers::percent;
use crate::plot::axis::Axis;
use crate::plot::chart::{Layer, Panel, Plot, Side, Table};
use crate::plot::font::LABEL;
use crate::plot::style::{BLACK, GREY, shade};
use plotters::style::{RGBColor, WHITE};

/// The runs of a scope in words; none for scopes that have no figure.
pub fn clients(scope: &Scope) -> Option<String> {
    match scope {
        Scope::All => Some("all clients".to_owned()),
        Scope::Model(model) => Some(format!("clients that guarantee {}", model.to_uppercase())),
        Scope::Protocol(protocol) => Some(protocol.clone()),
        Scope::Client(_) => None,
    }
}

/// A matrix of operators and finders.
pub fn plot(matrix: &KillMatrix) -> Option<Plot> {
    let clients = clients(&matrix.scope).filter(|_| matrix.total.mutants > 0)?;
    let asked = |at: &usize| matrix.total.by.get(*at).is_some_and(|kills| kills.of > 0);
    let finders: Vec<usize> = (0..FINDERS.len()).filter(asked).collect();
    let rows: Vec<&KillRow> = std::iter::once(&matrix.total).chain(&matrix.rows).collect();
    let names = rows.iter().map(|row| match row.operator.as_str() {
        "" => "all operators".to_owned(),
        name => name.to_owned(),
    });
    let names: Vec<String> = names.collect();
    let mut columns = vec!["anything".to_owned()];
    columns.extend(finders.iter().map(|at| FINDERS[*at].to_owned()));
    let cells: Vec<Vec<(u64, u64)>> = rows.iter().map(|row| cells(row, &finders)).collect();
    let subtitle = format!(
        "{clients}; {} mutants of {} operators; each cell: found, of those with a run that could show it",
        matrix.total.mutants,
        matrix.rows.len()
    );
    let total = &matrix.total;
    Some(Plot {
        finding: format!("Of {} mutants, {} were found ({clients})", total.mutants, total.killed),
        ..heat(subtitle, "found by", &columns, &names, &cells)
    })
}

/// A matrix of operators and protocols; none if mutants of fewer than two protocols ran.
pub fn by_protocol(answers: &Answers) -> Option<Plot> {
    let tried = answers.protocols.iter().filter(|one| one.mutants > 0);
    let tried: Vec<&ProtocolResult> = tried.collect();
    if tried.len() < 2 {
        return None;
    }
    let operators = tried.iter().flat_map(|one| &one.operators);
    let operators: BTreeSet<&str> = operators.map(|one| one.operator.as_str()).collect();
    let mut cells: Vec<Vec<(u64, u64)>> =
        vec![tried.iter().map(|one| (one.found, one.mutants)).collect()];
    cells.extend(operators.iter().map(|operator| {
        let own = tried.iter().map(|one| {
            let mut own = one.operators.iter();
            own.find(|own| own.operator == *operator).map_or((0, 0), |own| (own.found, own.mutants))
        });
        own.collect()
    }));
    let mut names = vec!["all operators".to_owned()];
    names.extend(operators.iter().map(|&name| name.to_owned()));
    let columns: Vec<String> = tried.iter().map(|one| one.protocol.clone()).collect();
    let shares = tried.iter().map(|one| (one.found as f64 / one.mutants as f64, &*one.protocol));
    let mut shares: Vec<(f64, &str)> = shares.collect();
    shares.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (least, most) = (shares[0], shares[shares.len() - 1]);
    let finding = format!(
        "Of the mutants of {} {} were found, of those of {} {}",
        least.1,
        percent(least.0),
        most.1,
        percent(most.0)
    );
    let subtitle = "each cell: found, of the mutants that ran and may differ".to_owned();
    Some(Plot { finding, ..heat(subtitle, "protocol", &columns, &names, &cells) })
}

/// A matrix of cells, each a number of things found and of how many, shaded by their share.
fn heat(
    subtitle: String,
    x: &str,
    columns: &[String],
    names: &[String],
    cells: &[Vec<(u64, u64)>],
) -> Plot {
    let (x, y) = (Axis::names(x, columns), Axis::rows("", names));
    let mut panel = Panel::new("", x, y);
    panel.has_rows = false;
    for (y, row) in cells.iter().enumerate() {
        for (x, cell) in row.iter().enumerate() {
            draw_cell(&mut panel, (x as f64, y as f64), *cell);
        }
    }
    let widest = |names: &[String]| names.iter().map(|name| LABEL.width(name)).max().unwrap_or(0);
    let width = widest(names) + 60 + (widest(columns) + 10) * columns.len() as i32;
    let rows = names.iter().zip(cells).map(|(name, cells)| {
        let cells = cells.iter().map(|(killed, of)| format!("{killed}/{of}"));
        std::iter::once(name.clone()).chain(cells).collect()
    });
    let mut heads = vec!["operator"];
    heads.extend(columns.iter().map(|column| &**column));
    Plot {
        subtitle,
        panels: vec![panel],
        columns: 1,
        panel_size: (width, 70 + 24 * names.len() as i32),
        table: Table::new(&heads, rows.collect()),
        ..Plot::default()
    }
}

/// Mutants found, of how many: by anything, and by each finder.
fn cells(row: &KillRow, finders: &[usize]) -> Vec<(u64, u64)> {
    let by = finders.iter().filter_map(|at| row.by.get(*at));
    let by = by.map(|kills| (kills.killed, kills.of));
    std::iter::once((row.killed, row.mutants)).chain(by).collect()
}

fn draw_cell(panel: &mut Panel, (x, y): (f64, f64), (killed, of): (u64, u64)) {
    if of == 0 {
        panel.add_text((x, y), Side::Center, "–".to_owned(), GREY);
        return;
    }
    let share = killed as f64 / of as f64;
    panel.layers.push(Layer::Bar {
        color: Some(shade(share)),
        across: (x - 0.48, x + 0.48),
        up: (y - 0.46, y + 0.46),
    });
    let color: RGBColor = if share > 0.55 { WHITE } else { BLACK };
    panel.add_text((x, y), Side::Center, format!("{killed}/{of}"), color);
}
