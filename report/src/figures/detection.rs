//! Operations completed until the violation of a criterion is detected, a panel for each model.

use super::kills::clients;
use crate::answers::{Answers, Detection, Scope};
use crate::numbers::digits;
use crate::plot::axis::{Axis, Scale};
use crate::plot::chart::{LegendEntry, Panel, Plot, Side, Symbol, Table};
use crate::plot::font::LABEL;
use crate::plot::style::{BLACK, GREY, Marker, Style, style};

/// Means and medians by criterion.
pub fn plot(answers: &Answers) -> Option<Plot> {
    let scopes = answers.operations.iter().filter_map(|one| {
        let known = one.criteria.iter().filter(|detection| detection.runs > 0);
        let known: Vec<Detection> = known.copied().collect();
        (matches!(one.scope, Scope::Model(_)) && !known.is_empty()).then_some((&one.scope, known))
    });
    let scopes: Vec<(&Scope, Vec<Detection>)> = scopes.collect();
    let all = scopes.iter().flat_map(|(_, detections)| detections);
    let numbers = all.flat_map(|detection| [detection.median, detection.mean]);
    let y = Axis::counts("operations completed", numbers.flatten(), Scale::Auto);
    let panels = scopes.iter().map(|(scope, detections)| {
        panel(&clients(scope).unwrap_or_default(), detections, y.clone())
    });
    let panels: Vec<Panel> = panels.collect();
    let widths = scopes.iter().map(|(_, detections)| {
        let names = detections.iter().map(|detection| LABEL.width(&named(detection)));
        (names.max().unwrap_or(0) + 14) * detections.len() as i32
    });
    let grey = |marker| Symbol::Mark(Style { color: GREY, marker }, false);
    let rows = scopes.iter().flat_map(|(scope, detections)| {
        let model = match scope {
            Scope::Model(model) => model.clone(),
            _ => String::new(),
        };
        let number = |number: Option<f64>| number.map_or_else(String::new, |one| digits(one, 5));
        detections.iter().map(move |detection| {
            vec![
                model.clone(),
                detection.criterion.to_owned(),
                detection.runs.to_string(),
                number(detection.median),
                number(detection.mean),
            ]
        })
    });
    let columns = ["model", "criterion", "runs", "median (operations)", "mean (operations)"];
    let shown = scopes.iter().find_map(|(scope, detections)| {
        let Scope::Model(model) = scope else { return None };
        let own = detections.iter().find(|detection| detection.criterion == *model)?;
        Some((model.to_uppercase(), own.median?))
    });
    let finding = shown.map(|(model, median)| {
        let median = digits(median, 4);
        format!("Half of the violations of {model} are detected within {median} operations")
    });
    Some(Plot {
        finding: finding.unwrap_or_default(),
        subtitle: "violating runs that the criterion refutes; their number is beside its name"
            .to_owned(),
        columns: 1,
        panels,
        panel_size: ((widths.max().unwrap_or(0) + 90).max(640), 270),
        legend: vec![
            LegendEntry::new(grey(Marker::Circle), "median"),
            LegendEntry::new(grey(Marker::Dash), "mean"),
        ],
        table: Table::new(&columns, rows.collect()),
    })
}

/// A criterion with the number of runs.
fn named(detection: &Detection) -> String {
    format!("{} ({})", detection.criterion, detection.runs)
}

fn panel(heading: &str, detections: &[Detection], y: Axis) -> Panel {
    let names: Vec<String> = detections.iter().map(named).collect();
    let mut panel = Panel::new(heading, Axis::names("criterion (runs)", &names), y);
    for (at, detection) in detections.iter().enumerate() {
        let median = style(detection.criterion);
        let mean = Style { marker: Marker::Dash, ..median };
        for (number, style) in [(detection.mean, mean), (detection.median, median)] {
            panel.add_marks(
                style,
                false,
                number.map(|number| (at as f64, number)).into_iter().collect(),
            );
        }
        if let Some(median) = detection.median {
            panel.add_text((at as f64, median), Side::Right, digits(median, 4), BLACK);
        }
    }
    panel
}
