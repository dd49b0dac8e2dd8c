//! Mutants found, by operator and finder, and by operator and protocol.

use std::collections::BTreeSet;

use crate::answers::{Answers, FINDERS, KillMatrix, KillRow, Kills, ProtocolResult, Scope};
use crate::numbers::{capitalized, in_a_word};
use crate::plot::axis::Axis;
use crate::plot::chart::{Layer, Panel, Plot, Side, Table};
use crate::plot::style::{BLACK, GREY, shade};
use plotters::style::{RGBColor, WHITE};
use tables::CRITERIA;

/// Height of a row of cells, in pixels.
pub(super) const ROW_HEIGHT: i32 = 17;

/// Plots a matrix of operators and finders; `None` if it is about the runs of some cores only.
pub(super) fn plot(matrix: &KillMatrix) -> Option<Plot> {
    let protocol = match &matrix.scope {
        Scope::All => String::new(),
        Scope::Protocol(protocol) => format!(" of {protocol}"),
        Scope::Model(_) | Scope::Client(_) | Scope::Cores { .. } => return None,
    };
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
    let total = (matrix.total.mutants > 0).then_some(&matrix.total)?;
    let subtitle = format!(
        "{} of {} mutants of {} operators{}; a cell counts those that one finder found, shaded by the share that it could find",
        total.killed,
        total.mutants,
        matrix.rows.len(),
        ways(&total.by)
    );
    let names_with_counts: Vec<String> =
        names.iter().zip(&rows).map(|(name, row)| format!("{name} ({})", row.mutants)).collect();
    // Most cells are empty, and a dot is quieter than a zero.
    let number = |(found, _): (u64, u64)| match found {
        0 => "·".to_owned(),
        some => some.to_string(),
    };
    Some(Plot {
        finding: capitalized(&format!(
            "{} mutants{protocol} are found, {}",
            in_a_word(total.killed as f64 / total.mutants as f64),
            most_by(&total.by)
        )),
        table: table(&columns, &names, &cells),
        ..heat(subtitle, "found by", &columns, &names_with_counts, &shaded(&cells, number))
    })
}

/// Says what found most mutants, and what came next.
fn most_by(by: &[Kills]) -> String {
    let mut ways = sorted(by).into_iter().map(|(_, way)| way);
    match (ways.next(), ways.next()) {
        (Some(first), Some(second)) => format!("most often by {first}, then by {second}"),
        (Some(first), None) => format!("all by {first}"),
        _ => "by nothing".to_owned(),
    }
}

/// Says what found mutants, the most successful first: protocol errors, deadlocks, and the criterion that found most.
fn ways(by: &[Kills]) -> String {
    let told: Vec<String> =
        sorted(by).into_iter().map(|(killed, way)| format!("{killed} by {way}")).collect();
    if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) }
}

/// What found mutants, and how many, the most successful first.
fn sorted(by: &[Kills]) -> Vec<(u64, String)> {
    let (criteria, ends): (Vec<&Kills>, Vec<&Kills>) =
        by.iter().partition(|kills| CRITERIA.contains(&kills.finder));
    let best = criteria.into_iter().max_by_key(|kills| kills.killed);
    let mut ways: Vec<(u64, String)> =
        ends.iter().map(|kills| (kills.killed, format!("{}s", kills.finder))).collect();
    ways.extend(best.map(|kills| (kills.killed, kills.finder.to_owned())));
    ways.retain(|(killed, _)| *killed > 0);
    ways.sort_by_key(|(killed, _)| std::cmp::Reverse(*killed));
    ways
}

/// Plots a matrix of operators and protocols; `None` if mutants of fewer than two protocols ran.
pub(super) fn by_protocol(answers: &Answers) -> Option<Plot> {
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
        "The largest share of mutants was found in {}, the smallest in {}",
        most.1, least.1
    );
    let subtitle = "a cell is found / of the mutants that ran and may differ".to_owned();
    let fraction = |(found, of): (u64, u64)| format!("{found}/{of}");
    Some(Plot {
        finding,
        table: table(&columns, &names, &cells),
        ..heat(subtitle, "protocol", &columns, &names, &shaded(&cells, fraction))
    })
}

/// A cell of a matrix: the share by which it is shaded, and its text; `None` if there is nothing to show.
pub(super) type HeatCell = Option<(f64, String)>;

/// Turns shares into cells with texts; a cell is `None` if there was nothing to find.
fn shaded(cells: &[Vec<(u64, u64)>], text: impl Fn((u64, u64)) -> String) -> Vec<Vec<HeatCell>> {
    let cell = |cell: &(u64, u64)| {
        let (found, of) = *cell;
        (of > 0).then(|| (found as f64 / of as f64, text(*cell)))
    };
    cells.iter().map(|row| row.iter().map(cell).collect()).collect()
}

/// Plots a matrix of shaded cells.
fn heat(
    subtitle: String,
    x: &str,
    columns: &[String],
    names: &[String],
    cells: &[Vec<HeatCell>],
) -> Plot {
    Plot {
        subtitle,
        panels: vec![heat_panel("", x, columns, names, cells)],
        panel_height: ROW_HEIGHT * names.len() as i32,
        ..Plot::default()
    }
}

/// Makes the panel of a matrix of shaded cells.
pub(super) fn heat_panel(
    heading: &str,
    x: &str,
    columns: &[String],
    names: &[String],
    cells: &[Vec<HeatCell>],
) -> Panel {
    let (x, y) = (Axis::names(x, columns), Axis::rows("", names));
    let mut panel = Panel::new(heading, x, y);
    panel.has_rows = false;
    for (y, row) in cells.iter().enumerate() {
        for (x, cell) in row.iter().enumerate() {
            draw_cell(&mut panel, (x as f64, y as f64), cell);
        }
    }
    panel
}

/// Makes the table of the numbers of a matrix.
fn table(columns: &[String], names: &[String], cells: &[Vec<(u64, u64)>]) -> Table {
    let rows = names.iter().zip(cells).map(|(name, cells)| {
        let cells = cells.iter().map(|(killed, of)| format!("{killed}/{of}"));
        std::iter::once(name.clone()).chain(cells).collect()
    });
    let mut heads = vec!["operator"];
    heads.extend(columns.iter().map(|column| &**column));
    Table::new(&heads, rows.collect())
}

/// Returns the number of mutants found and the number that could have been found: by anything, then by each finder.
fn cells(row: &KillRow, finders: &[usize]) -> Vec<(u64, u64)> {
    let by = finders.iter().filter_map(|at| row.by.get(*at));
    let by = by.map(|kills| (kills.killed, kills.of));
    std::iter::once((row.killed, row.mutants)).chain(by).collect()
}

fn draw_cell(panel: &mut Panel, (x, y): (f64, f64), cell: &HeatCell) {
    let Some((share, text)) = cell else {
        panel.add_text((x, y), Side::Center, "–".to_owned(), GREY);
        return;
    };
    panel.layers.push(Layer::Bar {
        color: Some(shade(*share)),
        across: (x - 0.48, x + 0.48),
        up: (y - 0.46, y + 0.46),
    });
    let color: RGBColor = match *share {
        0.0 => GREY,
        light if light <= 0.7 => BLACK,
        _ => WHITE,
    };
    panel.add_text((x, y), Side::Center, text.clone(), color);
}
