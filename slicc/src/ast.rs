//! The syntax tree of SLICC. It follows the grammar: names are not resolved here.
//!
//! Every node that a diagnostic may have to point at carries a [`Span`].

use crate::source::Span;

/// A name of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word as written; a qualified name has `::` between its parts, without white space.
    pub text: Box<str>,
    /// Its position in the source.
    pub span: Span,
}

/// One entry of an attribute list: `key=value`, or a lone string, which means `short="..."`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The attribute; for a lone string its text is `short` and its span that of the string.
    pub key: Name,
    /// The text of the value, without quotes.
    pub value: Name,
    /// How the value was written.
    pub kind: PairKind,
}

/// How the value of an attribute was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairKind {
    /// A string in quotes.
    Text,
    /// A word.
    Word,
    /// A number.
    Number,
}

/// A declaration.
#[derive(Clone, Debug)]
pub enum Declaration {
    /// `protocol "name" options;`
    Protocol(ProtocolLine),
    /// `machine(MachineType:X, "...") : parameters { body }`
    Machine(Machine),
    /// `action(name, short, desc="...") { ... }`
    Action(Action),
    /// `in_port(name, Type, buffer, rank=1) { ... }`
    InPort(InPort),
    /// `out_port(name, Type, buffer);`
    OutPort(OutPort),
    /// `transition({states}, {events}, next) {requests} {actions}`
    Transition(Transition),
    /// `external_type(Name, primitive="yes");`
    ExternalType(ExternalType),
    /// `structure(Name, ...) { fields and methods }` or `global(...)`.
    Structure(Structure),
    /// `enumeration(Name, ...) { values }`
    Enumeration(Enumeration),
    /// `state_declaration(State, ...) { states with permissions }`
    States(States),
    /// A variable of a machine, of the file, or a parameter of a machine.
    Object(Object),
    /// A function, with its body or without.
    Function(Function),
}

impl Declaration {
    /// The place of the declaration.
    pub fn span(&self) -> Span {
        match self {
            Declaration::Protocol(line) => line.name.span,
            Declaration::Machine(machine) => machine.span,
            Declaration::Action(action) => action.span,
            Declaration::InPort(port) => port.span,
            Declaration::OutPort(port) => port.span,
            Declaration::Transition(transition) => transition.span,
            Declaration::ExternalType(external) => external.span,
            Declaration::Structure(structure) => structure.span,
            Declaration::Enumeration(enumeration) => enumeration.span,
            Declaration::States(states) => states.span,
            Declaration::Object(object) => object.span,
            Declaration::Function(function) => function.span,
        }
    }
}

/// `protocol "name" options;`
#[derive(Clone, Debug)]
pub struct ProtocolLine {
    /// The name of the protocol.
    pub name: Name,
    /// The options as written; whether they exist is decided by [`crate::options`].
    pub options: Vec<Name>,
}

/// `machine(MachineType:X, pairs) : parameters { body }`
#[derive(Clone, Debug)]
pub struct Machine {
    /// The enumeration before the colon: `MachineType`.
    pub family: Name,
    /// The enumerator of that enumeration; also the name of the machine.
    pub name: Name,
    /// Attributes.
    pub pairs: Vec<Pair>,
    /// The parameters, between the colon and the brace.
    pub parameters: Vec<Object>,
    /// The declarations in the braces.
    pub body: Vec<Declaration>,
    /// From the word `machine` to the closing brace.
    pub span: Span,
}

/// An action.
#[derive(Clone, Debug)]
pub struct Action {
    /// The name of the action.
    pub name: Name,
    /// Attributes; the shorthand is `short`.
    pub pairs: Vec<Pair>,
    /// The statements of the action.
    pub body: Block,
    /// From the word `action` to the closing brace.
    pub span: Span,
}

/// A port that a machine reads.
#[derive(Clone, Debug)]
pub struct InPort {
    /// The name of the port.
    pub name: Name,
    /// The type of its messages.
    pub message: Name,
    /// The buffer that it reads.
    pub buffer: Name,
    /// Attributes: `rank`, stall handlers.
    pub pairs: Vec<Pair>,
    /// The code that looks at the head of the buffer and triggers an event.
    pub body: Block,
    /// From the word `in_port` to the closing brace.
    pub span: Span,
}

/// A port that a machine writes.
#[derive(Clone, Debug)]
pub struct OutPort {
    /// The name of the port.
    pub name: Name,
    /// The type of its messages.
    pub message: Name,
    /// The buffer that it writes.
    pub buffer: Name,
    /// Attributes.
    pub pairs: Vec<Pair>,
    /// From the word `out_port` to the semicolon.
    pub span: Span,
}

/// One or more entries of the transition table.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The states from which it starts.
    pub states: Vec<Name>,
    /// The events at which it is taken.
    pub events: Vec<Name>,
    /// The state to which it leads.
    pub next: NextState,
    /// The request types, if the transition has two lists in braces.
    pub requests: Option<Vec<Name>>,
    /// The actions, in order.
    pub actions: Vec<Name>,
    /// From the word `transition` to the closing brace of the actions.
    pub span: Span,
    /// The parentheses, for a diagnostic about the pair rather than its actions.
    pub head: Span,
}

/// The third argument of a transition.
#[derive(Clone, Debug)]
pub enum NextState {
    /// None is given: the state stays the same.
    Same,
    /// A state.
    State(Name),
    /// `*`: the state that the function `getNextState` returns.
    Computed(Span),
}

/// A type that is declared outside of SLICC.
#[derive(Clone, Debug)]
pub struct ExternalType {
    /// The name of the external type.
    pub name: Name,
    /// Attributes.
    pub pairs: Vec<Pair>,
    /// The declaration.
    pub span: Span,
}

/// A structure: a message, an entry, a TBE, or the description of a library type.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The name of the structure.
    pub name: Name,
    /// Attributes: `interface`, `external`, `primitive`, `main`.
    pub pairs: Vec<Pair>,
    /// The fields of the structure.
    pub fields: Vec<Object>,
    /// The methods of the structure.
    pub methods: Vec<Function>,
    /// The declaration.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// The name of the enumeration.
    pub name: Name,
    /// Attributes: `default`.
    pub pairs: Vec<Pair>,
    /// The values, with their attributes.
    pub values: Vec<(Name, Vec<Pair>)>,
    /// The declaration.
    pub span: Span,
}

/// The states of a machine.
#[derive(Clone, Debug)]
pub struct States {
    /// The name of the type, `State`.
    pub name: Name,
    /// Attributes: `default`.
    pub pairs: Vec<Pair>,
    /// The states.
    pub values: Vec<StateValue>,
    /// The declaration.
    pub span: Span,
}

/// One state.
#[derive(Clone, Debug)]
pub struct StateValue {
    /// The name of the state.
    pub name: Name,
    /// The enumeration before the colon: `AccessPermission`.
    pub family: Name,
    /// The permission.
    pub permission: Name,
    /// Attributes: `desc`.
    pub pairs: Vec<Pair>,
}

/// `Type * name, pairs;` or `Type name := value;`
#[derive(Clone, Debug)]
pub struct Object {
    /// The type of the object.
    pub kind: Name,
    /// Whether a `*` stands after the type.
    pub pointer: bool,
    /// The name of the object.
    pub name: Name,
    /// Attributes: `default`, `network`, `template`, ...
    pub pairs: Vec<Pair>,
    /// The value after `:=`.
    pub value: Option<Expression>,
    /// The declaration, with its semicolon.
    pub span: Span,
}

/// A function, or the prototype of one.
#[derive(Clone, Debug)]
pub struct Function {
    /// The type of the result, or `void`.
    pub result: Name,
    /// The name of the function.
    pub name: Name,
    /// The parameters of the function.
    pub parameters: Vec<Parameter>,
    /// Attributes: `return_by_pointer`, `return_by_ref`.
    pub pairs: Vec<Pair>,
    /// The body; absent if the runtime provides the function.
    pub body: Option<Block>,
    /// The declaration.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The type of the parameter.
    pub kind: Name,
    /// How it is passed.
    pub passing: Passing,
    /// The name; optional in a prototype.
    pub name: Option<Name>,
    /// The value after `:=`: a number, a string, `true` or `false`.
    pub default: Option<Expression>,
}

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// Without a mark: as a constant reference.
    Value,
    /// `*`
    Pointer,
    /// `&`
    Reference,
}

/// Statements in braces.
#[derive(Clone, Debug)]
pub struct Block {
    /// The statements, in order.
    pub statements: Vec<Statement>,
    /// The text from the opening to the closing brace.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The kind of statement.
    pub kind: StatementKind,
    /// The text of the statement, including its semicolon.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// An expression evaluated for its effect, or a local declared without a value.
    Expression(Expression),
    /// `target := value;`
    Assign {
        /// The place that is assigned to.
        target: Expression,
        /// The value.
        value: Expression,
    },
    /// `return value;`
    Return(Expression),
    /// `if (...) {...} else ...`; an `else if` is an `otherwise` that holds one `If`.
    If {
        /// The condition.
        condition: Expression,
        /// The statements that run if it holds.
        then: Block,
        /// The statements that run otherwise.
        otherwise: Option<Block>,
    },
    /// `enqueue(port, Type, latency, bypass) {...}`
    Enqueue {
        /// The out_port.
        port: Name,
        /// The type of the message.
        message: Name,
        /// Latency in cycles; 1 where absent.
        latency: Option<Expression>,
        /// Whether the message may overtake others of an ordered buffer.
        bypass: Option<Expression>,
        /// The statements that fill in the message.
        body: Block,
    },
    /// `defer_enqueueing(port, Type) {...}`
    Defer {
        /// The out_port.
        port: Name,
        /// The type of the message.
        message: Name,
        /// The statements that fill in the message.
        body: Block,
    },
    /// `peek(port, Type, block_on="field") {...}`
    Peek {
        /// The in_port.
        port: Name,
        /// The type of the message.
        message: Name,
        /// Attributes: `block_on`, `wake_up`.
        pairs: Vec<Pair>,
        /// The statements that use the message.
        body: Block,
    },
    /// `stall_and_wait(port, address);`
    StallAndWait {
        /// The in_port.
        port: Name,
        /// The name of the address.
        address: Name,
    },
    /// `wakeup_port(port, address);`
    WakeupPort {
        /// The in_port.
        port: Name,
        /// The name of the address.
        address: Name,
    },
    /// `check_on_cache_probe(port, address);`
    CheckOnCacheProbe {
        /// The in_port.
        port: Name,
        /// The name of the address.
        address: Name,
    },
    /// `check_allocate(table);`
    CheckAllocate(Name),
    /// `check_next_cycle();`
    CheckNextCycle,
    /// `check_stop_slots(...)`: gem5's grammar accepts it, but nothing implements it.
    CheckStopSlots,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The kind of expression.
    pub kind: ExpressionKind,
    /// Its position in the source.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// A variable.
    Name(Name),
    /// A decimal number that fits 64 bits.
    Number(u64),
    /// A number with a dot.
    Float(f64),
    /// A string.
    Text(Box<str>),
    /// `true`, `false`
    Bool(bool),
    /// `Enumeration:VALUE`
    Enumerator {
        /// The enumeration.
        family: Name,
        /// The value.
        value: Name,
    },
    /// `OOD`, the null pointer.
    Null,
    /// `new Type`
    New(Name),
    /// `Type name`: declares a local.
    Local {
        /// The type of the local.
        kind: Name,
        /// The name of the local.
        name: Name,
    },
    /// `function(arguments)`
    Call {
        /// The function.
        function: Name,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// `Type::function(arguments)`
    StaticCall {
        /// The type.
        class: Name,
        /// The function.
        function: Name,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// `object.field`
    Field {
        /// The object.
        object: Box<Expression>,
        /// The field.
        field: Name,
    },
    /// `object.method(arguments)`
    Method {
        /// The object.
        object: Box<Expression>,
        /// The method.
        method: Name,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// `object[indices]`, which calls `lookup`.
    Index {
        /// The object.
        object: Box<Expression>,
        /// The arguments of `lookup`.
        indices: Vec<Expression>,
    },
    /// `static_cast(Type, "pointer", value)`
    Cast {
        /// The type.
        to: Name,
        /// `pointer` or `value`; a cast to a reference if absent.
        mode: Option<Name>,
        /// The operand.
        value: Box<Expression>,
    },
    /// `is_valid(pointer)` or `is_invalid(pointer)`
    Valid {
        /// True for `is_valid`.
        valid: bool,
        /// The pointer.
        value: Box<Expression>,
    },
    /// `!x`, `-x`, `++x`, `--x`
    Unary {
        /// The operator.
        operator: Unary,
        /// The operand.
        value: Box<Expression>,
    },
    /// `left operator right`
    Binary {
        /// The operator.
        operator: Binary,
        /// The left operand.
        left: Box<Expression>,
        /// The right operand.
        right: Box<Expression>,
    },
}

/// An operator in front of its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `!`
    Not,
    /// `-`
    Minus,
    /// `++`
    Increment,
    /// `--`
    Decrement,
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Binary {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// The value of an attribute.
pub fn attribute<'a>(pairs: &'a [Pair], key: &str) -> Option<&'a str> {
    let pair = pairs.iter().find(|pair| &*pair.key.text == key)?;
    Some(&pair.value.text)
}
