//! SLICC, the language of gem5's protocols: from files to a syntax tree and its tables.

pub mod ast;
pub mod builtin;
pub mod cplusplus;
pub mod lexer;
pub mod lint;
pub mod load;
mod meant;
pub mod outline;
pub mod parser;
pub mod token;
pub mod visit;
