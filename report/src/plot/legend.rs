//! Draws the legend below the panels, where it covers nothing.

use plotters::element::{PathElement, Rectangle};
use plotters::style::Color;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::DrawingBackend;

use super::bars::on_bar;
use super::canvas::{Canvas, Failure, SCALE};
use super::chart::Symbol;
use super::draw::{draw_bar, draw_whisker, write};
use super::font::LABEL;
use super::layout::Layout;
use super::marks::{dashed, draw_mark, stroke};
use super::style::GREY;

/// Width of a symbol, in pixels of the figure.
const WIDTH: i32 = 24;

/// Draws all entries.
pub(super) fn draw_legend<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    layout: &Layout,
) -> Result<(), Failure<DB>> {
    for (entry, (x, y)) in &layout.legend {
        draw_symbol(canvas, entry.symbol, (*x * SCALE, *y * SCALE))?;
        let at = (x + WIDTH + 5, *y);
        write(canvas, &entry.meaning, LABEL, at, (HPos::Left, VPos::Center))?;
    }
    Ok(())
}

fn draw_symbol<DB: DrawingBackend>(
    canvas: &Canvas<DB>,
    symbol: Symbol,
    (x, y): (i32, i32),
) -> Result<(), Failure<DB>> {
    let (end, middle) = (x + WIDTH * SCALE, x + WIDTH * SCALE / 2);
    let field =
        |half: i32| [(x + 4 * SCALE, y - half * SCALE), (end - 4 * SCALE, y + half * SCALE)];
    match symbol {
        Symbol::Series(style) => {
            let line = vec![(x, y), (end, y)];
            canvas.draw(&PathElement::new(line, stroke(style.color, 1.8)))?;
            draw_mark(canvas, (middle, y), style, false)
        }
        Symbol::Mark(style, is_open) => draw_mark(canvas, (middle, y), style, is_open),
        Symbol::Box => canvas.draw(&Rectangle::new(field(5), GREY.mix(0.3).filled())),
        Symbol::Whisker => {
            draw_whisker(canvas, [(middle, y + 6 * SCALE), (middle, y - 6 * SCALE)], GREY)
        }
        Symbol::Bar(color) => draw_bar(canvas, field(5), color),
        Symbol::MarkedBar(style) => {
            draw_bar(canvas, field(6), Some(style.color))?;
            draw_mark(canvas, (middle, y), on_bar(style), false)
        }
        Symbol::Reference(kind) => dashed(canvas, (x, y), (end, y), kind),
    }
}
