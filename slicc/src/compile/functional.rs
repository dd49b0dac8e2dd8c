//! Finds the functions of machines and messages that the runtime calls for functional accesses: those that gem5 makes to
//! caches, memory and buffers from outside of the protocol, at once.
//!
//! They are called with their arguments in the first registers of their frame, as by any other call.

use super::Compiler;
use super::code::{Function, MachineAccess, MessageAccess};
use super::types::TypeKind;

impl Compiler<'_> {
    /// The functions of the current machine, whose bodies have been compiled.
    pub(super) fn machine_access(&self) -> MachineAccess {
        let known = self.types.known;
        let own = |name: &str, count: usize| -> Option<Function> {
            let found = self.signatures.get(name)?.iter().find(|one| {
                let takes_address = one.parameters.first().is_none_or(|(of, _)| *of == known.addr);
                one.number.is_some() && one.parameters.len() == count && takes_address
            });
            self.compiled(found?.number)
        };
        MachineAccess {
            permission: own("getAccessPermission", 1),
            read: own("functionalRead", 2),
            read_masked: own("functionalRead", 3),
            write: own("functionalWrite", 2),
            priority: own("functionalReadPriority", 0),
        }
    }

    /// The methods of all types of messages, by type.
    pub(super) fn message_accesses(&self) -> Vec<MessageAccess> {
        let is_message = |of| self.types[of].kind == TypeKind::Message;
        let method = |of, name: &str, count| {
            let found = self.methods.get(&(of, name.into(), count));
            found.and_then(|one| self.compiled(one.number))
        };
        let of_type = |of| MessageAccess {
            read: method(of, "functionalRead", 1),
            read_masked: method(of, "functionalRead", 2),
            write: method(of, "functionalWrite", 1),
        };
        let types = self.types.iter().map(|(of, _)| of);
        types
            .map(|of| if is_message(of) { of_type(of) } else { MessageAccess::default() })
            .collect()
    }

    fn compiled(&self, number: Option<u32>) -> Option<Function> {
        self.functions.get(number? as usize).copied()
    }
}
