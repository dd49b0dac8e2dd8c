//! Litmus tests against what herd says of them.

mod behaviour;
mod results;
