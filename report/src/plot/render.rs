//! Renders a plot as SVG and as PNG, both by the same drawing code.

use plotters::backend::{BitMapBackend, SVGBackend};
use plotters::drawing::IntoDrawingArea;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use super::canvas::SCALE;
use super::chart::Plot;
use super::draw::draw;
use super::layout::Layout;

/// Pixels of a PNG for one pixel of the figure.
const RESOLUTION: i32 = 3;

/// Width of every figure in print, in millimetres: that of a column of a paper.
const WIDTH: f64 = 84.0;

/// Pixels drawn for one pixel of the PNG, in each direction.
const SAMPLES: usize = (SCALE / RESOLUTION) as usize;

/// Draws a plot as SVG. It says its size in millimetres, so that it is a column wide where it is printed or included.
pub(crate) fn svg(title: &str, plot: &Plot) -> String {
    let layout = Layout::of(title, plot);
    let (width, height) = pixels(&layout);
    let mut text = String::new();
    {
        let canvas = SVGBackend::with_string(&mut text, (width, height)).into_drawing_area();
        draw(&canvas, plot, &layout).expect("drawing in memory does not fail");
        canvas.present().expect("writing in memory does not fail");
    }
    let drawn = format!("width=\"{width}\" height=\"{height}\"");
    let (width, height) = layout.size;
    let height = WIDTH * f64::from(height) / f64::from(width);
    let meant = format!("width=\"{WIDTH}mm\" height=\"{height:.2}mm\"");
    text.replacen(&drawn, &meant, 1)
}

/// Draws a plot as PNG, which says how many pixels there are per metre of a figure of this [`WIDTH`], with [`RESOLUTION`] pixels for one pixel of the figure.
pub(crate) fn png(title: &str, plot: &Plot) -> Vec<u8> {
    let layout = Layout::of(title, plot);
    let (width, height) = pixels(&layout);
    let mut pixels = vec![255; width as usize * height as usize * 3];
    {
        let bitmap = BitMapBackend::with_buffer(&mut pixels, (width, height));
        let canvas = Bitmap(bitmap).into_drawing_area();
        draw(&canvas, plot, &layout).expect("drawing in memory does not fail");
        canvas.present().expect("nothing is left to do");
    }
    encode(&reduced(&pixels, width as usize), width, height)
}

/// Width and height of the drawing before it is scaled down, in pixels.
fn pixels(layout: &Layout) -> (u32, u32) {
    let (width, height) = layout.size;
    ((width * SCALE) as u32, (height * SCALE) as u32)
}

/// Averages each square of pixels to one pixel.
fn reduced(pixels: &[u8], width: usize) -> Vec<u8> {
    let mut reduced = Vec::with_capacity(pixels.len() / SAMPLES / SAMPLES);
    // Most squares are white, and to compare slices takes less time than to add their numbers.
    let white = vec![255; width * 3];
    for rows in pixels.chunks_exact(width * 3 * SAMPLES) {
        let rows: Vec<&[u8]> = rows.chunks_exact(width * 3).collect();
        if rows.iter().all(|row| *row == white) {
            reduced.resize(reduced.len() + width / SAMPLES * 3, 255);
            continue;
        }
        for left in (0..width * 3).step_by(SAMPLES * 3) {
            let right = left + SAMPLES * 3;
            if rows.iter().all(|row| row[left..right] == white[left..right]) {
                reduced.extend_from_slice(&[255; 3]);
            } else {
                reduced.extend((0..3).map(|part| average(&rows, left + part)));
            }
        }
    }
    reduced
}

/// The average of a square of pixels in one of their parts: red, green or blue. The number `at` is the first of the square in
/// each of its rows.
fn average(rows: &[&[u8]], at: usize) -> u8 {
    let mut sum = 0;
    for row in rows {
        for column in 0..SAMPLES {
            sum += usize::from(row[at + column * 3]);
        }
    }
    (sum / (SAMPLES * SAMPLES)) as u8
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let samples = SAMPLES as u32;
    let mut encoder = png::Encoder::new(&mut bytes, width / samples, height / samples);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Most pixels equal the one to the left or above, so a prediction filter would gain nothing.
    encoder.set_filter(png::FilterType::NoFilter);
    encoder.set_compression(png::Compression::Default);
    let per_metre = (f64::from(width / samples) * 1000.0 / WIDTH).round() as u32;
    let unit = png::Unit::Meter;
    encoder.set_pixel_dims(Some(png::PixelDimensions { xppu: per_metre, yppu: per_metre, unit }));
    let mut writer = encoder.write_header().expect("a figure has a size");
    let written = writer.write_image_data(pixels);
    written.expect("there are as many pixels as the size says");
    drop(writer);
    bytes
}

/// A bitmap backend that moves text down to where the SVG has it: plotters draws glyphs of ab_glyph a little too high.
struct Bitmap<'a>(BitMapBackend<'a>);

/// Distance by which text is moved down, as a part of its size.
const DOWN: f64 = 0.11;

impl DrawingBackend for Bitmap<'_> {
    type ErrorType = <BitMapBackend<'static> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.present()
    }

    fn draw_pixel(
        &mut self,
        at: BackendCoord,
        color: BackendColor,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.draw_pixel(at, color)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        lower_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.draw_rect(upper_left, lower_right, style, fill)
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        let down = (style.size() * DOWN).round() as i32;
        let (dx, dy) = style.transform().transform(0, down);
        self.0.draw_text(text, style, (x + dx, y + dy))
    }
}
