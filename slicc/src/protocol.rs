//! A protocol, from its name or file to something that can run.

use std::sync::Arc;

use crate::ast::{Declaration, Machine};
use crate::builtin;
use crate::compile::code::Program;
use crate::compile::compile;
use crate::load::{Failure, Loaded};
use crate::mutant::Mutant;
use crate::outline::Outline;
use crate::scripts::{Declared, notice};
use crate::setting::Setting;
use crate::source::{Diagnostic, Sources};

/// A protocol that has been read and found right.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// Its files and its syntax tree.
    pub loaded: Loaded,
    /// The tables of the protocol.
    pub outline: Outline,
    /// The code of the protocol.
    pub program: Arc<Program>,
    /// What is odd about it.
    pub warnings: Vec<Diagnostic>,
}

impl Protocol {
    /// Reads a protocol: a built-in one by its name, or a `.slicc` file.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn open(name_or_path: &str) -> Result<Protocol, Failure> {
        Protocol::new(builtin::open(name_or_path)?, BLOCK_BYTES)
    }

    /// The same protocol with a fault put in.
    ///
    /// # Errors
    /// The mutant does not fit the protocol, or all that is wrong with it then.
    pub fn with(&self, mutant: &Mutant) -> Result<Protocol, Failure> {
        Protocol::new(mutant.load(&self.loaded)?, BLOCK_BYTES)
    }

    /// Compiles what has been read, for blocks of so many bytes.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn new(loaded: Loaded, block_bytes: usize) -> Result<Protocol, Failure> {
        match Protocol::parts(&loaded, block_bytes) {
            Ok((outline, program, mut warnings)) => {
                warnings.splice(0..0, loaded.warnings.iter().cloned());
                Ok(Protocol { outline, program: Arc::new(program), warnings, loaded })
            }
            Err(diagnostics) => {
                Err(Failure { sources: loaded.sources, diagnostics, is_missing: false })
            }
        }
    }

    fn parts(
        loaded: &Loaded,
        block_bytes: usize,
    ) -> Result<(Outline, Program, Vec<Diagnostic>), Vec<Diagnostic>> {
        let outline = Outline::of(loaded)?;
        let (program, warnings) =
            compile(&loaded.protocol, &loaded.declarations, &outline, block_bytes)?;
        Ok((outline, program, warnings))
    }

    /// The name of the protocol.
    pub fn name(&self) -> &str {
        &self.loaded.protocol
    }

    /// What to call it: its name, and the mutant that it is.
    pub fn title(&self) -> String {
        self.loaded.title()
    }

    /// The files of the protocol.
    pub fn sources(&self) -> &Sources {
        &self.loaded.sources
    }

    /// Its machines, as they are declared.
    pub fn machines(&self) -> impl Iterator<Item = &Machine> {
        self.loaded.declarations.iter().filter_map(|declaration| match declaration {
            Declaration::Machine(machine) => Some(machine),
            _ => None,
        })
    }

    /// What its machines declare.
    pub fn declared(&self) -> Vec<Declared<'_>> {
        let declared = self
            .machines()
            .map(|machine| Declared { name: &machine.name.text, parameters: &machine.parameters });
        declared.collect()
    }

    /// What to tell the user about the order of its buffers, with these settings: a sentence, if no script of gem5 says it
    /// for a protocol of this name.
    pub fn order_notice(&self, settings: &[Setting]) -> Option<String> {
        notice(self.name(), &self.declared(), settings)
    }
}

/// Bytes of a block, as in all of gem5's configurations.
pub const BLOCK_BYTES: usize = 64;
