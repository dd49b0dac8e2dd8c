//! The table of a machine: a row for each state, a column for each event.

use maud::{Markup, html};

/// The name of a state or event at the edge of the table, and its description.
pub(super) type Edge<'a> = (&'a str, Option<&'a str>);

/// A row of the table: its anchor, its state, and its cells, which are `td` elements.
pub(super) struct GridRow<'a> {
    pub anchor: Option<String>,
    pub state: Edge<'a>,
    pub cells: Markup,
}

/// Makes a table that scrolls by itself if it is wider than the page. The headings of its columns are upright.
pub(super) fn grid<'a>(
    caption: &str,
    events: impl Iterator<Item = Edge<'a>>,
    rows: impl Iterator<Item = GridRow<'a>>,
) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table.heat {
                caption { (caption) }
                thead {
                    tr {
                        td {}
                        @for (event, about) in events {
                            th scope="col" title=[about] { span { (event) } }
                        }
                    }
                }
                tbody {
                    @for GridRow { anchor, state: (name, about), cells } in rows {
                        tr id=[anchor] {
                            th scope="row" title=[about] { (name) }
                            (cells)
                        }
                    }
                }
            }
        }
    }
}
