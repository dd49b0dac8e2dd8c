//! Errors in programs, and the effects of statements.

use check::Model;
use explore::program::benchmarks::find;
use explore::program::compile::Program;
use slicc::source::Sources;

use super::exhaustive;

#[test]
fn errors_say_where_and_what() {
    let cases = [
        ("", "1:1", "the program has no thread"),
        ("thread P {", "1:11", "expected `}`, found the end of the program"),
        ("shared x thread P { }", "1:9", "expected `;`, found the reserved word `thread`"),
        ("shared x;\nthread P { store x = ; }", "2:22", "expected an expression, found `;`"),
        (
            "shared x;\nthread P { let r = 1 + load x; }",
            "2:24",
            "expected an expression, found the reserved word `load`",
        ),
        (
            "shared x;\nthread P { let r = x; }",
            "2:20",
            "the shared variable `x` is read without `load`",
        ),
        (
            "shared x;\nthread P { x = 1; }",
            "2:12",
            "the shared variable `x` is written without `store`",
        ),
        ("thread P { r = 1; }", "1:12", "`r` is not declared"),
        ("thread P { let r = s + 1; }", "1:20", "`s` is not declared"),
        ("thread P { loop { } }", "1:17", "expected the bound of the loop, found `{`"),
        ("thread P { while 1 { } }", "1:20", "expected `limit` and a bound, found `{`"),
        ("thread P { loop 0 { } }", "1:17", "the bound of the loop is 0"),
        ("thread P { break; }", "1:12", "this is not inside a loop"),
        ("fn f() { f(); } thread P { }", "1:10", "`f` calls itself"),
        ("fn f(a) { } thread P { f(); }", "1:24", "`f` takes 1 arguments, not 0"),
        ("fn f() { } thread P { let r = f(); }", "1:31", "`f` has no result"),
        ("thread P { let r = f(); }", "1:20", "there is no function `f`"),
        ("shared x[2]; thread P { let r = load x; }", "1:38", "`x` is an array"),
        ("shared x; thread P { let r = load x[0]; }", "1:35", "`x` is not an array"),
        ("thread P { let r = load x; }", "1:25", "`x` is not a shared variable"),
        ("shared x[0]; thread P { }", "1:10", "an array of 0 locations"),
        ("const N = 1 / 0; thread P { }", "1:11", "division by zero"),
        ("thread P { let r = 1; let r = 2; }", "1:27", "`r` is declared twice"),
        ("shared x, x; thread P { }", "1:11", "`x` is declared twice"),
        ("thread P { } thread P { }", "1:21", "two threads are called `P`"),
        ("thread P { return 1; }", "1:12", "only functions have a result"),
        ("thread P { let r = 99999999999999999999; }", "1:20", "this number is too large"),
        ("thread P { /* }", "1:12", "expected `*/` at the end of the comment, found `/`"),
        (
            "thread P { let fence = 1; }",
            "1:16",
            "expected the name of a local, found the reserved word `fence`",
        ),
        (
            "what",
            "1:1",
            "expected `shared`, `const`, `fn`, `thread`, `init` or `finally`, found `what`",
        ),
    ];
    for (text, place, message) in cases {
        let errors = Program::read(text).expect_err(text);
        let mut sources = Sources::default();
        sources.add("p", text.to_owned());
        let (_, line, column) = sources.position(errors[0].span.expect("errors have a place"));
        assert_eq!(
            (format!("{line}:{column}").as_str(), errors[0].message.as_str()),
            (place, message),
            "{text}"
        );
    }
}

#[test]
fn too_much_is_an_error_and_not_a_crash() {
    let deep = format!("thread P {{ let r = {}1{}; }}", "(".repeat(500), ")".repeat(500));
    let long = format!("thread P {{ let r = 1{}; }}", " + 1".repeat(500));
    let blocks = format!("thread P {{ {} {} }}", "if 1 {".repeat(500), "}".repeat(500));
    let calls: String =
        (1..60).map(|at| format!("fn f{at}() {{ f{}(); f{}(); }} ", at - 1, at - 1)).collect();
    let calls = format!("fn f0() {{ }} {calls} thread P {{ f59(); }}");
    for text in [deep, long, blocks, calls] {
        assert!(Program::read(&text).is_err());
    }
    // Prefixes of a program, and programs with a stray symbol, at every place.
    let text = find("harris").expect("it is there").text;
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
        let _ = Program::read(&text[..end]);
        let _ = Program::read(&format!("{}@{}", &text[..end], &text[end..]));
    }
}

#[test]
fn functions_loops_and_atomic_operations_compute() {
    let text = "const N = 4; shared a[N] = 2, total;
        fn sum(from, to) {
            let s = 0;
            while from < to limit N { let v = load a[from]; s = s + v; from = from + 1; }
            return s;
        }
        init { store a[0] = 7; }
        thread P {
            let s = sum(0, N);
            let old = add total, s * 2;
            let swapped = swap total, old - 5;
            let failed = cas total, 1, 9;
            let done = cas total, -5, -s % 4;
            let odd = 0;
            let at = 0;
            loop 10 { at = at + 1; if at > 6 { break; } if at % 2 == 0 { continue; } odd = odd + at; }
            let logic = !0 + (1 && 2) + (0 || 0) + (1 == 1 && 1 <= 2);
        }";
    let report = exhaustive(text, Model::TSO);
    assert_eq!(report.outcomes.len(), 1);
    let outcome = report.outcomes.first().expect("there is one");
    let value = |name: &str| {
        let at = report.names.iter().position(|it| it == name);
        outcome[at.unwrap_or_else(|| panic!("{name}"))]
    };
    let wanted = [
        ("P.s", 13),
        ("P.old", 0),
        ("P.swapped", 26),
        ("P.failed", 0),
        ("P.done", 1),
        ("P.odd", 9),
        ("P.at", 7),
        ("P.logic", 3),
        ("total", -1),
    ];
    for (name, wanted) in wanted {
        assert_eq!(value(name), wanted, "{name}");
    }
}
