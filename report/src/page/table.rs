//! Tables in scrolling boxes, which the page's script can sort and filter.

use maud::{Markup, html};

use super::cell::Cell;

/// A table. The first cell of each row is its heading.
pub(super) struct Table {
    caption: String,
    heads: Vec<String>,
    rows: Vec<Vec<Cell>>,
    total: Option<Vec<Cell>>,
    widths: Vec<u32>,
    is_in_lines: bool,
}

impl Table {
    /// Makes a table without rows.
    pub(super) fn new(caption: &str, heads: &[&str]) -> Table {
        Table {
            caption: caption.to_owned(),
            heads: heads.iter().map(|&head| head.to_owned()).collect(),
            rows: Vec::new(),
            total: None,
            widths: Vec::new(),
            is_in_lines: false,
        }
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    /// Sets the last row, which stays below all others when the table is sorted.
    pub(super) fn total(&mut self, row: Vec<Cell>) {
        self.total = Some(row);
    }

    /// Sets the relative widths of the columns. Without them, the contents determine the widths.
    pub(super) fn widths(&mut self, widths: &[u32]) {
        self.widths = widths.to_vec();
    }

    /// Shows each row in one line, as long as its folded parts are closed. Longer text is cut off, so its cell should
    /// have the text as tooltip.
    pub(super) fn in_lines(&mut self) {
        self.is_in_lines = true;
    }

    /// The markup of the table.
    pub(super) fn markup(&self) -> Markup {
        let whole = self.widths.iter().sum::<u32>().max(1);
        html! {
            // With a tab index, the box can be scrolled with the keyboard.
            div.scroll tabindex="0" role="region" aria-label=(self.caption) {
                table.data.fixed[!self.widths.is_empty()].lines[self.is_in_lines] {
                    caption { (self.caption) }
                    @if !self.widths.is_empty() {
                        colgroup {
                            @for width in &self.widths { col style={ "width:" (100 * width / whole) "%" }; }
                        }
                    }
                    thead {
                        tr {
                            @for (at, head) in self.heads.iter().enumerate() {
                                th scope="col" class=[self.is_numeric(at).then_some("number")] { (head) }
                            }
                        }
                    }
                    tbody {
                        @for row in &self.rows { (line(row)) }
                    }
                    @if let Some(total) = &self.total {
                        tfoot { (line(total)) }
                    }
                }
            }
        }
    }

    /// The markup of the table inside an element that opens on demand.
    pub(super) fn folded(&self, summary: &str, is_open: bool) -> Markup {
        html! {
            details open[is_open] {
                summary { (summary) }
                (self.markup())
            }
        }
    }

    /// Whether a column has numbers, so that its head is aligned to the right.
    fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().chain(&self.total);
        cells.any(|row| row.get(column).is_some_and(|cell| cell.is_number))
    }
}

fn line(row: &[Cell]) -> Markup {
    html! {
        tr {
            @for (at, cell) in row.iter().enumerate() {
                @if at == 0 {
                    th scope="row" class=[class(cell)] data-sort=[&cell.key] { (cell.content) }
                } @else {
                    td class=[class(cell)] data-sort=[&cell.key] style=[cell.style()] title=[&cell.title] {
                        (cell.content)
                    }
                }
            }
        }
    }
}

fn class(cell: &Cell) -> Option<&'static str> {
    match (cell.is_number, cell.is_long, cell.shade) {
        (_, _, Some(_)) => Some("number shaded"),
        (true, _, None) => Some("number"),
        (false, true, None) => Some("long"),
        (false, false, None) => None,
    }
}
