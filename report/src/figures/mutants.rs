//! The figures of campaigns: which mutants are found by what, and after how many operations.

use super::axis::{Axis, Division};
use super::chart::{Entry, Layer, Panel, Plot, Side, Sign};
use super::font::LABEL;
use super::numbers::digits;
use super::style::{GREY, Look, Marker, look, shade};
use super::{Figure, Table};
use crate::answers::{Answers, FINDERS, KillMatrix, KillRow, OperationsToDetection, Scope, Spread};
use plotters::style::{BLACK, RGBColor, WHITE};

/// All that a campaign has numbers for.
pub fn figures(answers: &Answers) -> Vec<Figure> {
    let kills = answers.kills.iter().filter_map(kills);
    kills.chain(operations(&answers.operations)).collect()
}

/// What a figure about some of the runs is called and says; none for scopes that have no figure.
fn scoped(scope: &Scope) -> Option<(String, String)> {
    match scope {
        Scope::All => Some((String::new(), "all clients".to_owned())),
        Scope::Model(model) => {
            let clients = format!("clients that keep {}", model.to_uppercase());
            Some((format!("-{model}"), clients))
        }
        Scope::Client(_) => None,
    }
}

/// A matrix of operators and finders.
fn kills(matrix: &KillMatrix) -> Option<Figure> {
    let (tail, clients) = scoped(&matrix.scope).filter(|_| matrix.total.mutants > 0)?;
    let asked = |at: &usize| matrix.total.by.get(*at).is_some_and(|kills| kills.of > 0);
    let finders: Vec<usize> = (0..FINDERS.len()).filter(asked).collect();
    let all = std::iter::once(&matrix.total).chain(&matrix.rows);
    let rows: Vec<&KillRow> = all.collect();
    let names = rows.iter().map(|row| match row.operator.as_str() {
        "" => "all operators".to_owned(),
        name => name.to_owned(),
    });
    let names: Vec<String> = names.collect();
    let mut columns = vec!["anything".to_owned()];
    columns.extend(finders.iter().map(|at| FINDERS[*at].to_owned()));
    let mut panel = Panel::new(
        "",
        Axis::names("found by", &columns),
        Axis::rows("", &names),
    );
    panel.has_rows = false;
    let cells: Vec<Vec<(u64, u64)>> = rows.iter().map(|row| cells(row, &finders)).collect();
    for (y, row) in cells.iter().enumerate() {
        for (x, cell) in row.iter().enumerate() {
            draw_cell(&mut panel, (x as f64, y as f64), *cell);
        }
    }
    let widest = |names: &[String]| {
        names
            .iter()
            .map(|name| LABEL.width(name))
            .max()
            .unwrap_or(0)
    };
    let width = widest(&names) + 60 + (widest(&columns) + 10) * columns.len() as i32;
    let size = (width, 70 + 24 * names.len() as i32);
    let plot = Plot {
        title: format!("Mutants found, by operator and by what finds them: {clients}"),
        subtitle: format!(
            "{} mutants of {} operators: found of those with a run in which it could show",
            matrix.total.mutants,
            matrix.rows.len()
        ),
        panels: vec![panel],
        columns: 1,
        panel_size: size,
        legend: Vec::new(),
    };
    let rows = names.iter().zip(&cells).map(|(name, cells)| {
        let cells = cells.iter().map(|(killed, of)| format!("{killed}/{of}"));
        std::iter::once(name.clone()).chain(cells).collect()
    });
    let mut header = vec!["operator".to_owned()];
    header.extend(columns);
    let table = Table {
        columns: header,
        rows: rows.collect(),
    };
    let caption = format!(
        "Runs of {clients}. Mutants that are known to be equivalent are left out. A criterion counts where it follows from the \
         model that the client guarantees."
    );
    let name = format!("mutants-kills{tail}");
    Figure::new(name, &plot, caption, table)
}

/// Killed, of how many: by anything, and by each finder.
fn cells(row: &KillRow, finders: &[usize]) -> Vec<(u64, u64)> {
    let by = finders.iter().filter_map(|at| row.by.get(*at));
    let by = by.map(|kills| (kills.killed, kills.of));
    std::iter::once((row.killed, row.mutants))
        .chain(by)
        .collect()
}

fn draw_cell(panel: &mut Panel, (x, y): (f64, f64), (killed, of): (u64, u64)) {
    if of == 0 {
        panel.say((x, y), Side::Middle, "–".to_owned(), GREY);
        return;
    }
    let share = killed as f64 / of as f64;
    panel.layers.push(Layer::Bar {
        color: Some(shade(share)),
        across: (x - 0.48, x + 0.48),
        up: (y - 0.46, y + 0.46),
    });
    let color: RGBColor = if share > 0.55 { WHITE } else { BLACK };
    panel.say((x, y), Side::Middle, format!("{killed}/{of}"), color);
}

/// After how many operations criteria are violated: a panel a model, or one of all if there is one model.
fn operations(operations: &[OperationsToDetection]) -> Option<Figure> {
    let of_model = |one: &&OperationsToDetection| matches!(one.scope, Scope::Model(_));
    let scopes: Vec<&OperationsToDetection> = operations.iter().filter(of_model).collect();
    let known: Vec<(&OperationsToDetection, Vec<Spread>)> = scopes
        .into_iter()
        .map(|one| {
            let known = one.criteria.iter().filter(|spread| spread.runs > 0);
            (one, known.copied().collect())
        })
        .filter(|(_, spreads): &(_, Vec<Spread>)| !spreads.is_empty())
        .collect();
    let spreads = known.iter().flat_map(|(_, spreads)| spreads);
    let numbers = spreads.flat_map(|spread| [spread.median, spread.mean]);
    let y = Axis::counts(
        "operations that had completed",
        numbers.flatten(),
        Division::AsNeeded,
    );
    let panels = known.iter().map(|(one, spreads)| {
        let heading = scoped(&one.scope).map_or_else(String::new, |(_, clients)| clients);
        detections(&heading, spreads, y.clone())
    });
    let panels: Vec<Panel> = panels.collect();
    let grey = |marker| Look {
        color: GREY,
        marker,
    };
    let names = known.iter().map(|(_, spreads)| {
        let names = spreads.iter().map(|spread| LABEL.width(&named(spread)));
        (names.max().unwrap_or(0) + 14) * spreads.len() as i32
    });
    let width = (names.max().unwrap_or(0) + 90).max(640);
    let plot = Plot {
        title: "Operations until a violation of each criterion shows".to_owned(),
        subtitle: "Over the violating runs that a criterion catches; how many is beside its name"
            .to_owned(),
        columns: 1,
        panels,
        panel_size: (width, 270),
        legend: vec![
            Entry::new(Sign::Mark(grey(Marker::Circle), false), "median"),
            Entry::new(Sign::Mark(grey(Marker::Dash), false), "mean"),
        ],
    };
    let caption = "How many operations had completed, at most, when the run had violated the criterion. Criteria that catch \
                   fewer runs catch others, so these are not numbers about the same runs.";
    let rows = known.iter().flat_map(|(one, spreads)| {
        let model = match &one.scope {
            Scope::Model(model) => model.clone(),
            Scope::All | Scope::Client(_) => String::new(),
        };
        spreads.iter().map(move |spread| {
            let number =
                |number: Option<f64>| number.map_or_else(String::new, |one| digits(one, 5));
            let numbers = [number(spread.median), number(spread.mean)];
            let mut row = vec![
                model.clone(),
                spread.criterion.to_owned(),
                spread.runs.to_string(),
            ];
            row.extend(numbers);
            row
        })
    });
    let columns = [
        "model",
        "criterion",
        "runs",
        "median (operations)",
        "mean (operations)",
    ];
    let table = Table {
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    };
    let name = "mutants-operations".to_owned();
    Figure::new(name, &plot, caption.to_owned(), table)
}

/// A criterion, and how many runs the numbers are of.
fn named(spread: &Spread) -> String {
    format!("{} ({})", spread.criterion, spread.runs)
}

fn detections(heading: &str, spreads: &[Spread], y: Axis) -> Panel {
    let names: Vec<String> = spreads.iter().map(named).collect();
    let mut panel = Panel::new(heading, Axis::names("criterion (runs)", &names), y);
    for (at, spread) in spreads.iter().enumerate() {
        let known = look(spread.criterion);
        let mean = Look {
            marker: Marker::Dash,
            ..known
        };
        for (number, look) in [(spread.mean, mean), (spread.median, known)] {
            panel.layers.push(Layer::Marks {
                look,
                is_open: false,
                points: number
                    .map(|number| (at as f64, number))
                    .into_iter()
                    .collect(),
            });
        }
        if let Some(median) = spread.median {
            let at = (at as f64, median);
            panel.say(at, Side::Right, digits(median, 4), BLACK);
        }
    }
    panel
}
