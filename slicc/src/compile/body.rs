//! The function whose code is being generated: its registers, its scopes, its instructions.

use rustc_hash::FxHashMap;

use super::Compiler;
use super::code::Function;
use super::op::{Op, Register};
use super::types::{TypeId, TypeKind};
use crate::ast::Name;
use crate::source::{Diagnostic, Span};

/// Limit of the registers of a frame, so that the stack has room for several frames.
const MOST_REGISTERS: Register = 1 << 12;

/// Limit of the instructions of a protocol. Real protocols have some ten thousand.
const MOST_INSTRUCTIONS: usize = 1 << 22;

/// The error type for code that the compiler gave up. The diagnostic has been recorded.
pub(super) struct Abandoned;

/// The result of compiling a part.
pub(super) type Outcome<T> = Result<T, Abandoned>;

/// The place of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValuePlace {
    Constant(u64),
    /// The value is in consecutive registers, starting with this one.
    Register(Register),
    /// The value is in consecutive control words, starting with this one.
    Control(u16),
    /// The value is at the address in a register, plus an offset.
    Memory {
        base: Register,
        offset: u16,
    },
    /// The value is at the address in a control word, plus an offset.
    Through {
        control: u16,
        offset: u16,
    },
    /// Null, which is a pointer of any type.
    Null,
}

/// A value and its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub of: TypeId,
    pub place: ValuePlace,
    /// Whether it may be assigned to.
    pub writable: bool,
}

impl Value {
    /// A value that cannot be assigned to.
    pub(super) fn fixed(of: TypeId, place: ValuePlace) -> Value {
        let writable = false;
        Value { of, place, writable }
    }

    /// A value that can be assigned to.
    pub(super) fn variable(of: TypeId, place: ValuePlace) -> Value {
        let writable = true;
        Value { of, place, writable }
    }
}

/// A port as seen by code.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub buffer: u16,
    pub input: bool,
    pub timers: bool,
    /// The type of its messages; that of an in_port may be unknown, since gem5 does not look it up.
    pub message: Option<TypeId>,
    pub rank: u32,
}

/// The meaning of a name in scope.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    Value(Value),
    Port(Port),
}

/// The kind of code that is being compiled, which decides which statements are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Context {
    InPort {
        handlers: [Option<u32>; 2],
    },
    Action,
    /// A function; `destination` is the register with the address to which a wide result is
    /// written.
    Function {
        result: TypeId,
        destination: Option<Register>,
    },
    /// A function inlined into its caller: the result goes to the register `to`, and `returns` are
    /// the jumps to its end.
    Inlined {
        result: TypeId,
        to: Option<Register>,
        returns: Vec<usize>,
    },
    Transition,
}

/// A scope: names and their meanings.
#[derive(Default)]
struct Scope {
    names: FxHashMap<Box<str>, (Symbol, Span)>,
    /// Whether the surrounding scopes are invisible from this one.
    isolated: bool,
}

/// The code under construction: its frame of registers and its scopes.
pub(super) struct Body {
    pub context: Context,
    scopes: Vec<Scope>,
    next: Register,
    pub highest: Register,
    start: u32,
    /// Jumps to the end of the body, whose targets are set at the end.
    pub exits: Vec<usize>,
    /// The types of messages that the body of a port expects at the heads of buffers, with the control words of these.
    pub peeked: Vec<(u16, TypeId)>,
    /// For each assertion, the jumps that are taken if it fails. They lead to code after the body, off the common path.
    pub assertions: Vec<(Vec<usize>, Span)>,
}

impl Body {
    fn new(context: Context, start: u32) -> Body {
        Body {
            context,
            scopes: vec![Scope::default()],
            next: 0,
            highest: 0,
            start,
            exits: Vec::new(),
            peeked: Vec::new(),
            assertions: Vec::new(),
        }
    }
}

impl Compiler<'_> {
    /// Begins a function. Returns the one under construction, which [`Compiler::finish`] puts back.
    pub(super) fn begin(&mut self, context: Context) -> Option<Body> {
        let start = self.code.len() as u32;
        self.body.replace(Body::new(context, start))
    }

    /// Ends a function: emits the failures of its assertions, and makes `before` the code under construction again.
    pub(super) fn finish(&mut self, before: Option<Body>) -> Function {
        let body = std::mem::replace(&mut self.body, before);
        let Some(body) = body else {
            return Function::default();
        };
        for (jumps, span) in body.assertions {
            let failure = self.here();
            self.emit(Op::Assert, span);
            for at in jumps {
                self.set_target(at, failure);
            }
        }
        // A call needs a frame of its own even if the caller uses few registers.
        let frame = u32::from(body.highest) + 1;
        self.largest_frame = self.largest_frame.max(frame);
        Function { start: body.start, frame }
    }

    pub(super) fn body(&mut self) -> &mut Body {
        self.body.as_mut().expect("code is compiled within a body")
    }

    /// Appends an instruction and returns its index.
    pub(super) fn emit(&mut self, op: Op, span: Span) -> usize {
        if self.code.len() >= MOST_INSTRUCTIONS {
            let error = Diagnostic::error(span, "the protocol needs too much code");
            let _: Outcome<()> = self.fail(Diagnostic { span: None, ..error });
            return self.code.len() - 1;
        }
        self.code.push(op);
        self.spans.push(span);
        self.code.len() - 1
    }

    /// The index of the next instruction.
    pub(super) fn here(&self) -> u32 {
        self.code.len() as u32
    }

    /// Sets the target of the jump at index `at`.
    pub(super) fn set_target(&mut self, at: usize, to: u32) {
        if self.code.len() >= MOST_INSTRUCTIONS {
            return;
        }
        let distance = to as i32 - at as i32 - 1;
        if !self.code[at].aim(distance) {
            let error = Diagnostic::error(self.spans[at], "this block is too long");
            self.diagnostics.push(error.hint("split it"));
        }
    }

    /// Number of instructions of the function so far.
    pub(super) fn length(&mut self) -> usize {
        self.code.len() - self.body().start as usize
    }

    /// Allocates consecutive registers.
    pub(super) fn registers(&mut self, count: usize, span: Span) -> Outcome<Register> {
        let body = self.body();
        let first = body.next;
        match usize::from(first).checked_add(count).and_then(|next| Register::try_from(next).ok()) {
            Some(next) if next < MOST_REGISTERS => {
                body.next = next;
                body.highest = body.highest.max(next);
                Ok(first)
            }
            _ => self.fail(
                Diagnostic::error(span, "this piece of code needs too many registers")
                    .hint("split it"),
            ),
        }
    }

    /// Allocates a register.
    pub(super) fn register(&mut self, span: Span) -> Outcome<Register> {
        self.registers(1, span)
    }

    /// The first unused register, where the frame of a call begins.
    pub(super) fn top(&mut self) -> Register {
        self.body().next
    }

    /// Frees all registers from this one on.
    pub(super) fn release(&mut self, from: Register) {
        self.body().next = from;
    }

    /// Records an error.
    pub(super) fn fail<T>(&mut self, diagnostic: Diagnostic) -> Outcome<T> {
        // An error that several transitions share is reported once.
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
        Err(Abandoned)
    }

    /// Reports an error about something that is missing, and may be missing in many places: the first stands for all.
    pub(super) fn fail_once<T>(&mut self, diagnostic: Diagnostic) -> Outcome<T> {
        if self.repeated.is_first(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
        Err(Abandoned)
    }

    /// Opens a scope.
    pub(super) fn open(&mut self) {
        self.body().scopes.push(Scope::default());
    }

    /// Opens a scope from which the surrounding ones are invisible.
    pub(super) fn open_isolated(&mut self) {
        self.body().scopes.push(Scope { isolated: true, ..Scope::default() });
    }

    /// Closes a scope.
    pub(super) fn close(&mut self) {
        self.body().scopes.pop();
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &str, span: Span, symbol: Symbol) -> Outcome<()> {
        let scope = self.body().scopes.last_mut().expect("a body has a scope");
        if let Some((_, first)) = scope.names.insert(name.into(), (symbol, span)) {
            let error = Diagnostic::error(span, format!("`{name}` is declared twice"))
                .note(first, "first declared here");
            return self.fail(error);
        }
        Ok(())
    }

    /// The meaning of a name here, if it has one.
    pub(super) fn lookup(&self, name: &str) -> Option<Symbol> {
        let scopes = self.body.iter().flat_map(|body| body.scopes.iter().rev());
        let mut found = None;
        for scope in scopes {
            found = scope.names.get(name).map(|(symbol, _)| symbol);
            if found.is_some() || scope.isolated {
                break;
            }
        }
        found.or_else(|| self.members.get(name)).cloned()
    }

    /// The meaning of a name here; a name without one is an error.
    pub(super) fn find(&mut self, name: &Name) -> Outcome<Symbol> {
        match self.lookup(&name.text) {
            // The type of the name was reported where it is declared.
            Some(Symbol::Value(value)) if value.of == self.types.known.unknown => Err(Abandoned),
            Some(symbol) => Ok(symbol),
            None if self.broken.contains(&name.text) => Err(Abandoned),
            None => {
                let names: Vec<Box<str>> = self
                    .body
                    .iter()
                    .flat_map(|body| body.scopes.iter())
                    .flat_map(|scope| scope.names.keys())
                    .chain(self.members.keys())
                    .cloned()
                    .collect();
                let mut error =
                    Diagnostic::error(name.span, format!("`{}` is not declared", name.text));
                if let Some(near) =
                    crate::near::nearest(&name.text, names.iter().map(|name| &**name))
                {
                    error = error.hint(format!("did you mean `{near}`?"));
                }
                self.fail_once(error)
            }
        }
    }

    /// Loads a value into a register: the value itself if narrow, its address if wide.
    pub(super) fn load(&mut self, value: Value, span: Span) -> Outcome<Register> {
        match value.place {
            ValuePlace::Register(register) if !self.types[value.of].is_wide() => Ok(register),
            _ => {
                let to = self.register(span)?;
                self.load_into(to, value, span);
                Ok(to)
            }
        }
    }

    /// Loads a value, or the address of a wide one, into a given register.
    pub(super) fn load_into(&mut self, to: Register, value: Value, span: Span) {
        let op = match (value.place, self.types[value.of].is_wide()) {
            (ValuePlace::Null, _) => Op::Small { to, value: 0 },
            (ValuePlace::Constant(constant), _) => self.constant(to, constant, span),
            (ValuePlace::Register(from), false) if from == to => return,
            (ValuePlace::Register(from), false) => Op::Move { to, from },
            (ValuePlace::Register(register), true) => Op::FrameAddress { to, register },
            (ValuePlace::Control(offset), false) => Op::LoadControl { to, offset },
            (ValuePlace::Control(offset), true) => Op::ControlAddress { to, offset },
            (ValuePlace::Memory { base, offset }, false) => Op::Load { to, base, offset },
            (ValuePlace::Memory { base, offset }, true) => Op::Address { to, base, offset },
            (ValuePlace::Through { control, offset }, false) => {
                Op::LoadThrough { to, control, offset }
            }
            (ValuePlace::Through { control, offset }, true) => {
                Op::AddressThrough { to, control, offset }
            }
        };
        self.emit(op, span);
    }

    /// Loads the address of a value into a given register.
    pub(super) fn address_into(&mut self, to: Register, value: Value, span: Span) -> Outcome<()> {
        let op = match value.place {
            ValuePlace::Register(register) => Op::FrameAddress { to, register },
            ValuePlace::Control(offset) => Op::ControlAddress { to, offset },
            ValuePlace::Memory { base, offset } => Op::Address { to, base, offset },
            ValuePlace::Through { control, offset } => Op::AddressThrough { to, control, offset },
            ValuePlace::Constant(_) | ValuePlace::Null => {
                return self.fail(
                    Diagnostic::error(span, "a constant can't be passed by reference")
                        .hint("assign it to a variable first"),
                );
            }
        };
        self.emit(op, span);
        Ok(())
    }

    fn constant(&mut self, to: Register, constant: u64, span: Span) -> Op {
        match i32::try_from(constant as i64) {
            Ok(value) => Op::Small { to, value },
            Err(_) => {
                let index =
                    self.constants.iter().position(|known| *known == constant).unwrap_or_else(
                        || {
                            self.constants.push(constant);
                            self.constants.len() - 1
                        },
                    );
                if index > usize::from(u16::MAX) {
                    let error = Diagnostic::error(span, "the protocol has too many large numbers");
                    let _: Outcome<()> = self.fail(Diagnostic { span: None, ..error });
                }
                Op::Constant { to, index: index as u16 }
            }
        }
    }

    /// Stores a value at a place of the same width.
    pub(super) fn store(&mut self, target: Value, value: Value, span: Span) -> Outcome<()> {
        let width = self.types[target.of].width();
        if self.types[target.of].is_wide() {
            let mark = self.top();
            let to = self.load(target, span)?;
            let from = self.load(value, span)?;
            let words = width as u16;
            self.emit(Op::Copy { to, from, words }, span);
            self.release(mark);
            return Ok(());
        }
        match target.place {
            ValuePlace::Register(to) => self.load_into(to, value, span),
            ValuePlace::Control(offset) => {
                let mark = self.top();
                let from = self.load(value, span)?;
                self.emit(Op::StoreControl { offset, from }, span);
                self.release(mark);
            }
            ValuePlace::Memory { base, offset } => {
                let small = match value.place {
                    ValuePlace::Constant(constant) => i16::try_from(constant as i64).ok(),
                    _ => None,
                };
                if let Some(value) = small {
                    self.emit(Op::StoreSmall { base, offset, value }, span);
                    return Ok(());
                }
                let mark = self.top();
                let from = self.load(value, span)?;
                self.emit(Op::Store { base, offset, from }, span);
                self.release(mark);
            }
            ValuePlace::Through { control, offset } => {
                let mark = self.top();
                let from = self.load(value, span)?;
                self.emit(Op::StoreThrough { control, offset, from }, span);
                self.release(mark);
            }
            ValuePlace::Constant(_) | ValuePlace::Null => {
                return self.fail(Diagnostic::error(span, "this can't be assigned to"));
            }
        }
        Ok(())
    }

    /// Allocates a local variable with the initial words of its type.
    pub(super) fn local(&mut self, of: TypeId, span: Span) -> Outcome<Value> {
        let width = self.types[of].width();
        let first = self.registers(width, span)?;
        self.emit(Op::Initialize { to: first, of: of as u16 }, span);
        Ok(Value::variable(of, ValuePlace::Register(first)))
    }

    /// Whether a type is one of the numeric types.
    pub(super) fn is_number(&self, of: TypeId) -> bool {
        let known = &self.types.known;
        let others = ["uint32_t", "uint64_t", "RequestorID"];
        [known.int, known.addr, known.cycles, known.tick, known.scalar, known.node].contains(&of)
            || others.contains(&&*self.types[of].name)
    }

    /// Whether values of a type are pointers.
    pub(super) fn is_pointer(&self, of: TypeId) -> bool {
        matches!(self.types[of].kind, TypeKind::Entry | TypeKind::Library)
            || self.types[of].name.starts_with("Packet")
    }
}
