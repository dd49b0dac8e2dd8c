//! Proves a verdict, and verifies the proof with code that is independent of the checker.

use std::error::Error;

use rubric::{FromReader, History, Model, check, verify};

/// Proves that store buffering violates SC, and shows that the proof says nothing about TSO.
pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // Store buffering, in axe text: TSO allows it, SC does not.
    let text = "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\ncheck\n";
    let history = History::from_reader(text.as_bytes())?;
    let certificate = check(&history, Model::SC)?.certificate().ok_or("there is no certificate")?;
    print!("{certificate}");
    println!("{:?}", verify(&history, &certificate)?);

    // A certificate proves its claim and no other.
    let of_tso = certificate.replace("model sc", "model tso");
    let refusal = verify(&history, &of_tso).expect_err("TSO allows this history");
    println!("as a claim about TSO: {refusal}");
    Ok(())
}
