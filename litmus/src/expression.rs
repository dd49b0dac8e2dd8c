//! Values that depend on what loads return: expressions over the reads of a thread.

use rustc_hash::FxHashMap;

use crate::value::{Binary, Unary, Value};

/// The number of an expression in an [`Expressions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Expression(u32);

/// The outermost operation of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Constant(Value),
    /// The value that an event of the thread reads, by the event's number.
    Read(u8),
    Unary(Unary, Expression),
    Binary(Binary, Expression, Expression),
}

/// The expressions of a thread. Equal expressions are stored once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expressions {
    nodes: Vec<Node>,
    /// Per expression, the events whose values it depends on, as bits.
    reads: Vec<u64>,
    known: FxHashMap<Node, Expression>,
}

impl Expressions {
    fn add(&mut self, node: Node) -> Expression {
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        let reads = match node {
            Node::Constant(_) => 0,
            Node::Read(event) => 1 << event,
            Node::Unary(_, of) => self.reads(of),
            Node::Binary(_, first, second) => self.reads(first) | self.reads(second),
        };
        let added = Expression(self.nodes.len() as u32);
        self.nodes.push(node);
        self.reads.push(reads);
        self.known.insert(node, added);
        added
    }

    /// A value that depends on no read.
    pub(crate) fn constant(&mut self, value: Value) -> Expression {
        self.add(Node::Constant(value))
    }

    /// The value that an event of the thread reads. Events have numbers below 64.
    pub(crate) fn read(&mut self, event: u8) -> Expression {
        self.add(Node::Read(event))
    }

    /// An operation on one expression.
    pub(crate) fn unary(&mut self, operation: Unary, of: Expression) -> Expression {
        match self.as_constant(of).and_then(|value| operation.apply(value)) {
            Some(value) => self.constant(value),
            None => self.add(Node::Unary(operation, of)),
        }
    }

    /// An operation on two expressions. A result that does not depend on the operands, such as the `xor` of an
    /// expression with itself, becomes a constant.
    pub(crate) fn binary(
        &mut self,
        operation: Binary,
        first: Expression,
        second: Expression,
    ) -> Expression {
        let constants = (self.as_constant(first), self.as_constant(second));
        if let (Some(a), Some(b)) = constants
            && let Some(value) = operation.apply(a, b)
        {
            return self.constant(value);
        }
        if first == second && matches!(operation, Binary::Xor | Binary::Subtract | Binary::AndNot) {
            return self.constant(Value::ZERO);
        }
        let zero = Some(Value::ZERO);
        match operation {
            Binary::And if constants.0 == zero || constants.1 == zero => self.constant(Value::ZERO),
            Binary::Add | Binary::Or | Binary::Xor if constants.0 == zero => second,
            Binary::Add
            | Binary::Or
            | Binary::Xor
            | Binary::Subtract
            | Binary::ShiftLeft
            | Binary::ShiftRight
            | Binary::ShiftRightSigned
                if constants.1 == zero =>
            {
                first
            }
            _ => self.add(Node::Binary(operation, first, second)),
        }
    }

    /// The value of an expression that depends on no read.
    pub(crate) fn as_constant(&self, expression: Expression) -> Option<Value> {
        match self.nodes[expression.0 as usize] {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The events whose values the expression depends on, as bits.
    pub(crate) fn reads(&self, expression: Expression) -> u64 {
        self.reads[expression.0 as usize]
    }

    /// The value of an expression; `value_of` returns the value that an event reads.
    ///
    /// # Errors
    /// Returns [`Incomputable`] for an operation whose result depends on where a location lies.
    pub(crate) fn evaluate(
        &self,
        expression: Expression,
        value_of: &impl Fn(u8) -> Result<Value, Incomputable>,
    ) -> Result<Value, Incomputable> {
        match self.nodes[expression.0 as usize] {
            Node::Constant(value) => Ok(value),
            Node::Read(event) => value_of(event),
            Node::Unary(operation, of) => {
                operation.apply(self.evaluate(of, value_of)?).ok_or(Incomputable)
            }
            Node::Binary(operation, first, second) => operation
                .apply(self.evaluate(first, value_of)?, self.evaluate(second, value_of)?)
                .ok_or(Incomputable),
        }
    }
}

/// The error of an operation whose result depends on the address at which a location lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Incomputable;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn false_dependencies_become_constants() {
        let mut all = Expressions::default();
        let read = all.read(3);
        let one = all.constant(Value::Number(1));
        let zero = all.binary(Binary::Xor, read, read);
        let sum = all.binary(Binary::Add, zero, one);
        assert_eq!(all.as_constant(sum), Some(Value::Number(1)));
        let real = all.binary(Binary::Add, read, one);
        assert_eq!(all.reads(real), 1 << 3);
        assert_eq!(all.evaluate(real, &|_| Ok(Value::Number(4))), Ok(Value::Number(5)));
        assert_eq!(all.binary(Binary::Add, read, one), real);
    }
}
