//! From the syntax tree to code: names and types are resolved, and every piece is compiled.
//!
//! The declarations are gone through three times: first the types, variables, ports and signatures, in the order of the
//! text, since later ones may use earlier ones; then the bodies of functions, ports and actions; then the transitions.

pub mod code;
pub mod types;

mod body;
mod calls;
mod expressions;
mod inline;
mod machine;
mod methods;
mod operators;
mod statements;
mod transitions;
mod triggers;

use rustc_hash::FxHashMap;

use crate::ast::{self, Declaration, Name};
use crate::outline::Outline;
use crate::source::{Diagnostic, Severity, Span};
use body::{Body, Outcome, Symbol};
use calls::Signature;
use code::{Function, Op, Program};
use types::{NOWHERE, Sizes, TypeId, TypeKind, Types};

/// A compiler at work on one protocol.
pub(crate) struct Compiler<'a> {
    outline: &'a Outline,
    diagnostics: Vec<Diagnostic>,
    types: Types,
    code: Vec<Op>,
    spans: Vec<Span>,
    functions: Vec<Function>,
    /// The declarations of the functions that have names.
    bodies: Vec<Option<&'a ast::Function>>,
    /// The functions that are being compiled within others.
    inlining: Vec<u32>,
    constants: Vec<u64>,
    texts: Vec<Box<str>>,
    tables: Vec<Vec<u64>>,
    /// The piece of code under construction.
    body: Option<Body>,
    /// Members of the machine, or globals outside of one.
    members: FxHashMap<Box<str>, Symbol>,
    functions_of: FxHashMap<Box<str>, Vec<Signature>>,
    /// The machine under construction.
    machine: Option<Box<str>>,
    machine_span: Span,
    tbe: Option<TypeId>,
    entry: Option<TypeId>,
}

/// Compiles a protocol for data blocks of so many bytes.
///
/// The second result are warnings.
///
/// # Errors
/// Everything that is wrong with the bodies: names and types that are not known or do not fit, and what the runtime does
/// not support. Warnings are among them.
pub fn compile(
    protocol: &str,
    declarations: &[Declaration],
    outline: &Outline,
    block_bytes: usize,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let machines = declarations.iter().filter(|one| matches!(one, Declaration::Machine(_))).count();
    let mut compiler = Compiler {
        outline,
        diagnostics: Vec::new(),
        types: Types::new(Sizes { block: block_bytes / 8, machines }),
        code: Vec::new(),
        spans: Vec::new(),
        functions: Vec::new(),
        bodies: Vec::new(),
        inlining: Vec::new(),
        constants: Vec::new(),
        texts: Vec::new(),
        tables: Vec::new(),
        body: None,
        members: FxHashMap::default(),
        functions_of: FxHashMap::default(),
        machine: None,
        machine_span: NOWHERE,
        tbe: None,
        entry: None,
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
    if compiler.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(compiler.diagnostics);
    }
    compiled.sort_by_key(|machine| machine.kind);
    let program = Program {
        name: protocol.into(),
        code: compiler.code,
        spans: compiler.spans,
        functions: compiler.functions,
        constants: compiler.constants,
        texts: compiler.texts,
        types: compiler.types,
        tables: compiler.tables,
        machines: compiled,
    };
    Ok((program, compiler.diagnostics))
}

impl<'a> Compiler<'a> {
    /// Declarations outside of machines; the first of them are those of the prelude.
    fn globals(&mut self, declarations: &'a [Declaration]) {
        let globals = || declarations.iter().filter(|one| !matches!(one, Declaration::Machine(_)));
        for declaration in globals() {
            // Types that the compiler knows by name come up one by one.
            self.types.settle();
            if let Err(diagnostic) = self.declare_type(declaration) {
                self.diagnostics.push(diagnostic);
                continue;
            }
            match declaration {
                Declaration::Function(function) => {
                    let _ = self.signature(function);
                }
                Declaration::Object(object) => {
                    let _ = self.global(object);
                }
                _ => {}
            }
        }
        self.types.settle();
        let bodies: Vec<_> = globals()
            .filter_map(|declaration| match declaration {
                Declaration::Function(function) => Some(function),
                _ => None,
            })
            .collect();
        for function in bodies {
            self.function(function);
        }
    }

    /// The types among the declarations.
    fn declare_type(&mut self, declaration: &Declaration) -> Result<(), Diagnostic> {
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
            Err(diagnostic) => self.fail(diagnostic),
        }
    }
}
