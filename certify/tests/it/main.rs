//! Tests of certificates and their verifier without any engine: the proofs are written by hand.

mod bytes;
mod cases;
mod proofs;
mod rules;
