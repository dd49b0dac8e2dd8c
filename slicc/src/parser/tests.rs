//! Tests of the parser.

use super::*;
use crate::ast::*;
use crate::source::Sources;

fn good(text: &str) -> Vec<Declaration> {
    let file = parse(0, text);
    assert_eq!(file.diagnostics, [], "{text}");
    file.declarations
}

/// The diagnostics about a text: line and column, message, notes, hint.
fn said(text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    sources.add("f", text.to_owned());
    let shown = |span| {
        let (_, line, column) = sources.position(span);
        format!("{line}:{column}")
    };
    let diagnostics = parse(0, text).diagnostics;
    let line = |one: &Diagnostic| {
        let mut said = format!("{} {}", shown(one.span.unwrap()), one.message);
        for (span, note) in &one.notes {
            said += &format!("; {} {note}", shown(*span));
        }
        if let Some(hint) = &one.hint {
            said += &format!(" ({hint})");
        }
        said
    };
    diagnostics.iter().map(line).collect()
}

fn text(name: &Name) -> &str {
    &name.text
}

fn texts(names: &[Name]) -> Vec<&str> {
    names.iter().map(text).collect()
}

/// Prints an expression with all parentheses.
fn shown(expression: &Expression) -> String {
    let list = |list: &[Expression]| list.iter().map(shown).collect::<Vec<_>>().join(", ");
    match &expression.kind {
        ExpressionKind::Name(name) => name.text.to_string(),
        ExpressionKind::Number(number) => number.to_string(),
        ExpressionKind::Float(number) => format!("{number:?}"),
        ExpressionKind::Text(text) => format!("{text:?}"),
        ExpressionKind::Bool(value) => value.to_string(),
        ExpressionKind::Enumerator { family, value } => format!("{}:{}", family.text, value.text),
        ExpressionKind::Null => "null".into(),
        ExpressionKind::New(kind) => format!("new {}", kind.text),
        ExpressionKind::Local { kind, name } => format!("local {} {}", kind.text, name.text),
        ExpressionKind::Call { function, arguments } => {
            format!("{}({})", function.text, list(arguments))
        }
        ExpressionKind::StaticCall { class, function, arguments } => {
            format!("<{}>{}({})", class.text, function.text, list(arguments))
        }
        ExpressionKind::Field { object, field } => format!("{}.{}", shown(object), field.text),
        ExpressionKind::Method { object, method, arguments } => {
            format!("{}.{}({})", shown(object), method.text, list(arguments))
        }
        ExpressionKind::Index { object, indices } => {
            format!("{}[{}]", shown(object), list(indices))
        }
        ExpressionKind::Cast { to, mode, value } => {
            format!("cast<{} {:?}>({})", to.text, mode.as_ref().map(text), shown(value))
        }
        ExpressionKind::Valid { valid, value } => format!("valid={valid}({})", shown(value)),
        ExpressionKind::Unary { operator, value } => format!("({operator:?} {})", shown(value)),
        ExpressionKind::Binary { operator, left, right } => {
            format!("({} {operator:?} {})", shown(left), shown(right))
        }
    }
}

/// Parses the statements of an action.
fn body(statements: &str) -> Vec<Statement> {
    let text = format!("action(a, \"s\") {{ {statements} }}");
    match good(&text).pop() {
        Some(Declaration::Action(action)) => action.body.statements,
        other => panic!("{other:?}"),
    }
}

fn expression(expression: &str) -> String {
    match &body(&format!("{expression};"))[..] {
        [Statement { kind: StatementKind::Expression(expression), .. }] => shown(expression),
        other => panic!("{other:?}"),
    }
}

#[test]
fn operators_bind_as_the_language_says() {
    for (input, tree) in [
        ("a + b * c - d", "((a Add (b Multiply c)) Subtract d)"),
        ("a - b - c", "((a Subtract b) Subtract c)"),
        (
            "a || b && c == d < e << f + g % h",
            "(a Or (b And (c Equal (d Less (e ShiftLeft (f Add (g Remainder h)))))))",
        ),
        (
            "a % b + c >> d >= e != f && g || h",
            "(((((((a Remainder b) Add c) ShiftRight d) GreaterEqual e) NotEqual f) And g) Or h)",
        ),
        ("!a.b == c", "((Not a.b) Equal c)"),
        ("-a + --b", "((Minus a) Add (Decrement b))"),
        ("++x", "(Increment x)"),
        ("(a + b) / c", "((a Add b) Divide c)"),
        ("!(a == b) && !!c", "((Not (a Equal b)) And (Not (Not c)))"),
    ] {
        assert_eq!(expression(input), tree, "{input}");
    }
}

#[test]
fn primary_expressions() {
    for (input, tree) in [
        ("A:B", "A:B"),
        ("A::B x", "local A::B x"),
        ("std::string s", "local std::string s"),
        ("Entry e", "local Entry e"),
        ("A::f(x, 1)", "<A>f(x, 1)"),
        ("A::B::f()", "<A::B>f()"),
        ("f()", "f()"),
        ("f(a, \"x\\\", 1.5, true)", "f(a, \"x\\\\\", 1.5, true)"),
        ("TBEs[address].Data.f(x)[1, 2]", "TBEs[address].Data.f(x)[1, 2]"),
        ("OOD", "null"),
        ("new Entry", "new Entry"),
        ("(a).b", "a.b"),
        ("static_cast(Entry, \"pointer\", c[a])", "cast<Entry Some(\"pointer\")>(c[a])"),
        ("static_cast(Entry, c[a])", "cast<Entry None>(c[a])"),
        ("is_valid(e) && is_invalid(f.g)", "(valid=true(e) And valid=false(f.g))"),
        ("const", "const"),
        ("trigger(Event:Load, a, e, t)", "trigger(Event:Load, a, e, t)"),
    ] {
        assert_eq!(expression(input), tree, "{input}");
    }
}

#[test]
fn spans_cover_what_was_written() {
    let text = "action(a, \"s\") { x := (a + f(b)).c; }";
    let Some(Declaration::Action(action)) = good(text).pop() else {
        panic!();
    };
    let at = |span: Span| &text[span.start as usize..span.end as usize];
    assert_eq!(at(action.span), text);
    assert_eq!(at(action.body.span), "{ x := (a + f(b)).c; }");
    let statement = &action.body.statements[0];
    assert_eq!(at(statement.span), "x := (a + f(b)).c;");
    let StatementKind::Assign { target, value } = &statement.kind else {
        panic!();
    };
    assert_eq!((at(target.span), at(value.span)), ("x", "(a + f(b)).c"));
}

#[test]
fn statements() {
    let statements = body(
        "int x := 1; x := y.z; return f(x); if (a) { } else if (b) { x := 1; } else { }
         enqueue(o, M) { } enqueue(o, M, 1) { } enqueue(o, M, l + 1, true) { }
         defer_enqueueing(o, M) { out_msg.a := 1; } peek(p, A::M, block_on=\"addr\", wake_up='b') { }
         stall_and_wait(p, address); wakeup_port(p, address); check_on_cache_probe(p, a);
         check_allocate(TBEs); check_next_cycle(); check_stop_slots(a, \"b\", \"c\"); f(x);",
    );
    assert_eq!(statements.len(), 16);
    let StatementKind::If { otherwise: Some(otherwise), .. } = &statements[3].kind else {
        panic!();
    };
    assert!(matches!(
        &otherwise.statements[..],
        [Statement { kind: StatementKind::If { otherwise: Some(_), .. }, .. }]
    ));
    let StatementKind::Enqueue { latency, bypass, .. } = &statements[6].kind else {
        panic!();
    };
    assert_eq!(latency.as_ref().map(shown).unwrap(), "(l Add 1)");
    assert_eq!(bypass.as_ref().map(shown).unwrap(), "true");
    let StatementKind::Peek { message, pairs, .. } = &statements[8].kind else {
        panic!();
    };
    assert_eq!(text(message), "A::M");
    let keys: Vec<_> = pairs.iter().map(|pair| (text(&pair.key), text(&pair.value))).collect();
    assert_eq!(keys, [("block_on", "addr"), ("wake_up", "b")]);
}

fn transition(text: &str) -> Transition {
    match good(text).pop() {
        Some(Declaration::Transition(transition)) => transition,
        other => panic!("{other:?}"),
    }
}

#[test]
fn transitions() {
    let full = transition("transition({A, B; C D}, E, F) {r} {x; y, z}");
    assert_eq!(texts(&full.states), ["A", "B", "C", "D"]);
    assert_eq!(texts(&full.events), ["E"]);
    assert!(matches!(&full.next, NextState::State(name) if text(name) == "F"));
    assert_eq!(full.requests.as_deref().map(texts).unwrap(), ["r"]);
    assert_eq!(texts(&full.actions), ["x", "y", "z"]);

    let bare = transition("transition(A, {E}) x");
    assert!(matches!(bare.next, NextState::Same));
    assert!(bare.requests.is_none());
    assert_eq!(texts(&bare.actions), ["x"]);

    let computed = transition("transition(A, E, *) r {}");
    assert!(matches!(computed.next, NextState::Computed(_)));
    assert_eq!(computed.requests.as_deref().map(texts).unwrap(), ["r"]);
    assert!(computed.actions.is_empty());
}

#[test]
fn a_word_behind_a_transition_is_taken_for_its_actions() {
    let taken = transition("transition(A, E) {x} y");
    assert_eq!(taken.requests.as_deref().map(texts).unwrap(), ["x"]);
    assert_eq!(texts(&taken.actions), ["y"]);
    let said = said("transition(A, E) {x}\nint y, default=0;");
    assert_eq!(said.len(), 1);
    assert!(said[0].starts_with("2:6 expected a name, found `,` (a word after"), "{said:?}");
}

#[test]
fn declarations() {
    let text = "
        protocol \"P\";
        external_type(A::B, primitive=\"yes\", n=3, w=word);
        structure(S, desc=\"d\", interface='Message') { int a, default=1; void f(Addr, A::B); T * t; }
        global(G) { }
        enumeration(E, default=\"E_a\") { a, desc=\"...\"; b; }
        state_declaration(State, desc=\"s\") { I, AccessPermission:Invalid, desc=\"i\"; M, AccessPermission:Busy; }
        Tick f(Addr a, Entry * e, T & t, int n := 3, bool b := true), return_by_ref=\"yes\" { return a; }
        void g();
        int x := 1 + 2;
        Set s;
        machine(MachineType:L1Cache, \"short\") : Cycles l := 2; MessageBuffer * b, network=\"To\"; {
            in_port(p, M, b, rank=1) { }
            out_port(o, M, b);
        }
        machine(MachineType:DMA):{}";
    let all = good(text);
    assert_eq!(all.len(), 12);
    let Declaration::ExternalType(external) = &all[1] else {
        panic!();
    };
    let pairs: Vec<_> = external
        .pairs
        .iter()
        .map(|pair| (super::tests::text(&pair.key), super::tests::text(&pair.value), pair.kind))
        .collect();
    assert_eq!(
        pairs,
        [
            ("primitive", "yes", PairKind::Text),
            ("n", "3", PairKind::Number),
            ("w", "word", PairKind::Word)
        ]
    );
    let Declaration::Structure(structure) = &all[2] else {
        panic!();
    };
    assert_eq!((structure.fields.len(), structure.methods.len()), (2, 1));
    assert!(structure.fields[1].pointer);
    assert_eq!(structure.methods[0].parameters.len(), 2);
    let Declaration::Function(function) = &all[6] else {
        panic!();
    };
    let passing: Vec<_> = function.parameters.iter().map(|one| one.passing).collect();
    use Passing::*;
    assert_eq!(passing, [Value, Pointer, Reference, Value, Value]);
    assert_eq!(function.parameters[3].default.as_ref().map(shown).unwrap(), "3");
    let Declaration::Machine(machine) = &all[10] else {
        panic!();
    };
    assert_eq!(machine.parameters.len(), 2);
    assert_eq!(machine.body.len(), 2);
    assert_eq!(
        (super::tests::text(&machine.family), super::tests::text(&machine.name)),
        ("MachineType", "L1Cache")
    );
    assert_eq!(super::tests::text(&machine.pairs[0].key), "short");
}

#[test]
fn includes_are_kept_apart() {
    let file = parse(0, "include \"a.sm\"; machine(M:A) : { include 'b'; }");
    assert_eq!(file.diagnostics, []);
    let paths: Vec<_> = file.includes.iter().map(|one| text(&one.path)).collect();
    assert_eq!(paths, ["a.sm", "b"]);
    assert_eq!(file.declarations.len(), 1);
}

#[test]
fn what_is_wrong() {
    for (input, expected) in [
        ("action(a) {\n  x := 1\n  y := 2;\n}", "2:9 expected `;`, found `y`"),
        ("action(a) {\n  x := 1\n}", "2:9 expected `;`, found `}`"),
        ("external_type(A)\n", "1:17 expected `;`, found the end of the file"),
        ("action(a) {\n  x = 1;\n}", "2:5 expected `;`, found `=` (assignment is written `:=`)"),
        (
            "action(a) { if (a) { x := 1; }\naction(b) { }",
            "2:1 expected a statement or `}`, found `action`; 1:11 this is not closed",
        ),
        (
            "machine(M:A) : {\n action(a) { }",
            "2:15 the machine A is not closed; 1:16 its brace is opened here",
        ),
        ("action(a) { f(x; }", "1:16 expected `,` or `)`, found `;`"),
        ("action(a) { f(x, , y); }", "1:18 expected an expression or `)`, found `,`"),
        ("transition(A) {x}", "1:13 expected `,`, found `)`"),
        ("transition(A, B, C {x}", "1:20 expected `)`, found `{`"),
        ("transition(A, B)\naction(c) {}", "2:1 expected `{`, found `action`"),
        (
            "void f(const Addr a) { }",
            "1:19 expected `,` or `)`, found `a` (`const` is an ordinary name in SLICC: leave it out)",
        ),
        (
            "void f(Addr a, int) { }",
            "1:16 a parameter of `f` has no name (parameters may be without names only in a prototype, and then all of them)",
        ),
        ("action(action) { }", "1:8 expected the name of the action, found `action`"),
        (
            "action(a) { stall_and_wait(p, m.a); }",
            "1:32 expected `)`, found `.` (only a name may stand here: put the value into a local variable first)",
        ),
        ("}", "1:1 this `}` closes nothing (remove it, or look for a superfluous `}` before it)"),
        ("5", "1:1 expected a declaration, found `5`"),
        (
            "action(a) { ; }",
            "1:13 expected a statement or `}`, found `;` (there is no empty statement: leave the `;` out)",
        ),
        (
            "enumeration(E) { a, desc:=\"b\"; }",
            "1:25 expected `=`, found `:=` (attributes are written `key=value`)",
        ),
        ("action(a) { for (x) { } }", "1:21 expected `;`, found `{`"),
        ("state_declaration(State) { I; }", "1:29 expected `,`, found `;`"),
        ("machine(M:A) x { }", "1:14 expected `:`, found `x`"),
        (
            "machine(M:A) : {\n transiton(S, E) {a} }",
            "2:2 no declaration begins with `transiton` (did you mean `transition`?)",
        ),
        ("machin(M:A) : { }", "1:1 no declaration begins with `machin` (did you mean `machine`?)"),
        ("inclde \"a.sm\";", "1:1 no declaration begins with `inclde` (did you mean `include`?)"),
        ("Addr (S, E) {a}", "1:6 expected a name, found `(`"),
    ] {
        assert_eq!(said(input), [expected], "{input}");
    }
}

#[test]
fn several_errors_are_said() {
    let text = "machine(M:A) : {
        action(a) { x 1; }
        action(b) { good(); }
        transition(A) { a }
        action(c) { y := ; }
        }
        action(d) { z z z; }";
    let lines: Vec<_> =
        said(text).iter().map(|one| one.split(':').next().unwrap().to_owned()).collect();
    assert_eq!(lines, ["2", "4", "5", "7"]);
    let many = "action(a) { 1 2; }\n".repeat(1000);
    assert_eq!(parse(0, &many).diagnostics.len(), crate::lexer::MOST_ERRORS);
}

#[test]
fn what_is_too_deep_is_refused() {
    let deep = 100_000;
    let within = |inside: String| format!("action(a) {{ {inside} }}");
    let repeated = |text: &str| text.repeat(deep);
    let statements = [
        format!("x := {}1{};", repeated("("), repeated(")")),
        format!("x := {}1;", repeated("!")),
        format!("x := {}1{};", repeated("f("), repeated(")")),
        format!("x := {}1{};", repeated("a["), repeated("]")),
        format!("x := 1{};", repeated(" + 1")),
        format!("x := a{};", repeated(".b")),
        format!("{}{}", repeated("if (a) {"), repeated("}")),
        format!("if (a) {{ }} {}", repeated("else if (b) { }")),
        format!("{}{}", repeated("peek(p, M) {"), repeated("}")),
        format!("if ({}1) {{ }}", repeated("(")),
    ];
    for statement in statements {
        let said = said(&within(statement));
        assert_eq!(said.len(), 1, "{said:?}");
        let refused =
            said[0].contains("nested more than 200") || said[0].contains("more than 500 operators");
        assert!(refused, "{said:?}");
    }
}

#[test]
fn what_is_not_quite_too_deep_is_read() {
    let nested = format!("{}{}", "if (a) {".repeat(190), "}".repeat(190));
    assert_eq!(body(&nested).len(), 1);
    let inner = format!("x := {}1{};", "(!".repeat(95), ")".repeat(95));
    assert_eq!(body(&inner).len(), 1);
    let chain = format!("x := 1{};", " + 1".repeat(500));
    assert_eq!(body(&chain).len(), 1);
}

/// Any prefix or suffix of a text, and any text with a word removed, is parsed or refused without a
/// panic.
#[test]
fn no_text_is_too_broken() {
    let text = "protocol 'a'; machine(M:A, 's') : T * p, a='b'; { transition({A B}, C, *) {x} {y}
        in_port(p, M, b) { if (a == (b)) { peek(p, M) { trigger(E:F, x[1].z); } } else { y := OOD; } } }";
    for end in 0..=text.len() {
        parse(0, &text[..end]);
        parse(0, &text[end..]);
    }
    let words: Vec<&str> = text.split(' ').collect();
    for gap in 0..words.len() {
        parse(0, &[&words[..gap], &words[gap + 1..]].concat().join(" "));
    }
}
