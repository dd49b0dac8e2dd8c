//! Draws a plot, on whatever plotters can draw on.
//!
//! Everything is drawn at a multiple of its size: plotters rounds to whole pixels. An SVG says the size that is meant, and a
//! PNG is made from more pixels than it has, which makes its lines smooth.

use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor, ShapeStyle, WHITE};
use plotters_backend::DrawingBackend;

use super::axis::Axis;
use super::chart::{Layer, Panel, Plot, Side};
use super::font::{Face, LABEL};
use super::layout::{COUNT_HEIGHT, Layout, MARGIN};
use super::legend::draw_legend;
use super::marks::{dashed, draw_mark, filled, stroke};
use super::style::GREY;

/// How many pixels are drawn for one of the figure.
pub const SCALE: i32 = 4;

/// What can go wrong.
pub type Failure<DB> = DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>;

/// Where to draw.
pub type Canvas<DB> = DrawingArea<DB, Shift>;

/// A chart whose axes are drawn.
type Chart<'a, DB> = ChartContext<'a, DB, Cartesian2d<Axis, Axis>>;

/// How much of a band one sees through it.
const BAND: f64 = 0.16;

/// Lines of the grid.
const GRID: RGBColor = RGBColor(222, 222, 222);
/// Those without label.
const FAINT: RGBColor = RGBColor(242, 242, 242);

/// Draws all of it.
pub fn draw<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    plot: &Plot,
    layout: &Layout,
) -> Result<(), Failure<DB>> {
    canvas.fill(&WHITE)?;
    for line in &layout.lines {
        write(
            canvas,
            &line.text,
            line.face,
            line.at,
            (HPos::Left, VPos::Top),
        )?;
    }
    for (panel, place) in plot.panels.iter().zip(&layout.panels) {
        draw_panel(canvas, panel, *place, layout)?;
    }
    draw_legend(canvas, layout)
}

/// Words; the place is in pixels of the figure.
pub fn write<DB: DrawingBackend>(
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
    (left, top): (i32, i32),
    layout: &Layout,
) -> Result<(), Failure<DB>> {
    let heading = (left + layout.label_width, top);
    let bold = LABEL.bold();
    write(
        canvas,
        &panel.heading,
        bold,
        heading,
        (HPos::Left, VPos::Top),
    )?;
    let above = top + layout.above_panel;
    let area = canvas.clone().shrink(
        (left * SCALE, above * SCALE),
        (layout.panel_width * SCALE, layout.chart_height * SCALE),
    );
    let chart = draw_axes(&area, panel, layout)?;
    draw_counts(canvas, &chart, panel, (left + layout.label_width, above))?;
    panel
        .layers
        .iter()
        .try_for_each(|layer| draw_layer(canvas, &chart, panel, layer))
}

fn draw_axes<'a, DB: DrawingBackend>(
    area: &Canvas<DB>,
    panel: &Panel,
    layout: &Layout,
) -> Result<Chart<'a, DB>, Failure<DB>> {
    let mut builder = ChartBuilder::on(area);
    let width = layout.panel_width - layout.label_width - MARGIN;
    let x = panel.x.thinned(width);
    let mut chart = builder
        .margin_right(MARGIN * SCALE)
        .margin_top(4 * SCALE)
        .set_label_area_size(LabelAreaPosition::Left, layout.label_width * SCALE)
        .set_label_area_size(LabelAreaPosition::Bottom, layout.axis_height * SCALE)
        .build_cartesian_2d(x, panel.y.clone())?;
    let mut mesh = chart.configure_mesh();
    if !panel.has_columns {
        mesh.disable_x_mesh();
    }
    if !panel.has_rows {
        mesh.disable_y_mesh();
    }
    mesh.x_desc(&panel.x.name)
        .y_desc(&panel.y.name)
        .label_style(LABEL.style(HPos::Left, VPos::Top))
        .axis_desc_style(LABEL.style(HPos::Left, VPos::Top))
        .bold_line_style(stroke(GRID, 1.0))
        .light_line_style(stroke(FAINT, 1.0))
        .axis_style(stroke(GREY, 1.0))
        .set_all_tick_mark_size(4 * SCALE)
        .draw()?;
    Ok(chart)
}

/// How many runs were cut off, above the chart, beside the marker of their series.
fn draw_counts<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    chart: &Chart<'_, DB>,
    panel: &Panel,
    (left, bottom): (i32, i32),
) -> Result<(), Failure<DB>> {
    for (row, counts) in panel.counts.iter().rev().enumerate() {
        let y = bottom - row as i32 * COUNT_HEIGHT - COUNT_HEIGHT / 2;
        let face = LABEL.sized(10.0);
        let end = (HPos::Right, VPos::Center);
        write(canvas, "cut off", face, (left - 16, y), end)?;
        draw_mark(canvas, ((left - 8) * SCALE, y * SCALE), counts.look, true)?;
        for (x, number) in &counts.at {
            let (x, _) = chart.backend_coord(&(*x, panel.y.low()));
            let style = face.colored(counts.look.color);
            let style = style.bold().style(HPos::Center, VPos::Center);
            canvas.draw(&Text::new(number.to_string(), (x, y * SCALE), style))?;
        }
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
        Layer::Band { color, points } => {
            let there = points.iter().map(|(x, _, upper)| pixel(&(*x, *upper)));
            let back = points
                .iter()
                .rev()
                .map(|(x, lower, _)| pixel(&(*x, *lower)));
            let outline: Vec<(i32, i32)> = there.chain(back).collect();
            canvas.draw(&Polygon::new(outline, color.mix(BAND).filled()))
        }
        Layer::Line { color, points } => {
            let points: Vec<(i32, i32)> = points.iter().map(pixel).collect();
            canvas.draw(&PathElement::new(points, stroke(*color, 1.8)))
        }
        Layer::Marks {
            look,
            is_open,
            points,
        } => points
            .iter()
            .try_for_each(|point| draw_mark(canvas, pixel(point), *look, *is_open)),
        Layer::Bar { color, across, up } => {
            let corners = [pixel(&(across.0, up.0)), pixel(&(across.1, up.1))];
            draw_bar(canvas, corners, *color)
        }
        Layer::Words {
            at,
            side,
            text,
            color,
        } => draw_words(canvas, pixel(at), *side, text, *color),
        Layer::Rule { at, stands_for } => {
            let [from, to] = [panel.x.low(), panel.x.high()].map(|x| pixel(&(x, *at)));
            dashed(canvas, from, to, *stands_for)
        }
    }
}

/// A bar between two corners.
pub fn draw_bar<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    [one, other]: [(i32, i32); 2],
    color: Option<RGBColor>,
) -> Result<(), Failure<DB>> {
    let corners = [
        (one.0.min(other.0), one.1.min(other.1)),
        (one.0.max(other.0), one.1.max(other.1)),
    ];
    let fill = filled(color.unwrap_or(WHITE));
    canvas.draw(&Rectangle::new(corners, fill))?;
    if color.is_some() {
        return Ok(());
    }
    let [(left, top), (right, bottom)] = corners;
    let outline = vec![
        (left, bottom),
        (left, top),
        (right, top),
        (right, bottom),
        (left, bottom),
    ];
    let edge: ShapeStyle = stroke(super::style::BLACK, 1.2);
    canvas.draw(&PathElement::new(outline, edge))
}

fn draw_words<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    (x, y): (i32, i32),
    side: Side,
    text: &str,
    color: RGBColor,
) -> Result<(), Failure<DB>> {
    let (at, across, down) = match side {
        Side::Above => ((x, y - 3 * SCALE), HPos::Center, VPos::Bottom),
        Side::Right => ((x + 7 * SCALE, y), HPos::Left, VPos::Center),
        Side::Middle => ((x, y), HPos::Center, VPos::Center),
    };
    let style = LABEL.sized(10.0).colored(color).style(across, down);
    canvas.draw(&Text::new(text.to_owned(), at, style))
}
