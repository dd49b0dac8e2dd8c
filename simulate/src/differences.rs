//! Compares a mutant with its protocol as this runtime runs them: what it changes, and whether it
//! is equivalent.
//!
//! The comparison itself is in [`mutate::touched`] and [`mutate::equivalent`]. This module adds whether
//! gem5's scripts give both the same controllers and parameters, which `slicc` does not know.
//!
//! ```
//! use simulate::differences::{equivalent, touched};
//! use mutate::named;
//! use slicc::protocol::Protocol;
//!
//! let mutant = named::find("mi-l1-forward-blocks-queue").unwrap();
//! let original = Protocol::open(&mutant.protocol).unwrap();
//! let mutated = original.with(&mutant).unwrap();
//! assert!(!touched(&original, &mutated).entries.is_empty());
//! assert_eq!(equivalent(&original, &mutated, None), None);
//! ```

use mutate::equivalent::{self, Reached, Reason};
use mutate::touched::{self, Touched};
use slicc::protocol::Protocol;

use crate::config::{Options, Plan, has_dma};

/// Returns the differences between a protocol and a mutant of it.
pub fn touched(original: &Protocol, mutated: &Protocol) -> Touched {
    touched::touched(original, mutated, have_same_plans(original, mutated))
}

/// Returns the reason why a mutant is equivalent to its protocol, if one was found. `reached` has the entries that runs
/// of the protocol have reached, if these are known.
pub fn equivalent(
    original: &Protocol,
    mutated: &Protocol,
    reached: Option<&Reached>,
) -> Option<Reason> {
    let same_parameters = have_same_plans(original, mutated);
    equivalent::equivalent(original, mutated, same_parameters, reached)
}

/// Whether two protocols get the same controllers and parameters, in a system of the default size
/// and in a larger one.
fn have_same_plans(one: &Protocol, other: &Protocol) -> bool {
    let larger = Options {
        threads: 3,
        directories: 2,
        l2_banks: 2,
        devices: u32::from(has_dma(one) && has_dma(other)),
        send_evictions: true,
        ..Options::default()
    };
    [Options::default(), larger].iter().all(|options| {
        match (Plan::of(one, options), Plan::of(other, options)) {
            (Ok(one), Ok(other)) => one == other,
            _ => false,
        }
    })
}
