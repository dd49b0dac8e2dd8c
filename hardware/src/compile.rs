//! [`Compiler`]: makes executables of programs in C.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use history::Isa;
use tempfile::TempDir;

use crate::error::Error;
use crate::instructions;
use crate::process;

/// The most characters of a compiler's message that are shown.
const EXCERPT: usize = 1000;

/// A compiler, and its options.
#[derive(Clone, Debug)]
pub struct Compiler {
    words: Vec<String>,
}

/// An executable in a temporary folder, which is removed with it.
#[derive(Debug)]
pub struct Executable {
    folder: TempDir,
}

impl Compiler {
    /// The usual compiler of an instruction set, with the options that programs need: `cc` if it is that of this machine.
    pub fn usual(isa: Isa) -> Compiler {
        let name = if native() == Some(isa) { "cc" } else { instructions::compiler(isa) };
        Compiler { words: vec![name.to_owned()] }
    }

    /// A compiler that the user names, perhaps with options, such as `clang -march=armv8.1-a`.
    ///
    /// # Errors
    /// Fails if a quote is open.
    pub fn of(command: &str) -> Result<Compiler, Error> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        Ok(Compiler { words: words.ok_or_else(|| Error::Quote(command.to_owned()))? })
    }

    /// The command, as the user would type it.
    pub fn name(&self) -> &str {
        &self.words[0]
    }

    /// Compiles a program. `is_static` makes an executable that runs on machines with other libraries. `stop` ends the compiler early.
    ///
    /// # Errors
    /// Fails if there is no room for the program, if the compiler cannot be started, if it fails or makes no executable, and if it is
    /// interrupted.
    pub fn compile(
        &self,
        source: &str,
        is_static: bool,
        stop: &AtomicBool,
    ) -> Result<Executable, Error> {
        let folder =
            tempfile::Builder::new().prefix("rubric-run-").tempdir().map_err(Error::Folder)?;
        let path = folder.path().join("program.c");
        std::fs::write(&path, source)
            .map_err(|error| Error::Source { path: path.clone(), error })?;
        let executable = Executable { folder };
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).args(["-O2", "-pthread"]);
        if is_static {
            command.arg("-static");
        }
        // The compiler runs where the user is, since its name and its options may have relative paths.
        command.arg(&path).arg("-o").arg(executable.path());
        let name = || self.name().to_owned();
        let started = |error| Error::NoCompiler { name: name(), error };
        let ended = process::run(command.stdin(Stdio::null()), None, stop, started)?;
        if !ended.status.success() {
            let said = ended.said(EXCERPT);
            return Err(Error::Compiler { name: name(), status: ended.status.to_string(), said });
        }
        if !executable.path().is_file() {
            return Err(Error::NoExecutable { name: name() });
        }
        Ok(executable)
    }
}

impl Executable {
    /// The file.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    /// The folder, in which the program's source is `program.c`.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// The instruction set of this machine, if programs can be written for it.
pub fn native() -> Option<Isa> {
    match std::env::consts::ARCH {
        "x86_64" => Some(Isa::X86),
        "riscv64" => Some(Isa::Riscv),
        "aarch64" => Some(Isa::Arm),
        _ => None,
    }
}
