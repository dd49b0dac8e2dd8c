//! Text to [`history::History`].

pub mod axe;
mod error;
mod format;
pub mod input;
pub mod json;
mod options;

pub use error::Error;
pub use format::Format;
pub use options::Options;
