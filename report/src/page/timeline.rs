//! Shows a timeline on a page. The page's script zooms it; without the script it shows all of the time.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use settings::Setting;

use crate::numbers::grouped;
use crate::picture::escaped;
use crate::picture::timeline::{COLOURED, Span, Timeline};

/// Colours of locations from the palette of Okabe and Ito, followed by the colour of all other locations.
const COLOURS: [&str; COLOURED + 1] =
    ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#a09100", "#828282"];

/// Height of the row of a thread, in pixels.
const ROW: usize = 20;

/// Width of the drawing over the whole time, in units of its view box.
const WIDTH: f64 = 10_000.0;

/// Number of the shortest spans for which the closest view has room.
const CLOSEST: u64 = 20;

/// Renders the timeline with the names of threads, the axis and the legend.
pub(super) fn markup(timeline: &Timeline) -> Markup {
    let height = ROW * timeline.threads.len();
    let (first, last) = timeline.ends;
    let others = timeline.spans.iter().any(|span| span.location == COLOURED);
    let is_grouped = timeline.spans.iter().any(|span| span.text.is_empty());
    html! {
        div.timeline data-first=(first) data-last=(last) data-unit=(timeline.unit) data-closest=(closest(timeline)) {
            p {
                (grouped(timeline.operations as u64)) " operations by thread over " (timeline.unit) "s, coloured by location. "
                @if is_grouped {
                    "A mark is all operations of a thread in an interval, darker where there are more, with the colour of the commonest of the \
                     locations below; " (Setting::FromTick) " and " (Setting::ToTick) " show each."
                } @else {
                    "A mark is an operation; its tooltip says which."
                }
                " With scripts, the wheel zooms, dragging moves, and a double click shows all."
            }
            div.rows {
                div.names { @for name in &timeline.threads { span { (name) } } }
                svg.each[!is_grouped] viewBox={ "0 0 " (WIDTH) " " (height) } preserveAspectRatio="none" style={ "height:" (height) "px" }
                    role="img" aria-label="Operations by thread over time" { (PreEscaped(marks(timeline))) }
                span {}
                div.axis { span { (timeline.unit) " " (grouped(first)) } span { (timeline.unit) " " (grouped(last)) } }
            }
            ul.legend {
                @for (name, colour) in timeline.locations.iter().zip(COLOURS) {
                    li { i style={ "background:" (colour) } {} (name) }
                }
                @if others { li { i style={ "background:" (COLOURS[COLOURED]) } {} "other locations and fences" } }
            }
        }
    }
}

/// The length of time that the closest view shows.
fn closest(timeline: &Timeline) -> u64 {
    let lengths = timeline.spans.iter().map(|span| span.ends.1 - span.ends.0);
    CLOSEST * lengths.min().unwrap_or(1).max(1)
}

/// Draws the marks. Each is as long as its span; the style sheet makes short operations wide enough to be seen.
fn marks(timeline: &Timeline) -> String {
    let (first, last) = timeline.ends;
    let scale = WIDTH / (last - first).max(1) as f64;
    // With this many digits, marks have their exact places in the closest view, too.
    let digits = (2.0 - scale.log10()).ceil().clamp(1.0, 9.0) as usize;
    let most = timeline.spans.iter().map(|span| span.operations).max().unwrap_or(1);
    let mut text = String::new();
    for span in &timeline.spans {
        let Span { thread, ends, location, operations, .. } = span;
        let x = (ends.0 - first) as f64 * scale;
        let width = (ends.1 - ends.0).max(1) as f64 * scale;
        let opacity = 0.35 + 0.65 * *operations as f64 / most as f64;
        let said = if span.text.is_empty() {
            format!("{operations} operations, {} to {}", ends.0, ends.1)
        } else {
            format!("{}, {} to {}", escaped(&span.text), ends.0, ends.1)
        };
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "<rect x=\"{x:.digits$}\" y=\"{}\" width=\"{width:.digits$}\" height=\"{}\" color=\"{}\" opacity=\"{opacity:.2}\"><title>{said}</title></rect>",
            thread * ROW + 2,
            ROW - 4,
            COLOURS[(*location).min(COLOURED)]
        );
    }
    text
}
