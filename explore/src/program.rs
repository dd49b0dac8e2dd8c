//! Concurrent programs in a small language. They are explored over sequentially consistent runs
//! with [`monitor`](crate::monitor)s, and exhaustively under SC, TSO and PSO.
//!
//! ```text
//! shared data, flag = 0, slot[4];         // locations, initially 0 unless stated otherwise
//! const MOST = 3;
//! fn wait_for(value) {                    // inlined where it is called; no recursion
//!     loop MOST {                         // every loop has a bound; a run that reaches it ends
//!         let f = load flag;              // at most one shared access in a statement
//!         if f == value { return 1; }
//!         yield;                          // lets other threads run; no preemption
//!     }
//!     return 0;
//! }
//! init { store data = 7; }                // before the threads
//! thread P0 { store data = 1; store flag = 1; }
//! thread P1 { let ok = wait_for(1); let d = load data; assert d == 1; }
//! finally { let d = load data; assert d == 1; }
//! ```
//!
//! Accesses: `load x`, `store x = e`, `cas x, old, new` (1 if `x` held `old`, else 0), `swap x, e`
//! and `add x, e` (the old value of `x`), and `fence`. Further statements: `while e limit 3 { }`,
//! `break`, `continue`, `if`/`else`, `assert`. Numbers have 64 bits; 0 is false. A failed CAS
//! reads, and orders like a successful one.
//!
//! ```
//! use check::Model;
//! use explore::program::bounded::{Options, search};
//! use explore::program::compile::Program;
//!
//! let text = "shared x, y;
//!     thread P0 { store x = 1; let r = load y; }
//!     thread P1 { store y = 1; let r = load x; }";
//! let program = Program::read(text).unwrap();
//! let report = search(&program, &Options::new(1, &[Model::TSO]));
//! assert_eq!(report.runs, 4);
//! // The store of each thread may be delayed past its load.
//! assert_eq!(report.violations.len(), 2);
//! ```

pub mod benchmarks;
pub mod bounded;
pub mod code;
pub mod compile;
pub mod exhaustive;
pub mod fences;
mod language;
pub mod machine;
mod monitors;
mod parse;
