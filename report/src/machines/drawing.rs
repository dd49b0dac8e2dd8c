//! Machines as drawings, in SVG.

use std::fmt::Write as _;

use slicc::outline::{MachineOutline, StateOutline};

use super::graph::{Edge, Graph};
use super::layout::{self, Layout, Link, Point, Size};
use crate::picture::escaped;

/// Height of a line of small text, in pixels.
const LINE: f64 = 12.0;
/// Height of the name of a state, in pixels.
const NAME: f64 = 17.0;

/// Space around the drawing, in pixels.
const MARGIN: f64 = 16.0;
/// Space above the drawing, for the title, in pixels.
const TITLE: f64 = 44.0;

/// Width of a letter of the title, in pixels.
const TITLE_LETTER: f64 = 9.4;

/// Colours of states and of the lines that leave them.
const COLOURS: [&str; 8] =
    ["#1f5fa8", "#b3470f", "#2c7a2c", "#8a3a8a", "#a02c2c", "#5b5b5b", "#0f7a7a", "#7a5a10"];

/// Largest layout cost of a machine that is drawn.
const LARGEST: usize = 200_000;

/// Whether a machine is too large to be drawn.
pub fn is_too_large(machine: &MachineOutline) -> bool {
    let graph = Graph::of(machine);
    layout::cost(machine.states.len(), &links(&graph)) > LARGEST
}

/// One drawing for each machine of a protocol, in SVG.
pub fn drawing(protocol: &str, machines: &[&MachineOutline]) -> String {
    machines.iter().map(|machine| drawn(protocol, &Graph::of(machine))).collect()
}

/// The size of lines of small text, in pixels.
fn text_size(lines: &[&str]) -> Size {
    let longest = lines.iter().map(|line| line.chars().count()).max();
    Size { width: longest.unwrap_or(0) as f64 * 5.9 + 6.0, height: lines.len() as f64 * LINE + 4.0 }
}

fn node_size(state: &StateOutline, kept: &[&str]) -> Size {
    let small = text_size(&[&[state.permission_name()], kept].concat());
    let name = state.name.chars().count() as f64 * 10.5;
    let gap = if kept.is_empty() { 0.0 } else { 5.0 };
    Size { width: small.width.max(name) + 12.0, height: small.height + NAME + gap + 4.0 }
}

fn links(graph: &Graph<'_>) -> Vec<Link> {
    let edges = graph.edges.iter();
    edges
        .map(|edge| Link { from: edge.from, to: edge.to, label: text_size(&edge.events) })
        .collect()
}

fn drawn(protocol: &str, graph: &Graph<'_>) -> String {
    let states = graph.machine.states.iter().zip(&graph.kept);
    let sizes: Vec<Size> = states.map(|(state, kept)| node_size(state, kept)).collect();
    let layout = layout::layout(&sizes, &links(graph));
    let mut svg = Svg::default();
    svg.open(protocol, graph, layout.size);
    for (edge, points) in graph.edges.iter().zip(&layout.edges) {
        svg.edge(edge, points);
    }
    svg.labels(graph, &layout);
    for (index, size) in sizes.iter().enumerate() {
        let state = &graph.machine.states[index];
        svg.node(index, state, &graph.kept[index], layout.nodes[index], *size);
    }
    svg.0.push_str("</g>\n</svg>\n");
    svg.0
}

/// The text of an SVG drawing.
#[derive(Default)]
struct Svg(String);

impl Svg {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{line}");
    }

    fn open(&mut self, protocol: &str, graph: &Graph<'_>, size: Size) {
        let title = format!("{protocol}: {}", graph.machine.name);
        let about = if graph.is_partial {
            "Stalls and transitions whose next state is computed are left out. Events in a box keep the state."
        } else {
            "Stalls are left out. Events in a box keep the state."
        };
        let texts = (about.len() as f64 * 5.9).max(title.chars().count() as f64 * TITLE_LETTER);
        let width = size.width.max(texts) + 2.0 * MARGIN;
        let height = size.height + TITLE + MARGIN;
        self.line(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, sans-serif\" \
             font-size=\"10\">"
        ));
        self.line(format_args!("<title>{}</title>", escaped(&title)));
        self.0.push_str("<defs>\n");
        for (index, colour) in COLOURS.iter().enumerate() {
            self.line(format_args!(
                "<marker id=\"arrow{index}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
                 markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
                 <path d=\"M0 0 L8 4 L0 8 z\" fill=\"{colour}\"/></marker>"
            ));
        }
        self.0.push_str("</defs>\n");
        self.line(format_args!("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"));
        self.line(format_args!(
            "<text x=\"{MARGIN}\" y=\"20\" font-size=\"16\" font-weight=\"bold\">{}</text>",
            escaped(&title)
        ));
        self.line(format_args!("<text x=\"{MARGIN}\" y=\"34\" fill=\"#555\">{about}</text>"));
        self.line(format_args!("<g transform=\"translate({MARGIN} {TITLE})\">"));
    }

    /// Draws an edge as a curve through points, which it passes vertically.
    fn edge(&mut self, edge: &Edge<'_>, points: &[Point]) {
        let Some((first, others)) = points.split_first() else {
            return;
        };
        let mut path = format!("M{:.1} {:.1}", first.x, first.y);
        let mut before = *first;
        for point in others {
            let middle = (before.y + point.y) / 2.0;
            let _ = write!(
                path,
                " C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}",
                before.x, point.x, point.x, point.y
            );
            before = *point;
        }
        let index = edge.from % COLOURS.len();
        self.line(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.2\" \
             marker-end=\"url(#arrow{index})\"/>",
            COLOURS[index]
        ));
    }

    /// Draws the labels of edges on top of the curves, which may pass beneath them.
    fn labels(&mut self, graph: &Graph<'_>, layout: &Layout) {
        for (edge, &centre) in graph.edges.iter().zip(&layout.labels) {
            let size = text_size(&edge.events);
            let (x, y) = (centre.x - size.width / 2.0, centre.y - size.height / 2.0);
            self.line(format_args!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"white\" \
                 fill-opacity=\"0.9\"/>",
                size.width, size.height
            ));
            let colour = COLOURS[edge.from % COLOURS.len()];
            self.lines(&edge.events, centre.x, y + 2.0, colour);
        }
    }

    fn node(
        &mut self,
        index: usize,
        state: &StateOutline,
        kept: &[&str],
        centre: Point,
        size: Size,
    ) {
        let (x, y) = (centre.x - size.width / 2.0, centre.y - size.height / 2.0);
        let colour = COLOURS[index % COLOURS.len()];
        let (fill, dash) = if state.is_stable() {
            ("#eef3fa", "")
        } else {
            ("#fbfbf5", " stroke-dasharray=\"4 2\"")
        };
        self.line(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"7\" \
             fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.6\"{dash}/>",
            size.width, size.height
        ));
        self.line(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"14\" \
             font-weight=\"bold\">{}</text>",
            centre.x,
            y + NAME,
            escaped(&state.name)
        ));
        let top = y + NAME + 4.0;
        self.lines(&[state.permission_name()], centre.x, top, "#555");
        self.lines(kept, centre.x, top + LINE + 5.0, colour);
    }

    /// Draws lines of small text below the height `top`.
    fn lines(&mut self, lines: &[&str], x: f64, top: f64, colour: &str) {
        for (index, text) in lines.iter().enumerate() {
            let y = top + LINE * (index as f64 + 1.0) - 2.5;
            self.line(format_args!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"{colour}\">{}</text>",
                escaped(text)
            ));
        }
    }
}
