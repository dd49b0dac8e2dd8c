//! The syntax tree of a program.

use slicc::source::Span;

/// A name, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text of the name.
    pub text: String,
    /// Its place in the source.
    pub span: Span,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// What all threads share.
    pub shared: Vec<Shared>,
    /// Names of numbers.
    pub constants: Vec<Constant>,
    /// What threads call.
    pub functions: Vec<Function>,
    /// The threads, in order.
    pub threads: Vec<Thread>,
    /// What happens before the threads.
    pub init: Vec<Block>,
    /// What happens after them.
    pub finally: Vec<Block>,
}

/// `x`, `x = 1`, `node[8]` or `node[8] = 1` of a `shared` declaration.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The name of the shared location.
    pub name: Name,
    /// How many locations, if it is an array.
    pub length: Option<Expression>,
    /// What it holds at first, each location of an array; 0 if that is left out.
    pub initial: Option<Expression>,
}

/// `const N = 3;`
#[derive(Clone, Debug)]
pub struct Constant {
    /// The name of the constant.
    pub name: Name,
    /// What it stands for.
    pub value: Expression,
}

/// `fn name(a, b) { ... }`
#[derive(Clone, Debug)]
pub struct Function {
    /// The name of the function.
    pub name: Name,
    /// Locals that the caller gives values.
    pub parameters: Vec<Name>,
    /// The statements of the function.
    pub body: Block,
}

/// `thread NAME { ... }`
#[derive(Clone, Debug)]
pub struct Thread {
    /// The name of the thread.
    pub name: Name,
    /// The statements of the thread.
    pub body: Block,
}

/// Statements in braces.
#[derive(Clone, Debug)]
pub struct Block {
    /// The statements, in order.
    pub statements: Vec<Statement>,
    /// Where, with the braces.
    pub span: Span,
}

/// A statement, and where it stands.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The kind of statement.
    pub kind: StatementKind,
    /// Its place in the source.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `let r = value;`
    Let(Name, Value),
    /// `r = value;`
    Assign(Name, Value),
    /// An access or a call whose result nobody needs.
    Do(Value),
    /// `fence;`
    Fence,
    /// `yield;`
    Yield,
    /// `assert e;`
    Assert(Expression),
    /// `if e { ... } else { ... }`
    If(Expression, Block, Option<Block>),
    /// `loop N { ... }`
    Loop(Expression, Block),
    /// `while e limit N { ... }`: condition, bound, body.
    While(Expression, Expression, Block),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<Expression>),
}

/// What gives a local its value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Something local.
    Expression(Expression),
    /// An access of shared memory.
    Access(Access),
    /// A function and its arguments.
    Call(Name, Vec<Expression>),
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `load x`: what it holds.
    Load,
    /// `store x = e`
    Store,
    /// `cas x, old, new`: 1 if it held `old` and holds `new` now, else 0.
    Cas,
    /// `swap x, e`: what it held.
    Swap,
    /// `add x, e`: what it held.
    Add,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 5] =
        [Operation::Load, Operation::Store, Operation::Cas, Operation::Swap, Operation::Add];

    /// The word that it begins with.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Load => "load",
            Operation::Store => "store",
            Operation::Cas => "cas",
            Operation::Swap => "swap",
            Operation::Add => "add",
        }
    }
}

/// An access of shared memory.
#[derive(Clone, Debug)]
pub struct Access {
    /// The operation of the access.
    pub operation: Operation,
    /// The location that is accessed.
    pub place: Place,
    /// With what, in the order of the text.
    pub operands: Vec<Expression>,
    /// Where it stands.
    pub span: Span,
}

/// `x` or `node[i]`
#[derive(Clone, Debug)]
pub struct Place {
    /// The name of the location or array.
    pub name: Name,
    /// Which, if it is an array.
    pub index: Option<Expression>,
    /// Where it stands.
    pub span: Span,
}

/// An expression, and where it stands.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The kind of expression.
    pub kind: ExpressionKind,
    /// Its place in the source.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// `7`
    Number(i64),
    /// A local or a constant.
    Name(String),
    /// `-e`
    Negative(Box<Expression>),
    /// `!e`: 1 if it is 0, else 0.
    Not(Box<Expression>),
    /// Two with an operator between them.
    Binary(Binary, Box<Expression>, Box<Expression>),
}

/// An operator between two expressions. Comparisons are 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `||`: the second is looked at only if the first is 0.
    Or,
    /// `&&`: the second is looked at only if the first is not 0.
    And,
    /// `==`
    Equal,
    /// `!=`
    Different,
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// `<`
    Less,
    /// `>`
    More,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Divided,
    /// `%`
    Modulo,
}

impl Binary {
    /// Those that bind alike, the loosest first; of two that begin alike the longer first.
    pub(super) const LEVELS: [&[(&'static str, Binary)]; 5] = [
        &[("||", Binary::Or)],
        &[("&&", Binary::And)],
        &[
            ("==", Binary::Equal),
            ("!=", Binary::Different),
            ("<=", Binary::AtMost),
            (">=", Binary::AtLeast),
            ("<", Binary::Less),
            (">", Binary::More),
        ],
        &[("+", Binary::Plus), ("-", Binary::Minus)],
        &[("*", Binary::Times), ("/", Binary::Divided), ("%", Binary::Modulo)],
    ];
}
