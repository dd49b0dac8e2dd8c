//! The syntax tree of a program.

use slicc::source::Span;

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// The text of the name.
    pub text: String,
    /// Its place in the source.
    pub span: Span,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// The declarations of shared locations.
    pub shared: Vec<Shared>,
    /// The declarations of constants.
    pub constants: Vec<Constant>,
    pub functions: Vec<Function>,
    /// The threads, in order.
    pub threads: Vec<Thread>,
    /// The blocks that run before the threads; a valid program has at most one.
    pub init: Vec<Block>,
    /// The blocks that run after the threads; a valid program has at most one.
    pub finally: Vec<Block>,
}

/// `x`, `x = 1`, `node[8]` or `node[8] = 1` of a `shared` declaration.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// The name of the shared location.
    pub name: Name,
    /// The number of locations, if it is an array.
    pub length: Option<Expression>,
    /// The initial value, of each location of an array; 0 if absent.
    pub initial: Option<Expression>,
}

/// `const N = 3;`
#[derive(Clone, Debug)]
pub(super) struct Constant {
    /// The name of the constant.
    pub name: Name,
    /// The value of the constant.
    pub value: Expression,
}

/// `fn name(a, b) { ... }`
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// The name of the function.
    pub name: Name,
    /// The parameters, which are locals.
    pub parameters: Vec<Name>,
    /// The statements of the function.
    pub body: Block,
}

/// `thread NAME { ... }`
#[derive(Clone, Debug)]
pub(super) struct Thread {
    /// The name of the thread.
    pub name: Name,
    /// The statements of the thread.
    pub body: Block,
}

/// Statements in braces.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The statements, in order.
    pub statements: Vec<Statement>,
    /// The place, with the braces.
    pub span: Span,
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub kind: StatementKind,
    /// Its place in the source.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub(super) enum StatementKind {
    /// `let r = value;`
    Let(Name, Value),
    /// `r = value;`
    Assign(Name, Value),
    /// An access or a call whose result is not used.
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

/// The right-hand side of an assignment, or a statement that only has effects.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// An expression over locals.
    Expression(Expression),
    /// An access of shared memory.
    Access(Access),
    /// A function and its arguments.
    Call(Name, Vec<Expression>),
}

/// The operations of accesses to shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `load x`: the value of `x`.
    Load,
    /// `store x = e`
    Store,
    /// `cas x, old, new`: 1 if `x` held `old` and now holds `new`, else 0.
    Cas,
    /// `swap x, e`: the old value of `x`.
    Swap,
    /// `add x, e`: the old value of `x`.
    Add,
}

impl Operation {
    pub const ALL: [Operation; 5] =
        [Operation::Load, Operation::Store, Operation::Cas, Operation::Swap, Operation::Add];

    /// The keyword of the operation.
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
pub(super) struct Access {
    /// The operation of the access.
    pub operation: Operation,
    /// The location that is accessed.
    pub place: Place,
    /// The operands, in the order of the text.
    pub operands: Vec<Expression>,
    /// The place of the access.
    pub span: Span,
}

/// `x` or `node[i]`
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The name of the location or array.
    pub name: Name,
    /// The index, if it is an array.
    pub index: Option<Expression>,
    /// The place in the source.
    pub span: Span,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub kind: ExpressionKind,
    /// Its place in the source.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub(super) enum ExpressionKind {
    /// `7`
    Number(i64),
    /// A local or a constant.
    Name(String),
    /// `-e`
    Negative(Box<Expression>),
    /// `!e`: 1 if it is 0, else 0.
    Not(Box<Expression>),
    /// Two expressions with an operator between them.
    Binary(Binary, Box<Expression>, Box<Expression>),
}

/// An operator between two expressions. Comparisons are 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `||`: the second operand is evaluated only if the first is 0.
    Or,
    /// `&&`: the second operand is evaluated only if the first is not 0.
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
    /// The operators by precedence, the weakest first. A symbol precedes its own prefixes.
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
