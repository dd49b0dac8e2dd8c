//! The state of one abstract run of a piece of code: local variables, the messages at hand, and the implicit objects of a
//! transition.

use std::rc::Rc;

use super::store::Message;
use super::value::{Pointer, Value};

/// The message at the head of the buffer whose port triggered a transition: the name of the buffer, and the position of the message in
/// one of the channels that lead there.
pub(super) type Head<'a> = (&'a str, usize, usize);

/// The state of an abstract run.
#[derive(Clone, Debug)]
pub(super) struct Environment<'a> {
    /// The local variables of all frames; the innermost come last.
    pub locals: Vec<(&'a str, Value)>,
    /// The messages that are peeked at or made.
    pub messages: Vec<Rc<Message>>,
    /// `cache_entry`
    pub entry: Pointer,
    /// `tbe`
    pub tbe: Pointer,
    /// The tables in which an object was allocated, each with the text of the address.
    pub allocated: Vec<(&'a str, &'a str)>,
    /// The message that is handled, while it is certainly at the head of its buffer.
    pub head: Option<Head<'a>>,
}

impl<'a> Environment<'a> {
    pub(super) fn new(entry: Pointer, tbe: Pointer) -> Environment<'a> {
        Environment {
            locals: Vec::new(),
            messages: Vec::new(),
            entry,
            tbe,
            allocated: Vec::new(),
            head: None,
        }
    }

    /// Forgets the local variables and messages that were added since there were this many.
    pub(super) fn truncate(&mut self, locals: usize, messages: usize) {
        self.locals.truncate(locals);
        self.messages.truncate(messages);
    }

    /// What is true in both of two environments of the same place in the code.
    fn join(mut self, other: Environment<'a>) -> Environment<'a> {
        let common = self.locals.len().min(other.locals.len());
        self.locals.truncate(common);
        for ((_, one), (_, two)) in self.locals.iter_mut().zip(&other.locals) {
            *one = one.join(two);
        }
        self.messages.truncate(other.messages.len());
        for (one, two) in self.messages.iter_mut().zip(&other.messages) {
            if Rc::ptr_eq(one, two) {
                continue;
            }
            for (one, two) in Rc::make_mut(one).fields.iter_mut().zip(&two.fields) {
                *one = one.join(two);
            }
        }
        let pointer =
            |one: Pointer, two: Pointer| match Value::Pointer(one).join(&Value::Pointer(two)) {
                Value::Pointer(pointer) => pointer,
                _ => Pointer::any(None),
            };
        self.entry = pointer(self.entry, other.entry);
        self.tbe = pointer(self.tbe, other.tbe);
        self.allocated.retain(|one| other.allocated.contains(one));
        if self.head != other.head {
            self.head = None;
        }
        self
    }
}

/// Joins the environments of two ways to the same place; `None` is a way that is never taken.
pub(super) fn join<'a>(
    one: Option<Environment<'a>>,
    two: Option<Environment<'a>>,
) -> Option<Environment<'a>> {
    match (one, two) {
        (Some(one), Some(two)) => Some(one.join(two)),
        (one, two) => one.or(two),
    }
}

/// What is true where a condition holds, and where it fails.
pub(super) type Ways<'a> = (Option<Environment<'a>>, Option<Environment<'a>>);
