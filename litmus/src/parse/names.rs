//! Reads the parts that the initial state and the conditions share: registers, locations and values ([`Names`]).
//! What herd has and this crate has not is refused in words.

use super::Symbols;
use super::tokens::{TokenKind, Tokens, whole_number};
use crate::error::Error;
use crate::isa::{Architecture, uniform};
use crate::test::{ThreadLanes, ThreadRegister};
use crate::value::{Location, Value};

/// Words before a parenthesis that herd knows and this crate does not.
const FUNCTIONS: [(&str, &str); 9] = [
    ("TTD", "translation tables (TTD) are"),
    ("PTE", "translation tables (PTE) are"),
    ("PA", "physical addresses (PA) are"),
    ("tag", "memory tags are"),
    ("pac", "signed pointers (pac) are"),
    ("SS", "shadow stacks are"),
    ("SSCap", "shadow stacks are"),
    ("fault", "conditions on faults are"),
    ("Fault", "conditions on faults are"),
];

/// The left side of an initial value or of an atom of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Register(ThreadRegister),
    /// A vector register, with its lanes.
    Lanes(ThreadLanes),
    Location(Location),
    /// An element of an array; in a declaration, an array and its length.
    Element(Location, u16),
}

/// A value, or several in braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Given {
    One(Value),
    List(Vec<Value>),
    /// The value of a register or location.
    Of(Named),
}

/// Resolves names, and records the registers among them.
pub(super) struct Names<'s> {
    pub architecture: Architecture,
    pub symbols: &'s mut Symbols,
    /// Every register that occurred.
    pub mentioned: Vec<ThreadRegister>,
}

impl Names<'_> {
    /// Reads a register such as `0:x5`, a location such as `x`, `[x]` or `*x`, or an element such as `t[1]`.
    ///
    /// # Errors
    /// Returns an error if there is none, or one that is not supported.
    pub(super) fn named(&mut self, tokens: &mut Tokens<'_, '_>) -> Result<Named, Error> {
        self.refuse(tokens)?;
        if tokens.take_if("*") {
            return self.named(tokens);
        }
        if tokens.take_if("[") {
            self.refuse(tokens)?;
            let location = self.location(tokens)?;
            tokens.expect("]", "`]` after the name of the location")?;
            return Ok(Named::Location(location));
        }
        if thread_number(tokens.peek()).is_some()
            && tokens.peek_at(1).is_some_and(|it| it.text == ":")
        {
            return match self.lanes(tokens) {
                Some(lanes) => Ok(Named::Lanes(lanes)),
                None => self.register(tokens).map(Named::Register),
            };
        }
        let location = self.location(tokens)?;
        if tokens.take_if("[") {
            let index = self.index(tokens)?;
            return Ok(Named::Element(location, index));
        }
        Ok(Named::Location(location))
    }

    /// Reads the number in `[1]`, after the opening bracket.
    fn index(&self, tokens: &mut Tokens<'_, '_>) -> Result<u16, Error> {
        let index = whole_number(tokens.peek()).and_then(|it| u16::try_from(it).ok());
        let index =
            index.ok_or_else(|| tokens.expected("the number of an element, below 65536"))?;
        tokens.take();
        tokens.expect("]", "`]` after the number of the element")?;
        Ok(index)
    }

    fn location(&mut self, tokens: &mut Tokens<'_, '_>) -> Result<Location, Error> {
        if tokens.kind() != Some(TokenKind::Word) {
            return Err(tokens.expected("a register such as `0:x5`, or the name of a location"));
        }
        Ok(self.symbols.location(tokens.take()))
    }

    /// Reads a vector register with its lanes, such as `0:V1.4S`, if there is one.
    fn lanes(&mut self, tokens: &mut Tokens<'_, '_>) -> Option<ThreadLanes> {
        let thread = thread_number(tokens.peek())?;
        let (register, bits, count) = self.architecture.lanes(tokens.peek_at(2)?.text)?;
        (0..3).for_each(|_| {
            tokens.take();
        });
        let low = ThreadRegister { thread, register };
        self.mentioned.push(low);
        Some(ThreadLanes { low, bits, count })
    }

    fn register(&mut self, tokens: &mut Tokens<'_, '_>) -> Result<ThreadRegister, Error> {
        let start = tokens.rest();
        let thread = thread_number(tokens.take()).unwrap_or_default();
        tokens.take();
        let (kind, name) = (tokens.kind(), tokens.peek());
        let is_name = matches!(kind, Some(TokenKind::Word | TokenKind::Percent));
        let register = is_name.then(|| self.architecture.register(name)).flatten();
        let Some(register) = register else {
            if kind == Some(TokenKind::Percent) {
                return Err(tokens.unsupported(start, &symbolic(name)));
            }
            if let Some(what) = other_register(self.architecture, name) {
                return Err(tokens.unsupported(start, &format!("`{name}` is {what}, which is")));
            }
            let expected = format!(
                "a register of {}, such as `{}`",
                self.architecture.name(),
                self.architecture.register_name(crate::isa::Register(1))
            );
            return Err(tokens.expected(&expected));
        };
        tokens.take();
        let register = ThreadRegister { thread, register };
        self.mentioned.push(register);
        Ok(register)
    }

    /// Reads the right side of an initial value (`in_state`) or of an atom.
    ///
    /// # Errors
    /// Returns an error if there is no value, or one that is not supported.
    pub(super) fn given(
        &mut self,
        tokens: &mut Tokens<'_, '_>,
        in_state: bool,
    ) -> Result<Given, Error> {
        if tokens.take_if("{") {
            return self.list(tokens);
        }
        let is_place = tokens.peek() == "*"
            || tokens.peek() == "["
            || (thread_number(tokens.peek()).is_some()
                && tokens.peek_at(1).is_some_and(|it| it.text == ":"));
        if is_place && !in_state {
            return self.named(tokens).map(Given::Of);
        }
        self.value(tokens).map(Given::One)
    }

    /// Reads the values of an array, after the opening brace.
    fn list(&mut self, tokens: &mut Tokens<'_, '_>) -> Result<Given, Error> {
        let mut values = Vec::new();
        loop {
            values.push(self.value(tokens)?);
            if !tokens.take_if(",") {
                tokens.expect("}", "`,` and a value, or `}`")?;
                return Ok(Given::List(values));
            }
        }
    }

    /// Reads a number, the address of a location: `x`, `&x`, `t[1]` or `x+4`, or that of a label.
    pub(super) fn value(&mut self, tokens: &mut Tokens<'_, '_>) -> Result<Value, Error> {
        if let Some(address) = self.label(tokens)? {
            return Ok(address);
        }
        if let Some(instruction) = self.instruction(tokens) {
            return Ok(instruction);
        }
        self.refuse(tokens)?;
        if let Some(number) = whole_number(tokens.peek()) {
            tokens.take();
            return Ok(Value::Number(number));
        }
        tokens.take_if("&");
        if tokens.kind() != Some(TokenKind::Word) {
            return Err(tokens.expected("a number, or the name of a location"));
        }
        let location = self.location(tokens)?;
        if tokens.take_if("[") {
            let index = self.index(tokens)?;
            return Ok(Value::Address(location, i64::from(index) * self.symbols.element(location)));
        }
        if tokens.take_if("+") {
            let offset = whole_number(tokens.peek());
            let offset = offset.ok_or_else(|| tokens.expected("a number of bytes"))?;
            tokens.take();
            return Ok(Value::Address(location, offset));
        }
        Ok(Value::Address(location, 0))
    }

    /// Reads the address of a label: `P1:L0`, or `label:"P1:L0"`.
    fn label(&self, tokens: &mut Tokens<'_, '_>) -> Result<Option<Value>, Error> {
        let next = |ahead| tokens.peek_at(ahead).map_or("", |it| it.text);
        let (thread, label) = match (tokens.peek(), next(1)) {
            ("label", ":") => match next(2).split_once(':') {
                Some((thread, label)) => (thread_number(thread), label),
                None => return Err(tokens.expected("a label such as `label:\"P1:L0\"`")),
            },
            (thread, ":") if thread_number(thread).is_some() => (thread_number(thread), next(2)),
            _ => return Ok(None),
        };
        let known = thread.and_then(|thread| self.symbols.labels.get(&(thread, label.to_owned())));
        let address = *known.ok_or_else(|| tokens.expected("a label of one of the threads"))?;
        (0..3).for_each(|_| {
            tokens.take();
        });
        Ok(Some(Value::Code(address)))
    }

    /// Reads an instruction as a value: `instr:"B .+4"`, or `NOP`.
    fn instruction(&mut self, tokens: &mut Tokens<'_, '_>) -> Option<Value> {
        let next = |ahead| tokens.peek_at(ahead).map_or("", |it| it.text);
        let (text, count) = match (self.architecture, tokens.peek(), next(1)) {
            (Architecture::AArch64, "NOP", _) => ("NOP", 1),
            (Architecture::AArch64, "instr", ":") => (next(2), 3),
            _ => return None,
        };
        let text = uniform(text, &|_| None);
        (0..count).for_each(|_| {
            tokens.take();
        });
        Some(self.symbols.instruction(text))
    }

    /// Refuses what herd has and this crate has not, if the next tokens are such.
    pub(super) fn refuse(&self, tokens: &Tokens<'_, '_>) -> Result<(), Error> {
        let next = |ahead| tokens.peek_at(ahead).map_or("", |it| it.text);
        let (text, second) = (tokens.peek(), next(1));
        let what = match tokens.kind() {
            Some(TokenKind::Percent) => symbolic(text),
            Some(TokenKind::Quoted) => format!("`{text}`, an instruction as a value, is"),
            Some(TokenKind::Word) if second == "(" => {
                match FUNCTIONS.iter().find(|(name, _)| *name == text) {
                    Some((_, what)) => (*what).to_owned(),
                    None => format!("`{text}(…)` is"),
                }
            }
            Some(TokenKind::Word) if text == "instr" && second == ":" => {
                "`instr:`, an instruction as a value, is".to_owned()
            }
            Some(TokenKind::Word) if second == ":" && thread_number(text).is_none() => {
                format!("the memory tag `{text}:{}` is", next(2))
            }
            Some(TokenKind::Sign) if text == "(" && second == "oa" => {
                "translation table entries are".to_owned()
            }
            _ => return Ok(()),
        };
        Err(tokens.unsupported(tokens.rest(), &what))
    }
}

fn symbolic(name: &str) -> String {
    format!("the symbolic register `%{name}` is")
}

/// The number of a thread, given as `1` or `P1`.
pub(super) fn thread_number(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('P').unwrap_or(text);
    digits.starts_with(|one: char| one.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// The description of a register that the architecture has and this crate has not.
fn other_register(architecture: Architecture, name: &str) -> Option<&'static str> {
    let upper = name.to_ascii_uppercase();
    let is_numbered = |letters: &[&str]| {
        letters.iter().filter_map(|letter| upper.strip_prefix(*letter)).any(|rest| {
            let digits = rest.split('.').next().unwrap_or(rest);
            !digits.is_empty() && digits.bytes().all(|one| one.is_ascii_digit())
        })
    };
    const SYSTEM: [&str; 7] = ["NZCV", "DAIF", "FPCR", "FPSR", "CURRENTEL", "SPSEL", "PSTATE"];
    match architecture {
        Architecture::AArch64 => {
            let (_, level) = upper.split_at_checked(upper.len().saturating_sub(4))?;
            if SYSTEM.contains(&upper.as_str()) || (level.starts_with("_EL") && upper.len() > 4) {
                Some("a system register")
            } else if is_numbered(&["V", "Q", "D", "S", "H", "B", "Z", "ZA", "P", "PN"]) {
                Some("a vector register")
            } else if upper == "PC" {
                Some("the program counter")
            } else {
                None
            }
        }
        Architecture::RiscV => {
            const CONTROL: [&str; 6] = ["FCSR", "FFLAGS", "FRM", "CYCLE", "TIME", "INSTRET"];
            let is_control = ["MSTATUS", "SSTATUS", "MCAUSE", "SCAUSE", "MEPC", "SEPC", "SATP"];
            if is_control.contains(&upper.as_str()) || CONTROL.contains(&upper.as_str()) {
                Some("a control and status register")
            } else if is_numbered(&["F", "FT", "FA", "FS", "V"]) {
                Some("a floating-point or vector register")
            } else {
                None
            }
        }
        Architecture::X86_64 => {
            if is_numbered(&["XMM", "YMM", "ZMM", "MM", "ST"]) {
                Some("a vector or floating-point register")
            } else if is_numbered(&["CR", "DR"])
                || matches!(upper.as_str(), "RIP" | "EFLAGS" | "RFLAGS")
            {
                Some("a system register")
            } else {
                None
            }
        }
    }
}
