//! The area on which a plot is drawn, on any backend of plotters.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters_backend::DrawingBackend;

/// Pixels drawn for one pixel of the figure.
pub(super) const SCALE: i32 = 6;

/// An error of the backend.
pub(super) type Failure<DB> = DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>;

/// The area to draw on.
pub(super) type Canvas<DB> = DrawingArea<DB, Shift>;
