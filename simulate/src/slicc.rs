//! SLICC, the language of gem5's protocols: from files to a syntax tree.

pub mod ast;
