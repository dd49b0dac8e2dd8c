//! The language of `docs/slicc.md`, exercised by small protocols that check themselves: a test
//! succeeds when the protocol calls `error("done")`, and any other fault is a failure.

mod declarations;
mod ports;
mod released;
mod values;
