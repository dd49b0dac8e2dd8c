//! [`Compiler`]: makes executables of programs in C.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use history::Isa;
use tempfile::TempDir;

use crate::error::Error;
use crate::instructions;

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

    /// Compiles a program. `is_static` makes an executable that runs on machines with other libraries.
    ///
    /// # Errors
    /// Fails if there is no room for the program, if the compiler cannot be started, or if it fails.
    pub fn compile(&self, source: &str, is_static: bool) -> Result<Executable, Error> {
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
        command.arg("program.c").arg("-o").arg("program").current_dir(executable.folder.path());
        let output = command.stdin(Stdio::null()).output();
        let name = self.name().to_owned();
        let output = output.map_err(|error| Error::NoCompiler { name: name.clone(), error })?;
        if output.status.success() {
            return Ok(executable);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim().chars().take(EXCERPT).collect();
        Err(Error::Compiler { name, status: output.status.to_string(), said })
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
