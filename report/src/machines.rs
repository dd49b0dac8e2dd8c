//! The transition tables of a protocol's machines, as [`text`], as graphs in the language of Graphviz ([`dot`]) or drawn
//! ([`drawing`](drawing())), and as [`json`]. [`crate::page::machines_page`] shows them as a page.

mod dot;
mod drawing;
mod graph;
pub mod json;
mod layout;
mod text;

pub use dot::dot;
pub use drawing::{drawing, is_too_large};
pub use text::text;
