//! The compiler: resolves names and types, and generates code for the register machine.
//!
//! It makes three passes over the declarations: first types, variables, ports and signatures, in
//! the order of the text, since later ones may use earlier ones; then the bodies of functions,
//! ports and actions; then the transitions.

pub mod code;
pub mod op;
pub mod trackers;
pub mod types;

mod body;
mod calls;
mod described;
mod expressions;
mod fractions;
mod functional;
mod fuse;
mod inline;
mod lacking;
mod looks;
mod machine;
mod methods;
mod operators;
mod snippet;
mod statements;
mod transitions;
mod triggers;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{self, Declaration, Name};
use crate::options::{Options, ProtocolOption};
use crate::outline::Outline;
use crate::source::{Diagnostic, Severity, Span};
use body::{Body, Outcome, Symbol};
use calls::Signature;
use code::{Function, Ordered, Program};
use lacking::{Lacking, Repeated};
use op::Op;
use types::{NOWHERE, Sizes, TypeId, TypeKind, Types};

/// The state of the compiler for one protocol.
pub(crate) struct Compiler<'a> {
    outline: &'a Outline,
    diagnostics: Vec<Diagnostic>,
    /// The errors of which one place stands for all.
    repeated: Repeated,
    /// The functions that the protocol calls and the runtime lacks.
    lacking: Lacking,
    types: Types,
    code: Vec<Op>,
    spans: Vec<Span>,
    functions: Vec<Function>,
    /// The largest number of registers of the code so far.
    largest_frame: u32,
    /// The declarations of functions, by index of the function; `None` for code without a
    /// declaration.
    bodies: Vec<Option<&'a ast::Function>>,
    /// Indices of the functions that are being inlined, the outermost first.
    inlining: Vec<u32>,
    constants: Vec<u64>,
    texts: Vec<Box<str>>,
    tables: Vec<Vec<u64>>,
    /// The function whose code is being generated.
    body: Option<Body>,
    /// The members of the current machine, or the globals outside of machines.
    members: FxHashMap<Box<str>, Symbol>,
    /// Names in the machine whose declarations have errors. Their uses have none beside.
    broken: FxHashSet<Box<str>>,
    signatures: FxHashMap<Box<str>, Vec<Signature>>,
    /// The methods that have a body, by the type, the name, and the number of arguments.
    methods: FxHashMap<(TypeId, Box<str>, usize), Signature>,
    /// The name of the current machine.
    machine: Option<Box<str>>,
    machine_span: Span,
    tbe: Option<TypeId>,
    entry: Option<TypeId>,
    ordered: Ordered,
    /// Whether gem5 passes flushes of cores on, so that a `writeCallback` may come without an entry.
    flushes: bool,
}

/// Compiles a protocol for data blocks of `block_bytes` bytes. Returns the code with warnings.
///
/// # Errors
/// Fails with all diagnostics, warnings included, if there is an error in a body: a name or a type
/// that is unknown or does not fit, or something that the runtime does not support.
pub fn compile(
    protocol: &str,
    declarations: &[Declaration],
    outline: &Outline,
    block_bytes: usize,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let machines = declarations.iter().filter(|one| matches!(one, Declaration::Machine(_))).count();
    let mut lines = declarations.iter().filter_map(|declaration| match declaration {
        Declaration::Protocol(line) => Some(Options::named(&line.options).0),
        _ => None,
    });
    let options = lines.next().unwrap_or_default();
    let mut compiler = Compiler {
        outline,
        diagnostics: Vec::new(),
        repeated: Repeated::default(),
        lacking: Lacking::default(),
        types: Types::new(Sizes { block: block_bytes / 8, machines }),
        code: Vec::new(),
        spans: Vec::new(),
        functions: Vec::new(),
        largest_frame: 0,
        bodies: Vec::new(),
        inlining: Vec::new(),
        constants: Vec::new(),
        texts: Vec::new(),
        tables: Vec::new(),
        body: None,
        members: FxHashMap::default(),
        broken: FxHashSet::default(),
        signatures: FxHashMap::default(),
        methods: FxHashMap::default(),
        machine: None,
        machine_span: NOWHERE,
        tbe: None,
        entry: None,
        ordered: Ordered::default(),
        flushes: options.has(ProtocolOption::Flushes),
    };
    compiler.globals(declarations);
    let mut compiled: Vec<code::Machine> = Vec::new();
    for (at, declaration) in
        declarations.iter().filter(|one| matches!(one, Declaration::Machine(_))).enumerate()
    {
        if let Declaration::Machine(machine) = declaration {
            compiled.extend(compiler.machine(machine, at));
        }
    }
    let message_accesses = compiler.message_accesses();
    let mut diagnostics = distinct(compiler.diagnostics);
    compiler.repeated.describe(&mut diagnostics);
    diagnostics.extend(compiler.lacking.diagnostics());
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(diagnostics);
    }
    compiled.sort_by_key(|machine| machine.kind);
    let program = Program {
        name: protocol.into(),
        message_accesses,
        fused: fuse::fuse(&compiler.code),
        code: compiler.code,
        spans: compiler.spans,
        functions: compiler.functions,
        largest_frame: compiler.largest_frame,
        constants: compiler.constants,
        texts: compiler.texts,
        types: compiler.types,
        tables: compiler.tables,
        machines: compiled,
        ordered: compiler.ordered,
    };
    Ok((program, diagnostics))
}

/// Removes repeated diagnostics, since a statement that runs on several paths is compiled for each.
fn distinct(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::new();
    for one in diagnostics {
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    kept
}

impl<'a> Compiler<'a> {
    /// Declares and compiles the declarations outside of machines, the prelude first.
    fn globals(&mut self, declarations: &'a [Declaration]) {
        self.types.note_constants(declarations);
        let globals = || declarations.iter().filter(|one| !matches!(one, Declaration::Machine(_)));
        for declaration in globals() {
            // The compiler looks for types that it knows by name after each declaration.
            self.types.find_known();
            if let Err(diagnostic) = self.declare_type(declaration) {
                self.diagnostics.push(diagnostic);
                continue;
            }
            self.note_problems();
            match declaration {
                Declaration::Function(function) => {
                    let _ = self.signature(function);
                }
                Declaration::Object(object) => {
                    let _ = self.global(object);
                }
                Declaration::Structure(structure) => self.method_signatures(structure),
                _ => {}
            }
        }
        self.types.find_known();
        let bodies: Vec<_> = globals()
            .filter_map(|declaration| match declaration {
                Declaration::Function(function) => Some(function),
                _ => None,
            })
            .collect();
        for function in bodies {
            self.function(function);
        }
        for declaration in globals() {
            if let Declaration::Structure(structure) = declaration {
                self.method_bodies(structure);
            }
        }
    }

    /// Declares the type, if the declaration is one.
    fn declare_type(&mut self, declaration: &'a Declaration) -> Result<(), Diagnostic> {
        let machine = self.machine.clone();
        let machine = machine.as_deref();
        match declaration {
            Declaration::ExternalType(external) => self.types.external(machine, external),
            Declaration::Enumeration(enumeration) => {
                self.types.enumeration(machine, enumeration)?;
            }
            Declaration::States(states) => {
                self.types.states(machine, states)?;
            }
            Declaration::Structure(structure) => {
                let of = self.types.structure(machine, structure)?;
                let is_tbe =
                    &*structure.name.text == "TBE" && self.types[of].kind == TypeKind::Entry;
                if is_tbe && machine.is_some() {
                    self.tbe = Some(of);
                } else if self.types[of].main && machine.is_some() {
                    if self.entry.is_some() {
                        return Err(Diagnostic::error(
                            structure.name.span,
                            "the machine has two types of cache entries",
                        )
                        .hint("mark all but one with main=\"false\""));
                    }
                    self.entry = Some(of);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn machine_name(&self) -> Option<&str> {
        self.machine.as_deref()
    }

    fn resolve(&mut self, name: &Name) -> Outcome<TypeId> {
        match self.types.resolve(self.machine.as_deref(), name) {
            Ok(of) => Ok(of),
            Err(diagnostic) => self.fail_once(diagnostic),
        }
    }

    /// The type of this name, or the unknown type after an error.
    fn resolve_anyway(&mut self, name: &Name) -> TypeId {
        self.resolve(name).unwrap_or(self.types.known.unknown)
    }

    /// Reports the errors in declarations of types and functions.
    fn note_problems(&mut self) {
        for problem in self.types.take_problems() {
            let _: Outcome<()> = self.fail_once(problem);
        }
    }
}
