//! The folder of a run that is kept: its program, its log, what gem5 printed, and the command line that repeats it.

use std::path::{Path, PathBuf};

use simulate::client::Client;

use super::{Binary, Played, SCRIPT, SCRIPT_NAME, System};
use crate::error::Error;
use crate::text::quoted;

/// The variable that names gem5's source tree.
const SOURCES: &str = "RUBRIC_GEM5";

/// The name of the file with the command line.
const COMMAND: &str = "command.txt";
/// The name of the file with the program.
const PROGRAM: &str = "program.txt";
/// The name of the log of operations.
const LOG: &str = "run.log";
/// The name of the file with gem5's output, which is the name that gem5 itself gives to its standard output: so `rubric check` reads the
/// folder as an output folder of gem5, with the log and gem5's message.
const OUTPUT: &str = "simout.txt";

/// The folder of a run that is kept.
pub struct Kept {
    /// Path of the folder.
    pub folder: PathBuf,
    /// The folder above it with the script, which the runs of a campaign share.
    pub shared: PathBuf,
}

impl Kept {
    /// Whether the folder holds a run completely.
    pub fn exists(&self) -> bool {
        self.folder.join(COMMAND).exists()
    }

    /// Writes the files. `program` is the text of the program, and `command` returns the command line, given the path of the script from
    /// the folder.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn write(
        &self,
        played: &Played,
        program: &str,
        command: impl FnOnce(&Path) -> String,
    ) -> Result<(), Error> {
        let file = |name: &str| self.folder.join(name);
        std::fs::create_dir_all(&self.folder).map_err(Error::file(&self.folder))?;
        for (from, to) in [(&played.output, file(OUTPUT)), (&played.log, file(LOG))] {
            // A run that failed early has no log.
            if from.exists() {
                std::fs::copy(from, &to).map_err(Error::file(&to))?;
            }
        }
        let script = self.shared.join(SCRIPT_NAME);
        if !std::fs::read(&script).is_ok_and(|text| text == SCRIPT.as_bytes()) {
            std::fs::write(&script, SCRIPT).map_err(Error::file(&script))?;
        }
        let above = self.folder.strip_prefix(&self.shared).unwrap_or(Path::new(""));
        let above: PathBuf = above.components().map(|_| "..").collect();
        let command = command(&above.join(SCRIPT_NAME));
        // The command comes last: a folder that has one is whole.
        for (path, text) in [(file(PROGRAM), program), (file(COMMAND), &format!("{command}\n"))] {
            std::fs::write(&path, text).map_err(Error::file(&path))?;
        }
        Ok(())
    }
}

/// The command line that repeats a run on a system in its folder: `script` is the path of the script from there. Debug flags may be
/// added in front of the script.
pub fn command(binary: &Binary, system: &System, client: Client, script: &Path) -> String {
    let sources = std::env::var(SOURCES).ok().map(|path| format!("{SOURCES}={}", quoted(&path)));
    let path = |path: &Path| quoted(&path.display().to_string());
    let fixed = [path(&binary.path), path(script)];
    let options = ["--program", PROGRAM, "--client"].map(str::to_owned);
    let log = ["--log", LOG].map(str::to_owned);
    let words = sources.into_iter().chain(fixed).chain(options).chain([client.to_string()]);
    let words = words.chain(log).chain(binary.arguments()).chain(system.arguments());
    words.collect::<Vec<_>>().join(" ")
}
