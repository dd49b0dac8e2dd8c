//! The code of threads: a short list of instructions over numbered locals.

use std::fmt;

use serde::{Deserialize, Serialize};
use slicc::source::Span;

use super::language::{Binary, Operation};

/// A compiled expression over locals.
#[derive(Clone, Debug)]
pub enum Code {
    /// A number.
    Number(i64),
    /// The local with this number.
    Local(u16),
    /// `-e`
    Negative(Box<Code>),
    /// `!e`
    Not(Box<Code>),
    /// Two expressions with an operator between them.
    Binary(Binary, Box<Code>, Box<Code>),
}

/// The reason why a run cannot continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FaultKind {
    /// An assertion is 0.
    Assertion,
    /// An index is out of range: the index, and the length of the array.
    Index(i64, u32),
    /// Division by 0.
    DivisionByZero,
    /// A number does not fit 64 bits.
    Overflow,
    /// A function ended without a result that is used.
    NoResult,
    /// A thread takes too many steps without an access, or `init` or `finally` takes too many.
    Endless,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Assertion => f.write_str("the assertion fails"),
            FaultKind::Index(index, length) => {
                write!(f, "index {index} is not below the length {length}")
            }
            FaultKind::DivisionByZero => f.write_str("division by zero"),
            FaultKind::Overflow => f.write_str("a number does not fit in 64 bits"),
            FaultKind::NoResult => f.write_str("the function ends without a result"),
            FaultKind::Endless => f.write_str(
                "too many steps without an access of shared memory, or in init or finally",
            ),
        }
    }
}

/// An instruction.
#[derive(Clone, Debug)]
pub enum Instruction {
    /// Sets a local.
    Set(u16, Code, Span),
    /// Jumps if the expression is 0.
    Unless(Code, u32, Span),
    /// Jumps.
    Jump(u32),
    /// Fails if the expression is 0.
    Assert(Code, Span),
    /// Ends the run because a loop reached its bound.
    CutOff(Span),
    /// Fails because a function ended without a result.
    NoResult(Span),
    /// Lets other threads run.
    Yield,
    /// An access of shared memory.
    Access(Access),
    /// A full fence, at a site.
    Fence(u32),
    /// The thread ends.
    End,
}

/// An access of shared memory.
#[derive(Clone, Debug)]
pub struct Access {
    /// The operation of the access.
    pub operation: Operation,
    /// The location that is accessed.
    pub place: Place,
    /// The operands.
    pub operands: Vec<Code>,
    /// The local that receives the result.
    pub result: Option<u16>,
    /// The index of the site in [`Program::sites`](super::compile::Program::sites).
    pub site: u32,
    /// The statement.
    pub span: Span,
}

/// A location, or an element of an array.
#[derive(Clone, Debug)]
pub struct Place {
    /// The first location.
    pub base: u32,
    /// The number of locations.
    pub length: u32,
    /// The index, if it is an array.
    pub index: Option<Code>,
}

impl Code {
    /// Computes the value of the expression.
    ///
    /// # Errors
    /// Fails if the arithmetic of the program does, such as by a division by zero.
    pub fn evaluate(&self, locals: &[i64]) -> Result<i64, FaultKind> {
        Ok(match self {
            Code::Number(number) => *number,
            Code::Local(local) => locals[usize::from(*local)],
            Code::Negative(code) => {
                let value = code.evaluate(locals)?;
                value.checked_neg().ok_or(FaultKind::Overflow)?
            }
            Code::Not(code) => i64::from(code.evaluate(locals)? == 0),
            Code::Binary(operator, left, right) => {
                let left = left.evaluate(locals)?;
                match (operator, left) {
                    (Binary::Or, 0) | (Binary::And, 1..) | (Binary::And, ..=-1) => {
                        i64::from(right.evaluate(locals)? != 0)
                    }
                    (Binary::Or, _) => 1,
                    (Binary::And, _) => 0,
                    _ => arithmetic(*operator, left, right.evaluate(locals)?)?,
                }
            }
        })
    }

    /// Calls `visit` for each local in the expression.
    pub fn locals(&self, visit: &mut dyn FnMut(u16)) {
        match self {
            Code::Number(_) => {}
            Code::Local(local) => visit(*local),
            Code::Negative(code) | Code::Not(code) => code.locals(visit),
            Code::Binary(_, left, right) => {
                left.locals(visit);
                right.locals(visit);
            }
        }
    }
}

fn arithmetic(operator: Binary, left: i64, right: i64) -> Result<i64, FaultKind> {
    if matches!(operator, Binary::Divided | Binary::Modulo) && right == 0 {
        return Err(FaultKind::DivisionByZero);
    }
    let value = match operator {
        Binary::Plus => left.checked_add(right),
        Binary::Minus => left.checked_sub(right),
        Binary::Times => left.checked_mul(right),
        Binary::Divided => left.checked_div(right),
        Binary::Modulo => left.checked_rem(right),
        Binary::Equal => Some(i64::from(left == right)),
        Binary::Different => Some(i64::from(left != right)),
        Binary::AtMost => Some(i64::from(left <= right)),
        Binary::AtLeast => Some(i64::from(left >= right)),
        Binary::Less => Some(i64::from(left < right)),
        Binary::More => Some(i64::from(left > right)),
        Binary::Or => Some(i64::from(left != 0 || right != 0)),
        Binary::And => Some(i64::from(left != 0 && right != 0)),
    };
    value.ok_or(FaultKind::Overflow)
}
