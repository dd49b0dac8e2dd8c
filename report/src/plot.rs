//! Draws a [`chart::Plot`] of panels and layers as SVG and as PNG.
//!
//! [`lines`] makes panels of curves, [`spread`] of distributions, [`bars`] of bars, each with its legend and its table
//! of numbers. [`layout`] computes positions and sizes, [`draw`] draws on any backend of plotters, and [`render`] on
//! the two that are used. [`style`] gives every series its colour and marker.

mod apart;
pub(crate) mod axis;
pub(crate) mod bars;
mod canvas;
pub(crate) mod chart;
mod draw;
pub(crate) mod font;
mod layout;
mod legend;
pub(crate) mod lines;
mod marks;
pub(crate) mod render;
pub(crate) mod spread;
pub(crate) mod style;
