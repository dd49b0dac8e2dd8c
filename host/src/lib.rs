//! What the program takes from the system that it runs on: the files that it reads and writes, and its time and memory.
//!
//! - [`inputs`] opens what the user names as input, within limits of size, and remembers which files these are;
//! - [`files`] writes output files whole or not at all, and never over an input;
//! - [`Bounds`] is the time and memory that an answer may take, and [`processor`] the time that the processor spent on it;
//! - [`Paint`] colours words for a terminal.
//!
//! Every crate that opens a file of the user goes through [`inputs`], and every crate that writes one through [`files`], so
//! that no command can replace what it was asked about.
//!
//! ```
//! use std::path::Path;
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("test.litmus");
//! let write = |file: &mut std::fs::File| std::io::Write::write_all(file, b"X86 SB");
//! host::files::create(&path, |error| error, write)?;
//! assert_eq!(host::inputs::read_text(&path, 1 << 20)?, "X86 SB");
//! assert!(host::inputs::read_text(&path, 3).is_err());
//!
//! host::inputs::protect();
//! host::inputs::declare(&path);
//! assert!(host::files::create(&path, |error| error, write).is_err());
//! # Ok::<(), std::io::Error>(())
//! ```

mod bounds;
pub mod files;
pub mod inputs;
mod paint;
pub mod processor;

pub use bounds::{Bounds, Exceeded};
pub use paint::Paint;
