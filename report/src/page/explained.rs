//! A verdict on one history as a page: the picture, and what there is to say about it.

use maud::{Markup, PreEscaped, html};

use super::cell::{Cell, counted};
use super::document;
use super::drawing::inline;
use super::section::{Anchors, Section};
use super::table::Table;
use crate::picture::{CacheLine, LineRow, Picture, drawing};

/// Tables that are longer are folded.
const LONG: usize = 60;

/// The page: a section for each picture. The same bytes for the same pictures.
pub fn explained(pictures: &[Picture]) -> String {
    let mut anchors = Anchors::default();
    let title = pictures.first().map_or("", |picture| &picture.title);
    let lead = pictures
        .first()
        .and_then(|picture| picture.lead.first())
        .map_or("", String::as_str);
    let sections: Vec<Section> = pictures
        .iter()
        .enumerate()
        .map(|(at, picture)| section(picture, at, &mut anchors))
        .collect();
    document(title, lead, &sections)
}

fn section(picture: &Picture, at: usize, anchors: &mut Anchors) -> Section {
    let title = match at {
        0 => "The operations".to_owned(),
        _ => picture.lead.last().cloned().unwrap_or_default(),
    };
    let body = html! {
        @for line in picture.lead.iter().skip(1) { p { (line) } }
        @if !picture.arrows.is_empty() {
            div.scroll tabindex="0" role="region" aria-label=(picture.title) {
                div.drawing role="img" aria-label=(picture.title) { (PreEscaped(inline(&drawing(picture), &format!("p{at}-")))) }
            }
        }
        (reasons(picture))
        (operations(picture).folded(&counted(picture.operations.len(), "operation", "operations"), picture.operations.len() <= LONG))
        @for line in &picture.lines { (states(line)) }
        @for note in &picture.notes { p { (note) } }
    };
    Section::new(anchors, "picture", &title, body)
}

/// Why the arrows with a letter are there, on demand.
fn reasons(picture: &Picture) -> Markup {
    html! {
        @if !picture.reasons.is_empty() {
            p { "What the values do not show by themselves is forced:" }
            @for (letter, reason) in &picture.reasons {
                details {
                    summary { "[" (letter) "] " (arrow(picture, letter)) }
                    p { (reason) }
                }
            }
        }
    }
}

/// `T0:1 ww T1:2`
fn arrow(picture: &Picture, letter: &str) -> String {
    let found = picture
        .arrows
        .iter()
        .find(|arrow| arrow.letter.as_deref() == Some(letter));
    let Some(arrow) = found else {
        return "a step on the way".to_owned();
    };
    let label = |row: usize| &picture.operations[row].label;
    format!(
        "{} {} {}",
        label(arrow.from),
        arrow.kind.name(),
        label(arrow.to)
    )
}

fn operations(picture: &Picture) -> Table {
    let mut table = Table::new(
        "The operations, in the order of the picture",
        &["Operation", "Thread", "What it does", "In the trace"],
    );
    for it in &picture.operations {
        table.push(vec![
            Cell::code(&it.label),
            Cell::text(picture.columns.get(it.column).map_or("", String::as_str)),
            Cell::code(&it.text),
            Cell::text(&it.place),
        ]);
    }
    table
}

fn states(line: &CacheLine) -> Markup {
    let mut heads = vec!["Line of the trace", "Tick", "What happens"];
    heads.extend(line.controllers.iter().map(String::as_str));
    let mut table = Table::new(&line.title, &heads);
    for row in &line.rows {
        table.push(cells(row));
    }
    html! {
        (table.folded(&line.title, line.rows.len() <= LONG))
        @if line.left_out > 0 { p { (counted(line.left_out, "earlier transition", "earlier transitions")) " left out." } }
    }
}

fn cells(row: &LineRow) -> Vec<Cell> {
    let number = |it: Option<u64>| Cell::count_if(it, "");
    let mut cells = vec![number(row.line), number(row.tick), Cell::text(&row.what)];
    for (at, state) in row.states.iter().enumerate() {
        cells.push(match row.changed == Some(at) {
            true => Cell::of(html! { strong { (state) } }),
            false => Cell::text(state),
        });
    }
    cells
}
