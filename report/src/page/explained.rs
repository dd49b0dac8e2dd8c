//! Shows a verdict about one history as a page: the pictures with their explanations.

use maud::{Markup, PreEscaped, html};

use super::cell::Cell;
use super::document;
use super::drawing::inline;
use super::section::{Anchors, Section};
use super::table::Table;
use super::timeline;
use crate::numbers::counted;
use crate::picture::{CacheLine, LineRow, List, Picture, drawing};

/// The largest number of rows of a table that is not folded, and of operations that are drawn without arrows.
const LONG: usize = 60;

/// Renders the page, with a section for each picture. The same pictures give the same bytes.
pub fn explained(pictures: &[Picture]) -> String {
    let mut anchors = Anchors::default();
    let title = pictures.first().map_or("", |picture| &picture.title);
    let lead = pictures.first().and_then(|picture| picture.lead.first()).map_or("", String::as_str);
    let sections: Vec<Section> = pictures
        .iter()
        .enumerate()
        .map(|(at, picture)| section(picture, at, &mut anchors))
        .collect();
    document(title, lead, &sections)
}

fn section(picture: &Picture, at: usize, anchors: &mut Anchors) -> Section {
    // The first sentence of the first picture is at the top of the page. The last sentence of each other picture is its title.
    let said = picture.lead.get(1..).unwrap_or_default();
    let (title, said) = match (at, said.split_last()) {
        (1.., Some((title, said))) => (title.as_str(), said),
        _ if picture.operations.is_empty() => ("How the run ended", said),
        _ => ("The operations", said),
    };
    let body = html! {
        @for line in said { p { (line) } }
        @if is_drawn(picture) {
            (drawn(picture, &format!("p{at}-")))
        }
        @if let Some(timeline) = &picture.timeline { (timeline::markup(timeline)) }
        (reasons(picture))
        @if !picture.operations.is_empty() || picture.lists.is_empty() {
            (operations(picture).folded(&counted(picture.operations.len(), "operation", "operations"), picture.operations.len() <= LONG))
        }
        @for line in &picture.lines { (states(line)) }
        @for it in &picture.lists { (list(it)) }
        @for note in &picture.notes { p { (note) } }
    };
    Section::new(anchors, "picture", title, body)
}

/// Makes a drawing at its natural size. `prefix` makes its ids unique on the page.
pub(super) fn drawn(picture: &Picture, prefix: &str) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(picture.title) {
            div.drawing.natural role="img" aria-label=(picture.title) {
                (PreEscaped(inline(&drawing(picture), prefix)))
            }
        }
    }
}

/// Whether a picture is drawn: it has arrows, or few operations.
fn is_drawn(picture: &Picture) -> bool {
    !picture.arrows.is_empty() || (1..=LONG).contains(&picture.operations.len())
}

/// Lists the reasons of arrows with a letter, which open on demand.
fn reasons(picture: &Picture) -> Markup {
    html! {
        @if !picture.reasons.is_empty() {
            p { "Inferred orderings:" }
            @for (letter, reason) in &picture.reasons {
                details {
                    summary { "[" (letter) "] " (arrow(picture, letter)) }
                    p { (reason) }
                }
            }
        }
    }
}

/// Names the ends and the relation of the arrow with a letter, such as `T0:1 co T1:2`.
fn arrow(picture: &Picture, letter: &str) -> String {
    let found = picture.arrows.iter().find(|arrow| arrow.letter.as_deref() == Some(letter));
    let Some(arrow) = found else {
        return "a step on the way".to_owned();
    };
    let label = |row: usize| &picture.operations[row].label;
    format!("{} {} {}", label(arrow.from), arrow.relation.name(), label(arrow.to))
}

fn operations(picture: &Picture) -> Table {
    let caption = if is_drawn(picture) {
        "The operations, in the order of the picture"
    } else {
        "The operations in trace order"
    };
    let mut table = Table::new(caption, &["Operation", "Thread", "What it does", "In the trace"]);
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
        @if let Some(violation) = &line.swmr_violation { p { strong { (line.title) ": " (violation) "." } } }
        @if let Some(omission) = line.omission() { p { (line.title) ": " (omission) "." } }
        (table.folded(&line.title, line.rows.len() <= LONG))
    }
}

/// Shows a list in which the failure is highlighted.
fn list(list: &List) -> Markup {
    html! {
        p { strong { (list.title) } }
        @if !list.rows.is_empty() {
            pre tabindex="0" {
                @for row in &list.rows {
                    @if row.is_wrong { strong { (row.text) } } @else { (row.text) }
                    "\n"
                }
            }
        }
    }
}

fn cells(row: &LineRow) -> Vec<Cell> {
    let number = |it: Option<u64>| Cell::count_if(it, "");
    let what = if row.is_cause {
        Cell::of(html! { mark { (row.what) } " keeps the line" })
    } else {
        Cell::text(&row.what)
    };
    let mut cells = vec![number(row.line), number(row.tick), what];
    cells.extend((0..row.states.len()).map(|at| {
        let (state, is_changed) = (row.state(at), row.changed == Some(at));
        Cell::of(html! {
            span.wrong[row.conflicting.contains(&at)] {
                @if is_changed { strong { (state) } } @else { (state) }
            }
        })
    }));
    cells
}

#[cfg(test)]
mod tests {
    use super::explained;
    use crate::picture::{CacheLine, LineRow, Operation, Picture};

    fn of_reads(count: usize, lead: &[&str]) -> Picture {
        let read = |at| Operation {
            column: 0,
            label: format!("T0:{at}"),
            text: "load x == 7".to_owned(),
            place: String::new(),
        };
        Picture {
            title: "It violates SC".to_owned(),
            lead: lead.iter().map(|&line| line.to_owned()).collect(),
            columns: vec!["thread 0".to_owned()],
            operations: (0..count).map(read).collect(),
            ..Picture::default()
        }
    }

    #[test]
    fn one_box_is_drawn_and_a_long_list_is_not() {
        let page = explained(&[of_reads(1, &["Nobody wrote 7."])]);
        assert!(page.contains("<svg") && page.contains("in the order of the picture"));
        let page = explained(&[of_reads(1000, &[])]);
        assert!(!page.contains("<svg") && !page.contains("in the order of the picture"));
        assert!(page.contains("in trace order"));
    }

    #[test]
    fn a_case_is_said_in_its_title_and_nowhere_else() {
        let case = "Case 1: assume T0:0 co T1:0";
        let page = explained(&[of_reads(1, &["A.", "B."]), of_reads(1, &["", case])]);
        assert!(page.contains("<p>B.</p>") && page.contains(case));
        assert!(!page.contains(&format!("<p>{case}")));
    }

    #[test]
    fn what_is_left_out_is_said_above_the_table() {
        let mut picture = of_reads(1, &[]);
        picture.lines.push(CacheLine {
            title: "Cache line 0x40".to_owned(),
            controllers: vec!["L1Cache 0".to_owned()],
            rows: vec![LineRow { what: "L1Cache 0: Inv".to_owned(), ..LineRow::default() }],
            left_out: 3,
            allowed_by: None,
            swmr_violation: None,
            finding: None,
        });
        let page = explained(&[picture]);
        let at = |text: &str| page.find(text).unwrap();
        assert!(
            at("3 transitions farther from these operations are left out") < at("L1Cache 0: Inv")
        );
    }
}
