//! Puts figures into the page as SVG, with ids that are unique on the page.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};

use super::cell::Cell;
use super::section::Anchors;
use super::table::Table;
use crate::figures::Figure;

/// Shows a figure with its caption and its numbers.
pub(super) fn drawing(figure: &Figure, anchors: &mut Anchors) -> Markup {
    let id = anchors.take(&format!("figure-{}", figure.name));
    html! {
        figure id=(id) {
            div.scroll tabindex="0" role="region" aria-label=(figure.title) {
                div.drawing role="img" aria-label={ (figure.title) ". " (figure.caption) } {
                    (PreEscaped(inline(&figure.svg, &format!("{id}-")).replacen("<svg", &format!("<svg id=\"{id}-drawing\""), 1)))
                }
            }
            // The drawing contains the title.
            figcaption { (figure.caption) }
            @if !figure.table.rows.is_empty() {
                (numbers(figure).folded("Table of the numbers", false))
            }
        }
    }
}

/// Makes a small copy of a figure that the page has, with its title, as a link to it. The copy refers to the drawing,
/// so it adds few bytes.
pub(super) fn thumbnail(figure: &Figure) -> Markup {
    let tag = figure.svg.find("<svg").map_or("", |at| &figure.svg[at..]);
    let tag = tag.split('>').next().unwrap_or_default();
    let view = value(tag, "viewBox").unwrap_or_default();
    let (width, height) = view.trim_start_matches("0 0 ").split_once(' ').unwrap_or(("1", "1"));
    let id = format!("figure-{}", figure.name);
    html! {
        a href={ "#" (id) } {
            svg viewBox=(view) aria-hidden="true" {
                use href={ "#" (id) "-drawing" } width=(width) height=(height) {}
            }
            span { (figure.title) }
        }
    }
}

fn numbers(figure: &Figure) -> Table {
    let heads: Vec<&str> = figure.table.columns.iter().map(|column| &**column).collect();
    let mut table = Table::new("The numbers of the figure", &heads);
    for row in &figure.table.rows {
        let cells = row.iter().map(|text| match text.parse::<f64>() {
            Ok(number) => Cell::number(text, number),
            Err(_) => Cell::text(text),
        });
        table.push(cells.collect());
    }
    table
}

/// Turns an SVG document into an element, with `prefix` before its ids.
pub(super) fn inline(svg: &str, prefix: &str) -> String {
    let element = svg.find("<svg").map_or("", |at| &svg[at..]);
    let ids: BTreeSet<&str> = attributes(element).filter_map(|tag| value(tag, "id")).collect();
    let mut text = String::with_capacity(element.len());
    let mut rest = element;
    while let Some(at) = rest.find('<') {
        let end = rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
        text.push_str(&rest[..at]);
        text.push_str(&renamed(&rest[at..end], &ids, prefix));
        rest = &rest[end..];
    }
    text.push_str(rest);
    text
}

/// Lists the tags of an element.
fn attributes(element: &str) -> impl Iterator<Item = &str> {
    element.split('<').filter_map(|part| part.split('>').next())
}

/// The value of an attribute in a tag.
fn value<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = format!(" {name}=\"");
    let at = tag.find(&start)? + start.len();
    tag[at..].split('"').next()
}

/// Adds the prefix to the id and the references to ids in a tag.
fn renamed(tag: &str, ids: &BTreeSet<&str>, prefix: &str) -> String {
    ids.iter().fold(tag.to_owned(), |tag, id| {
        tag.replace(&format!(" id=\"{id}\""), &format!(" id=\"{prefix}{id}\""))
            .replace(&format!("url(#{id})"), &format!("url(#{prefix}{id})"))
            .replace(&format!("href=\"#{id}\""), &format!("href=\"#{prefix}{id}\""))
    })
}

#[cfg(test)]
mod tests {
    use super::inline;

    #[test]
    fn ids_have_a_prefix_and_texts_do_not() {
        let svg = "<?xml version=\"1.0\"?>\n<svg width=\"4\"><clipPath id=\"c\"/><clipPath id=\"cc\"/>\
                   <g clip-path=\"url(#c)\"><use href=\"#cc\"/><use href=\"#other\"/></g><text> id=\"c\" url(#c)</text></svg>";
        assert_eq!(
            inline(svg, "f-"),
            "<svg width=\"4\"><clipPath id=\"f-c\"/><clipPath id=\"f-cc\"/>\
             <g clip-path=\"url(#f-c)\"><use href=\"#f-cc\"/><use href=\"#other\"/></g><text> id=\"c\" url(#c)</text></svg>"
        );
        assert_eq!(inline("no drawing", "f-"), "");
    }
}
