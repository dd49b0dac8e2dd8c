//! Draws the figures of all experiments in a folder of tables into another folder:
//! `cargo run -p report --example figures -- RESULTS FIGURES`.

use std::error::Error;
use std::path::PathBuf;

use report::figures;
use tables::results::Results;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("two folders are needed: one with tables, and one for figures".into());
    };
    std::fs::create_dir_all(&to)?;
    for figure in figures::all(&Results::read(&from)?) {
        std::fs::write(to.join(format!("{}.svg", figure.name)), figure.svg)?;
        std::fs::write(to.join(format!("{}.png", figure.name)), figure.png)?;
        println!("{}: {}", figure.name, figure.title);
    }
    Ok(())
}
