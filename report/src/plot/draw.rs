//! Draws a plot on any backend of plotters.
//!
//! Everything is drawn enlarged by [`SCALE`], since plotters rounds to whole pixels. An SVG states the intended size,
//! and a PNG is scaled down, which makes its lines smooth.

use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::cartesian::Cartesian2d;
use plotters::element::{PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, FontTransform, RGBColor, ShapeStyle, WHITE};
use plotters_backend::DrawingBackend;

use super::apart::apart;
use super::axis::Axis;
use super::canvas::{Canvas, Failure, SCALE};
use super::chart::{EndLabel, Layer, Panel, Plot, Side};
use super::font::{Face, LABEL, SMALL};
use super::layout::{AXIS_NAME, Layout, PlacedPanel, ROW_ABOVE, TOP};
use super::legend::draw_legend;
use super::marks::{dashed, draw_mark, filled, stroke};
use super::style::GREY;

/// A chart whose axes are drawn.
type Chart<'a, DB> = ChartContext<'a, DB, Cartesian2d<Axis, Axis>>;

/// Opacity of the field of a box.
const BOX_OPACITY: f64 = 0.16;

/// Length of the strokes beside the labels of an axis, in pixels of the figure.
const TICK: i32 = 4;

/// Colour of labelled grid lines.
const GRID: RGBColor = RGBColor(222, 222, 222);
/// Colour of grid lines without label.
const FAINT: RGBColor = RGBColor(242, 242, 242);

/// Draws a plot.
pub(super) fn draw<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    plot: &Plot,
    layout: &Layout,
) -> Result<(), Failure<DB>> {
    canvas.fill(&WHITE)?;
    for line in &layout.lines {
        write(canvas, &line.text, line.face, line.at, (HPos::Left, VPos::Top))?;
    }
    for (panel, placed) in plot.panels.iter().zip(&layout.panels) {
        draw_panel(canvas, panel, placed, layout)?;
    }
    draw_legend(canvas, layout)
}

/// Writes text at a position in pixels of the figure.
pub(super) fn write<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    text: &str,
    face: Face,
    at: (i32, i32),
    (across, down): (HPos, VPos),
) -> Result<(), Failure<DB>> {
    let at = (at.0 * SCALE, at.1 * SCALE);
    canvas.draw(&Text::new(text.to_owned(), at, face.style(across, down)))
}

fn draw_panel<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    panel: &Panel,
    placed: &PlacedPanel,
    layout: &Layout,
) -> Result<(), Failure<DB>> {
    let (left, top) = placed.at;
    let heading = (left + layout.label_width, top);
    let bold = LABEL.bold();
    write(canvas, &panel.heading, bold, heading, (HPos::Left, VPos::Top))?;
    let above = top + placed.above;
    let area = canvas.clone().shrink(
        (left * SCALE, above * SCALE),
        (layout.panel_width * SCALE, placed.chart_height * SCALE),
    );
    let chart = draw_axes(&area, panel, placed, layout)?;
    if placed.has_upright_labels {
        draw_upright_labels(canvas, &chart, panel)?;
    }
    draw_axis_name(canvas, panel, placed, layout)?;
    draw_rows_above(canvas, &chart, panel, (left + layout.label_width, above))?;
    draw_end_labels(canvas, &chart, panel)?;
    panel.layers.iter().try_for_each(|layer| draw_layer(canvas, &chart, panel, layer))
}

fn draw_axes<'a, DB: DrawingBackend>(
    area: &Canvas<DB>,
    panel: &Panel,
    placed: &PlacedPanel,
    layout: &Layout,
) -> Result<Chart<'a, DB>, Failure<DB>> {
    let mut builder = ChartBuilder::on(area);
    let x = if placed.has_upright_labels {
        panel.x.without_labels()
    } else {
        panel.x.thinned(layout.chart_width())
    };
    let mut chart = builder
        .margin_right(layout.end_width * SCALE)
        .margin_top(TOP * SCALE)
        .set_label_area_size(LabelAreaPosition::Left, layout.label_width * SCALE)
        .set_label_area_size(LabelAreaPosition::Bottom, placed.axis_height * SCALE)
        .build_cartesian_2d(x, panel.y.clone())?;
    let mut mesh = chart.configure_mesh();
    if !panel.has_columns {
        mesh.disable_x_mesh();
    }
    if !panel.has_rows {
        mesh.disable_y_mesh();
    }
    mesh.y_desc(&panel.y.name)
        .label_style(LABEL.style(HPos::Left, VPos::Top))
        .axis_desc_style(LABEL.style(HPos::Left, VPos::Top))
        .bold_line_style(stroke(GRID, 1.0))
        .light_line_style(stroke(FAINT, 1.0))
        .axis_style(stroke(GREY, 1.0))
        .set_all_tick_mark_size(TICK * SCALE)
        .draw()?;
    Ok(chart)
}

/// Writes the labels below a chart upright, from the axis down.
fn draw_upright_labels<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    chart: &Chart<'_, DB>,
    panel: &Panel,
) -> Result<(), Failure<DB>> {
    for (at, label) in panel.x.ticks() {
        let (x, y) = chart.backend_coord(&(*at, panel.y.low()));
        let style = LABEL.style(HPos::Right, VPos::Center);
        let style = style.transform(FontTransform::Rotate270);
        canvas.draw(&Text::new(label.clone(), (x, y + (TICK + 3) * SCALE), style))?;
    }
    Ok(())
}

/// Writes the name of the axis below a chart.
fn draw_axis_name<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    panel: &Panel,
    placed: &PlacedPanel,
    layout: &Layout,
) -> Result<(), Failure<DB>> {
    let (left, top) = placed.at;
    let middle = left + layout.label_width + layout.chart_width() / 2;
    let bottom = top + placed.above + placed.chart_height;
    write(
        canvas,
        &panel.x.name,
        LABEL,
        (middle, bottom - AXIS_NAME / 2),
        (HPos::Center, VPos::Center),
    )
}

/// Smallest distance of two numbers above a chart, in pixels of the figure.
const NUMBER_GAP: i32 = 4;

/// Draws the rows of numbers above the chart, each beside its name and marker. Numbers whose places are too close to each other are moved
/// apart.
fn draw_rows_above<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    chart: &Chart<'_, DB>,
    panel: &Panel,
    (left, bottom): (i32, i32),
) -> Result<(), Failure<DB>> {
    for (row, numbers) in panel.above.iter().rev().enumerate() {
        let y = bottom - row as i32 * ROW_ABOVE - ROW_ABOVE / 2;
        let face = LABEL.sized(SMALL);
        let end = (HPos::Right, VPos::Center);
        write(canvas, numbers.name, face, (left - 16, y), end)?;
        draw_mark(canvas, ((left - 8) * SCALE, y * SCALE), numbers.style, numbers.is_open)?;
        let face = face.colored(numbers.style.color).bold();
        let placed = numbers.at.iter().map(|(x, number)| {
            let (x, _) = chart.backend_coord(&(*x, panel.y.low()));
            (x, (face.width(number) + NUMBER_GAP) * SCALE)
        });
        let middles = apart(&placed.collect::<Vec<_>>());
        for (x, (_, number)) in middles.into_iter().zip(&numbers.at) {
            let style = face.style(HPos::Center, VPos::Center);
            canvas.draw(&Text::new(number.clone(), (x, y * SCALE), style))?;
        }
    }
    Ok(())
}

/// Writes the names of curves at the right, from top to bottom, as near to the ends of the curves as is possible
/// without overlap.
fn draw_end_labels<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    chart: &Chart<'_, DB>,
    panel: &Panel,
) -> Result<(), Failure<DB>> {
    /// Distance between two names, in pixels of the figure.
    const LINE: i32 = 14;
    let ends = panel.end_labels.iter();
    let ends = ends.map(|label| (chart.backend_coord(&(panel.x.high(), label.y)), label));
    let mut ends: Vec<((i32, i32), &EndLabel)> = ends.collect();
    ends.sort_by_key(|((_, y), _)| *y);
    let lowest = chart.backend_coord(&(panel.x.high(), panel.y.low())).1;
    let mut free = i32::MIN;
    for (at, ((x, y), label)) in ends.iter().enumerate() {
        let below = (ends.len() - 1 - at) as i32 * LINE * SCALE;
        let y = (*y).min(lowest - below).max(free);
        free = y + LINE * SCALE;
        draw_mark(canvas, (x + 9 * SCALE, y), label.style, false)?;
        let style = LABEL.style(HPos::Left, VPos::Center);
        canvas.draw(&Text::new(label.text.clone(), (x + 17 * SCALE, y), style))?;
    }
    Ok(())
}

fn draw_layer<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    chart: &Chart<'_, DB>,
    panel: &Panel,
    layer: &Layer,
) -> Result<(), Failure<DB>> {
    let pixel = |point: &(f64, f64)| chart.backend_coord(point);
    match layer {
        Layer::Box { color, across, up } => {
            let corners = [pixel(&(across.0, up.1)), pixel(&(across.1, up.0))];
            canvas.draw(&Rectangle::new(corners, color.mix(BOX_OPACITY).filled()))
        }
        Layer::Whiskers { color, points } => points.iter().try_for_each(|(x, lower, upper)| {
            draw_whisker(canvas, [pixel(&(*x, *lower)), pixel(&(*x, *upper))], *color)
        }),
        Layer::Line { color, points } => {
            let points: Vec<(i32, i32)> = points.iter().map(pixel).collect();
            canvas.draw(&PathElement::new(points, stroke(*color, 1.8)))
        }
        Layer::Marks { style, is_open, points } => {
            points.iter().try_for_each(|point| draw_mark(canvas, pixel(point), *style, *is_open))
        }
        Layer::Bar { color, across, up } => {
            let corners = [pixel(&(across.0, up.0)), pixel(&(across.1, up.1))];
            draw_bar(canvas, corners, *color)
        }
        Layer::Text { at, side, text, color } => draw_text(canvas, pixel(at), *side, text, *color),
        Layer::Notes { notes, color } => {
            let bounds = [(panel.x.low(), panel.y.high()), (panel.x.high(), panel.y.low())];
            let notes: Vec<((i32, i32), &str)> =
                notes.iter().map(|(at, text)| (pixel(at), &**text)).collect();
            let marks = panel.layers.iter().filter_map(|layer| match layer {
                Layer::Marks { points, .. } => Some(points),
                _ => None,
            });
            let marks: Vec<(i32, i32)> = marks.flatten().map(pixel).collect();
            draw_notes(canvas, bounds.map(|corner| pixel(&corner)), &notes, &marks, *color)
        }
        Layer::Reference { at, kind } => {
            let [from, to] = [panel.x.low(), panel.x.high()].map(|x| pixel(&(x, *at)));
            dashed(canvas, from, to, *kind)
        }
    }
}

/// Draws an upright stroke with a short one across each end.
pub(super) fn draw_whisker<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    ends: [(i32, i32); 2],
    color: RGBColor,
) -> Result<(), Failure<DB>> {
    let stroke = stroke(color, 1.0);
    canvas.draw(&PathElement::new(ends.to_vec(), stroke))?;
    ends.into_iter().try_for_each(|(x, y)| {
        let across = vec![(x - 2 * SCALE, y), (x + 2 * SCALE, y)];
        canvas.draw(&PathElement::new(across, stroke))
    })
}

/// Draws a bar between two corners.
pub(super) fn draw_bar<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    [one, other]: [(i32, i32); 2],
    color: Option<RGBColor>,
) -> Result<(), Failure<DB>> {
    let corners =
        [(one.0.min(other.0), one.1.min(other.1)), (one.0.max(other.0), one.1.max(other.1))];
    let fill = filled(color.unwrap_or(WHITE));
    canvas.draw(&Rectangle::new(corners, fill))?;
    if color.is_some() {
        return Ok(());
    }
    let [(left, top), (right, bottom)] = corners;
    let outline = vec![(left, bottom), (left, top), (right, top), (right, bottom), (left, bottom)];
    let edge: ShapeStyle = stroke(super::style::BLACK, 1.2);
    canvas.draw(&PathElement::new(outline, edge))
}

fn draw_text<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    (x, y): (i32, i32),
    side: Side,
    text: &str,
    color: RGBColor,
) -> Result<(), Failure<DB>> {
    let (at, across, down) = match side {
        Side::Above => ((x, y - 3 * SCALE), HPos::Center, VPos::Bottom),
        Side::Right => ((x + 7 * SCALE, y), HPos::Left, VPos::Center),
        Side::Center => ((x, y), HPos::Center, VPos::Center),
    };
    let style = LABEL.sized(SMALL).colored(color).style(across, down);
    canvas.draw(&Text::new(text.to_owned(), at, style))
}

/// Writes texts near their points, as far as there is room between these corners of the chart, with a line to the point
/// if a text is not beside it. Texts do not cover `marks`.
fn draw_notes<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    corners: Field,
    notes: &[(Point, &str)],
    marks: &[Point],
    color: RGBColor,
) -> Result<(), Failure<DB>> {
    let face = LABEL.sized(SMALL).colored(color);
    let sized = |(point, text): &(Point, &str)| (*point, (face.width(text) * SCALE, NOTE * SCALE));
    let sizes: Vec<_> = notes.iter().map(sized).collect();
    let places = places_of_notes(corners, &sizes, marks, SCALE);
    for (place, (_, text)) in places.into_iter().zip(notes) {
        let Some(PlacedNote { field: [from, _], line }) = place else { continue };
        if let Some(ends) = line {
            canvas.draw(&PathElement::new(ends.to_vec(), stroke(color, 0.7)))?;
        }
        let style = face.style(HPos::Left, VPos::Top);
        canvas.draw(&Text::new((*text).to_owned(), from, style))?;
    }
    Ok(())
}

/// Height of a text beside a point, in pixels of the figure.
const NOTE: i32 = 13;

/// Distance from a point up to which a text needs no line to it, in pixels of the figure.
const NEAR: i32 = 6;

/// Largest distance of a text from its point, in heights of the text.
const MOST_AWAY: i32 = 8;

/// A position, or a width and a height, in pixels of the backend.
type Point = (i32, i32);

/// A rectangle, given by its upper left and its lower right corner.
type Field = [Point; 2];

/// The rectangle of a text, and the line to its point if it is not beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PlacedNote {
    field: Field,
    line: Option<Field>,
}

/// Places texts, given their points and sizes, as near to their points as is possible without covering a mark, another
/// text or the line of one; `None` for a text without room. `unit` is the length of a pixel of the figure.
fn places_of_notes(
    corners: Field,
    notes: &[(Point, Point)],
    marks: &[Point],
    unit: i32,
) -> Vec<Option<PlacedNote>> {
    let around = |&(x, y): &Point| [(x - 3 * unit, y - 3 * unit), (x + 3 * unit, y + 3 * unit)];
    let marks: Vec<Field> = marks.iter().map(around).collect();
    let mut placed: Vec<PlacedNote> = Vec::new();
    let places = notes.iter().map(|&((x, y), (width, height))| {
        let beside = [x + 7 * unit, x - 7 * unit - width].map(|x| (x, y - height / 2));
        let away = (0..=MOST_AWAY).flat_map(|steps| {
            let distance = 4 * unit + steps * height;
            let middle = (x - width / 2).min(corners[1].0 - width).max(corners[0].0);
            [(middle, y - distance - height), (middle, y + distance)]
        });
        let found = beside.into_iter().chain(away).find_map(|from| {
            let field = [from, (from.0 + width, from.1 + height)];
            let note = PlacedNote { field, line: line((x, y), field, unit) };
            let is_clear = |other: &PlacedNote| {
                let covers = |one: &PlacedNote, other: &PlacedNote| {
                    one.line.is_some_and(|line| overlap(line, other.field))
                };
                !overlap(field, other.field) && !covers(&note, other) && !covers(other, &note)
            };
            let is_free = !marks.iter().any(|mark| overlap(field, *mark));
            let is_placed = is_within(field, corners) && is_free && placed.iter().all(is_clear);
            is_placed.then_some(note)
        });
        placed.extend(found);
        found
    });
    places.collect()
}

/// The upright line from a point to a text above or below it, as a rectangle without width; `None` if the text is
/// beside the point.
fn line((x, y): Point, [from, to]: Field, unit: i32) -> Option<Field> {
    if to.1 < y - NEAR * unit {
        Some([(x, to.1), (x, y)])
    } else if from.1 > y + NEAR * unit {
        Some([(x, y), (x, from.1)])
    } else {
        None
    }
}

fn is_within([from, to]: Field, [upper, lower]: Field) -> bool {
    from.0 >= upper.0 && from.1 >= upper.1 && to.0 <= lower.0 && to.1 <= lower.1
}

fn overlap([from, to]: Field, [start, end]: Field) -> bool {
    from.0 < end.0 && start.0 < to.0 && from.1 < end.1 && start.1 < to.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_cover_neither_marks_nor_each_other() {
        let points = [(20, 50), (22, 52), (195, 3), (24, 48)];
        let notes = points.map(|point| (point, (60, 13)));
        let marks = [&points[..], &[(40, 40), (60, 60)]].concat();
        let corners = [(0, 0), (200, 100)];
        let places = places_of_notes(corners, &notes, &marks, 1);
        let placed: Vec<PlacedNote> = places.into_iter().flatten().collect();
        let fields: Vec<Field> = placed.iter().map(|note| note.field).collect();
        assert!(fields.len() >= 3, "{fields:?}");
        for (at, field) in fields.iter().enumerate() {
            assert!(is_within(*field, corners), "{field:?}");
            assert!(fields[at + 1..].iter().all(|other| !overlap(*field, *other)), "{fields:?}");
            let covers = |(x, y): &Point| overlap(*field, [(*x, *y), (x + 1, y + 1)]);
            assert!(!marks.iter().any(covers), "{field:?}");
            let mut lines = placed.iter().filter_map(|note| note.line);
            assert!(!lines.any(|line| overlap(line, *field)), "{placed:?}");
        }
        let narrow = places_of_notes([(0, 0), (50, 100)], &notes, &marks, 1);
        assert_eq!(narrow, [None; 4], "a chart that is narrower than the texts has none");
    }
}
