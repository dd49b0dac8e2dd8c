//! Shows a message-sequence chart as a page: the drawing, and the same steps as text.

use maud::{PreEscaped, html};

use super::document;
use super::drawing::inline;
use super::section::{Anchors, Section};
use crate::sequence::{Chart, svg, text};

/// Renders the page of a chart. The same chart gives the same bytes.
pub fn charted(chart: &Chart) -> String {
    let mut anchors = Anchors::default();
    let lead = chart.lead.first().map_or("", String::as_str);
    // The page has the title and the first sentence.
    let untitled = Chart {
        title: String::new(),
        lead: chart.lead.iter().skip(1).cloned().collect(),
        ..chart.clone()
    };
    let drawn = html! {
        div.scroll tabindex="0" role="region" aria-label=(chart.title) {
            div.drawing.natural role="img" aria-label=(chart.title) {
                (PreEscaped(inline(&svg(&untitled), "chart-")))
            }
        }
    };
    let written = html! { pre { (text(&untitled)) } };
    let sections = [
        Section::new(&mut anchors, "chart", "Who sends what to whom", drawn),
        Section::new(&mut anchors, "text", "The same as text", written),
    ];
    document(&chart.title, lead, &sections)
}
