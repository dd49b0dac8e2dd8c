//! The fields of messages, TBEs and cache entries, and the assignments to them.

use slicc::ast::{Declaration, Expression, ExpressionKind, Name, Statement, StatementKind};
use slicc::compile::types::TypeId;

use crate::scene::{Body, Scene};
use crate::walk::MessageScope;

/// A field that an expression names.
pub(crate) struct Field<'a> {
    pub name: &'a str,
    pub of: TypeId,
    /// Whether it is a field of the message that is being sent.
    pub is_sent: bool,
}

/// An assignment to a field.
pub(crate) struct Written<'a> {
    pub statement: &'a Statement,
    pub around: MessageScope<'a>,
    pub field: Field<'a>,
    pub value: &'a Expression,
}

impl Scene<'_> {
    /// The assignments to fields in the body of an action.
    pub(crate) fn written<'a>(&self, body: &Body<'a>) -> Vec<Written<'a>> {
        let statements = body.statements.iter();
        let written = |&(statement, around): &(&'a Statement, MessageScope<'a>)| {
            let StatementKind::Assign { target, value } = &statement.kind else {
                return None;
            };
            Some(Written { statement, around, field: self.field(target, around)?, value })
        };
        statements.filter_map(written).collect()
    }

    /// The name of a type in the machine; the name of a type that is private to the machine has no
    /// prefix there.
    pub(crate) fn name_of(&self, of: TypeId) -> &str {
        let machine = &*self.machine.name.text;
        let types = &self.protocol.program.types;
        let full = &*types[of].name;
        let short = full.strip_prefix(machine).and_then(|rest| rest.strip_prefix('_'));
        let is_own = |short: &&str| types.find(Some(machine), short) == Some(of);
        short.filter(is_own).unwrap_or(full)
    }

    /// The type of a message, by its name.
    pub(crate) fn message(&self, name: &Name) -> Option<TypeId> {
        let types = &self.protocol.program.types;
        types.find(Some(&self.machine.name.text), &name.text)
    }

    /// The objects whose fields a statement can read, with their types: the peeked message, the TBE
    /// and the cache entry.
    pub(crate) fn sources(&self, around: MessageScope<'_>) -> Vec<(&'static str, TypeId)> {
        let machines = &self.protocol.program.machines;
        let compiled = machines.iter().find(|one| one.name == self.machine.name.text);
        let objects = [
            ("in_msg", around.peeked.and_then(|name| self.message(name))),
            ("tbe", compiled.and_then(|one| one.tbe)),
            ("cache_entry", compiled.and_then(|one| one.entry)),
        ];
        let is_there = |(name, of): (&'static str, Option<TypeId>)| Some((name, of?));
        objects.into_iter().filter_map(is_there).collect()
    }

    /// The fields of this type that a statement can read, such as `tbe.DataBlk`.
    pub(crate) fn fields(&self, around: MessageScope<'_>, of: TypeId) -> Vec<String> {
        let mut found = Vec::new();
        for (object, whole) in self.sources(around) {
            let whole = &self.protocol.program.types[whole];
            for field in &whole.order {
                if whole.fields.get(field).is_some_and(|it| it.of == of) {
                    found.push(format!("{object}.{field}"));
                }
            }
        }
        found
    }

    /// The field that an expression names, if it is one.
    pub(crate) fn field<'b>(
        &self,
        whole: &'b Expression,
        around: MessageScope<'_>,
    ) -> Option<Field<'b>> {
        let ExpressionKind::Field { object, field } = &whole.kind else {
            return None;
        };
        let types = &self.protocol.program.types;
        let of_field = |of: TypeId| types[of].fields.get(&field.text).map(|found| found.of);
        let sent = around.sent.and_then(|name| self.message(name));
        let own = match &object.kind {
            ExpressionKind::Name(name) if &*name.text == "out_msg" => Some(sent?),
            ExpressionKind::Name(name) => {
                let mut sources = self.sources(around).into_iter();
                let found = sources.find(|(known, _)| *known == &*name.text);
                found.map(|(_, of)| of)
            }
            _ => None,
        };
        let of = match own {
            Some(own) => of_field(own)?,
            // The object is a local or the result of a function: search the machine's structures.
            None => self.structures().find_map(of_field)?,
        };
        let is_sent =
            matches!(&object.kind, ExpressionKind::Name(name) if &*name.text == "out_msg");
        Some(Field { name: &field.text, of, is_sent })
    }

    /// The types of the structures that the machine declares.
    fn structures(&self) -> impl Iterator<Item = TypeId> {
        let types = &self.protocol.program.types;
        let body = self.machine.body.iter();
        body.filter_map(|declaration| match declaration {
            Declaration::Structure(one) => {
                types.find(Some(&self.machine.name.text), &one.name.text)
            }
            _ => None,
        })
    }
}
