//! Checks a trace while another thread writes it, and stops at the first operation after which it cannot be consistent any more.

use std::error::Error;
use std::fs::File;
use std::io::{Read, Write};
use std::thread;

use rubric::watch::{End, Watch};
use rubric::{Bounds, Model, ingest};

/// Follows a recorded trace through a pipe.
pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let (reader, mut writer) = std::io::pipe()?;
    let simulator = thread::spawn(move || {
        // The simulator: it prints a recorded trace. Its output has no reader any more once the violation is found.
        let recorded = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../fixtures/traces/mi-fwdgetx-keeps-m-3x60-41.trace.gz"
        );
        let mut packed = Vec::new();
        let read = File::open(recorded).and_then(|mut file| file.read_to_end(&mut packed));
        read.and_then(|_| writer.write_all(&packed))
    });
    let options = ingest::Options::default();
    let mut watch = Watch::new(reader, "simulator", Model::SC, options, None, Bounds::none());
    let end = watch.follow(&mut |_| {})?;
    match &end {
        End::Violation { why, line, .. } => {
            println!("line {}: {why}", line.map_or("?".to_owned(), |line| line.to_string()));
        }
        End::Consistent(why) | End::Undecided(why) => println!("{why}"),
    }
    assert!(matches!(end, End::Violation { .. }));
    drop(watch);
    // It is no error that the simulator was ended.
    let _ = simulator.join();
    Ok(())
}
