//! [`Protocol`]: a protocol that is read, resolved and compiled, ready to run.

use std::sync::Arc;

use crate::ast::{Declaration, Machine};
use crate::builtin;
use crate::compile::code::Program;
use crate::compile::compile;
use crate::dialect::explain;
use crate::load::{Failure, Loaded, Modification};
use crate::outline::Outline;
use crate::scripts::{Declared, notice};
use crate::setting::Setting;
use crate::source::{Diagnostic, Sources};

/// A protocol that was read and compiled without errors.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// The source files and the syntax tree.
    pub loaded: Loaded,
    /// The tables of the protocol.
    pub outline: Outline,
    /// The code of the protocol.
    pub program: Arc<Program>,
    /// Warnings about what is allowed but odd.
    pub warnings: Vec<Diagnostic>,
}

impl Protocol {
    /// Reads a protocol: a built-in one by its name, or a `.slicc` file.
    ///
    /// # Errors
    /// Fails with all diagnostics of the protocol, or if there is no such file.
    pub fn open(name_or_path: &str) -> Result<Protocol, Failure> {
        Protocol::new(builtin::open(name_or_path)?, BLOCK_BYTES)
    }

    /// Returns the same protocol with a change, such as a mutant.
    ///
    /// # Errors
    /// Fails if the change does not fit the protocol, and with all diagnostics of the changed protocol.
    pub fn with(&self, change: &impl Modification) -> Result<Protocol, Failure> {
        Protocol::new(change.load(&self.loaded)?, BLOCK_BYTES)
    }

    /// Resolves and compiles a loaded protocol, for blocks of `block_bytes` bytes.
    ///
    /// # Errors
    /// Fails with all diagnostics of the protocol.
    pub fn new(loaded: Loaded, block_bytes: usize) -> Result<Protocol, Failure> {
        match Protocol::parts(&loaded, block_bytes) {
            Ok((outline, program, mut warnings)) => {
                warnings.splice(0..0, loaded.warnings.iter().cloned());
                Ok(Protocol { outline, program: Arc::new(program), warnings, loaded })
            }
            Err(diagnostics) => {
                let mut diagnostics = explain(&loaded.sources, diagnostics);
                diagnostics.splice(0..0, loaded.warnings);
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

    /// The name for messages: that of the protocol and, if it is a mutant, that of its fault.
    pub fn title(&self) -> String {
        self.loaded.title()
    }

    /// The files of the protocol.
    pub fn sources(&self) -> &Sources {
        &self.loaded.sources
    }

    /// The machines, as declared.
    pub fn machines(&self) -> impl Iterator<Item = &Machine> {
        self.loaded.declarations.iter().filter_map(|declaration| match declaration {
            Declaration::Machine(machine) => Some(machine),
            _ => None,
        })
    }

    /// The machines with their parameters, as [`crate::scripts`] needs them.
    pub fn declared(&self) -> Vec<Declared<'_>> {
        let declared = self
            .machines()
            .map(|machine| Declared { name: &machine.name.text, parameters: &machine.parameters });
        declared.collect()
    }

    /// A sentence for the user about which buffers are ordered under these settings. `None` if gem5
    /// has a script for a protocol of this name.
    pub fn order_notice(&self, settings: &[Setting]) -> Option<String> {
        notice(self.name(), &self.declared(), settings)
    }
}

/// Size of a cache block in bytes, the default of all of gem5's configurations.
pub const BLOCK_BYTES: usize = 64;
