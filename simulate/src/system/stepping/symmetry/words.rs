//! The kinds of the words of objects and controllers: whether a word names a core, a line, a controller or none of these.

use slicc::compile::code::{Machine, Program};
use slicc::compile::types::{Type, TypeId, TypeKind, Types};

use crate::ruby::sets::Machines;

/// The kind of thing that a word names, which decides how the word is renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// Nothing: a number, a truth value, an enumerator, a time.
    Plain,
    /// The content of a block.
    Block,
    Address,
    /// A machine, as type and number.
    Machine,
    /// A set of controllers of this machine type, as the bits of its elements.
    Machines(u32),
    /// A set of numbers of controllers, as bits.
    Numbers,
}

/// The words of all types and of the controllers of each machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds {
    /// The kinds of the words of objects, by type and offset.
    pub objects: Vec<Vec<WordKind>>,
    /// The kinds of control words, by machine and offset.
    pub controls: Vec<Vec<WordKind>>,
    /// A field or variable with words that cannot be renamed.
    pub opaque: Option<String>,
}

impl Kinds {
    /// The kinds of all words of a program.
    pub(crate) fn of(program: &Program, machines: &Machines) -> Kinds {
        let mut reader = Reader { types: &program.types, machines, opaque: None };
        let types = program.types.iter();
        let objects = types.map(|(_, of)| reader.object(of)).collect();
        let controls = program.machines.iter().map(|machine| reader.control(machine)).collect();
        Kinds { objects, controls, opaque: reader.opaque }
    }
}

/// Finds out what words name.
struct Reader<'a> {
    types: &'a Types,
    machines: &'a Machines,
    opaque: Option<String>,
}

impl Reader<'_> {
    /// The kinds of the words of objects of a type. Types without objects of their own have plain words.
    fn object(&mut self, of: &Type) -> Vec<WordKind> {
        let mut words = vec![WordKind::Plain; of.initial.len()];
        if matches!(of.kind, TypeKind::Message | TypeKind::Entry) {
            self.fields(of, 0, &mut words);
        }
        words
    }

    fn fields(&mut self, of: &Type, at: usize, words: &mut [WordKind]) {
        for name in &of.order {
            if let Some(field) = of.fields.get(name) {
                let whole = format!("{}.{name}", of.name);
                self.member(field.of, &whole, at + usize::from(field.offset), words);
            }
        }
    }

    /// The control words of a machine. Those before its parameters are the same after every move.
    fn control(&mut self, machine: &Machine) -> Vec<WordKind> {
        let mut words = vec![WordKind::Plain; machine.initial.len()];
        for member in &machine.variables {
            let whole = format!("{}.{}", machine.name, member.name);
            self.member(member.of, &whole, usize::from(member.offset), &mut words);
        }
        words
    }

    /// The words of a field or variable that begins at an offset.
    fn member(&mut self, of: TypeId, name: &str, at: usize, words: &mut [WordKind]) {
        let known = self.types.known;
        let whole = &self.types[of];
        match whole.kind {
            _ if of == known.addr => words[at] = WordKind::Address,
            _ if of == known.machine => words[at] = WordKind::Machine,
            _ if of == known.block => words[at] = WordKind::Block,
            // The first word is the size.
            _ if of == known.set => words[at + 1] = WordKind::Numbers,
            _ if of == known.destinations => {
                for (word, (kind, _)) in self.machines.types().iter().enumerate() {
                    words[at + word] = WordKind::Machines(*kind as u32);
                }
            }
            // The type does not show which machine type the number belongs to.
            _ if of == known.node => self.refuse(name, "a NodeID"),
            TypeKind::Structure | TypeKind::Message => self.fields(whole, at, words),
            TypeKind::Value if whole.name.contains("RecordQueue") => {
                self.refuse(name, "a queue of structures");
            }
            TypeKind::Value if whole.name.contains("MN_TBEStorage") => {
                self.refuse(name, "a queue of structures");
            }
            TypeKind::Value if whole.described.is_some() => {
                self.refuse(name, "an object of a description");
            }
            TypeKind::Void
            | TypeKind::Scalar
            | TypeKind::Enumeration { .. }
            | TypeKind::Value
            | TypeKind::Entry
            | TypeKind::Library => {}
        }
    }

    fn refuse(&mut self, name: &str, what: &str) {
        let reason = || format!("{name} is {what}, which cannot be renamed");
        self.opaque.get_or_insert_with(reason);
    }
}
