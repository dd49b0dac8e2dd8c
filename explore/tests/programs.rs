//! Programs: what is wrong with them, what they can do under each model, and what the monitors say.

use std::collections::BTreeSet;

use check::Model;
use check::bounds::Bounds;
use check::model::PsoRmw;
use explore::program::benchmarks::{BENCHMARKS, find};
use explore::program::bounded::{Options, Report, Stopped, search};
use explore::program::code::FaultKind;
use explore::program::compile::Program;
use explore::program::exhaustive::{self, explore};
use explore::program::fences::suggest;
use explore::search::{Limits, Stopped as Ended};
use simulate::source::Sources;

const PSO: Model = Model::Pso(PsoRmw::Own);
const ALL: u32 = u32::MAX;

fn program(text: &str) -> Program {
    Program::read(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

fn exhaustive(text: &str, model: Model) -> exhaustive::Report {
    explore(&program(text), model, &Limits::default(), &mut |_| {})
}

/// Two threads that do this, with two locations.
fn two(first: &str, second: &str) -> String {
    format!("shared x, y; thread P {{ {first} }} thread Q {{ {second} }}")
}

fn store_buffering(between: &str) -> String {
    two(
        &format!("store x = 1;\n{between} let r = load y;"),
        &format!("store y = 1;\n{between} let r = load x;"),
    )
}

fn message_passing() -> String {
    two(
        "store x = 1;\nstore y = 1;",
        "let flag = load y;\nlet data = load x;",
    )
}

#[test]
fn errors_say_where_and_what() {
    let cases = [
        ("", "1:1", "the program has no thread"),
        (
            "thread P {",
            "1:11",
            "expected `}`, found the end of the program",
        ),
        (
            "shared x thread P { }",
            "1:9",
            "expected `;`, found the reserved word `thread`",
        ),
        (
            "shared x;\nthread P { store x = ; }",
            "2:22",
            "expected an expression, found `;`",
        ),
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
        ("thread P { r = 1; }", "1:12", "nothing is called `r` here"),
        (
            "thread P { let r = s + 1; }",
            "1:20",
            "nothing is called `s` here",
        ),
        (
            "thread P { loop { } }",
            "1:17",
            "expected the bound of the loop, found `{`",
        ),
        (
            "thread P { while 1 { } }",
            "1:20",
            "expected `limit` and a bound, found `{`",
        ),
        ("thread P { loop 0 { } }", "1:17", "a bound of 0"),
        (
            "thread P { break; }",
            "1:12",
            "there is no loop around this",
        ),
        ("fn f() { f(); } thread P { }", "1:10", "`f` calls itself"),
        (
            "fn f(a) { } thread P { f(); }",
            "1:24",
            "`f` takes 1 arguments, not 0",
        ),
        (
            "fn f() { } thread P { let r = f(); }",
            "1:31",
            "`f` has no result",
        ),
        (
            "thread P { let r = f(); }",
            "1:20",
            "there is no function `f`",
        ),
        (
            "shared x[2]; thread P { let r = load x; }",
            "1:38",
            "`x` is an array",
        ),
        (
            "shared x; thread P { let r = load x[0]; }",
            "1:35",
            "`x` is no array",
        ),
        (
            "thread P { let r = load x; }",
            "1:25",
            "`x` is no shared variable",
        ),
        (
            "shared x[0]; thread P { }",
            "1:10",
            "an array of 0 locations",
        ),
        ("const N = 1 / 0; thread P { }", "1:11", "division by zero"),
        (
            "thread P { let r = 1; let r = 2; }",
            "1:27",
            "`r` is declared twice",
        ),
        ("shared x, x; thread P { }", "1:11", "`x` is declared twice"),
        (
            "thread P { } thread P { }",
            "1:21",
            "two threads are called `P`",
        ),
        (
            "thread P { return 1; }",
            "1:12",
            "only functions have a result",
        ),
        (
            "thread P { let r = 99999999999999999999; }",
            "1:20",
            "this number is too large",
        ),
        (
            "thread P { /* }",
            "1:12",
            "expected `*/` at the end of the comment, found `/`",
        ),
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
            (
                format!("{line}:{column}").as_str(),
                errors[0].message.as_str()
            ),
            (place, message),
            "{text}"
        );
    }
}

#[test]
fn too_much_is_an_error_and_not_a_crash() {
    let deep = format!(
        "thread P {{ let r = {}1{}; }}",
        "(".repeat(500),
        ")".repeat(500)
    );
    let long = format!("thread P {{ let r = 1{}; }}", " + 1".repeat(500));
    let blocks = format!(
        "thread P {{ {} {} }}",
        "if 1 {".repeat(500),
        "}".repeat(500)
    );
    let calls: String = (1..60)
        .map(|at| format!("fn f{at}() {{ f{}(); f{}(); }} ", at - 1, at - 1))
        .collect();
    let calls = format!("fn f0() {{ }} {calls} thread P {{ f59(); }}");
    for text in [deep, long, blocks, calls] {
        assert!(Program::read(&text).is_err());
    }
    // What begins like a program and is none, at every place.
    let text = find("harris").expect("it is there").text;
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
        let _ = Program::read(&text[..end]);
        let _ = Program::read(&format!("{}@{}", &text[..end], &text[end..]));
    }
}

/// What the threads' locals can be at the end.
fn locals(text: &str, model: Model) -> BTreeSet<Vec<i64>> {
    let report = exhaustive(text, model);
    let count = report
        .names
        .iter()
        .filter(|name| name.contains('.'))
        .count();
    report
        .outcomes
        .iter()
        .map(|outcome| outcome[..count].to_vec())
        .collect()
}

fn outcomes<const N: usize>(of: &[[i64; N]]) -> BTreeSet<Vec<i64>> {
    of.iter().map(|one| one.to_vec()).collect()
}

#[test]
fn litmus_tests_have_exactly_their_outcomes() {
    let sc = outcomes(&[[0, 1], [1, 0], [1, 1]]);
    let relaxed = outcomes(&[[0, 0], [0, 1], [1, 0], [1, 1]]);
    let buffering = store_buffering("");
    assert_eq!(locals(&buffering, Model::Sc), sc);
    assert_eq!(locals(&buffering, Model::Tso), relaxed);
    assert_eq!(locals(&buffering, PSO), relaxed);
    for model in [Model::Tso, PSO] {
        assert_eq!(locals(&store_buffering("fence;"), model), sc);
    }
    // An atomic operation elsewhere drains the buffer under TSO, and under PSO only if it is to drain all.
    let elsewhere = store_buffering("add z, 1;").replace("x, y;", "x, y, z;");
    assert_eq!(locals(&elsewhere, Model::Tso), sc);
    assert_eq!(locals(&elsewhere, PSO), relaxed);
    assert_eq!(locals(&elsewhere, Model::Pso(PsoRmw::All)), sc);

    let sc = outcomes(&[[0, 0], [0, 1], [1, 1]]);
    let message = message_passing();
    assert_eq!(locals(&message, Model::Sc), sc);
    assert_eq!(locals(&message, Model::Tso), sc);
    assert_eq!(
        locals(&message, PSO),
        outcomes(&[[0, 0], [0, 1], [1, 0], [1, 1]])
    );

    let own = two(
        "store x = 1; let r = load x;",
        "store x = 2; let r = load x;",
    );
    for model in [Model::Sc, Model::Tso, PSO] {
        let all = outcomes(&[[1, 2], [1, 1], [2, 2]]);
        assert_eq!(
            locals(&own, model),
            all,
            "a thread sees its own store, or a later one"
        );
    }
    // Loads are not early.
    let load_buffering = two(
        "let r = load x; store y = 1;",
        "let r = load y; store x = 1;",
    );
    assert!(!locals(&load_buffering, PSO).contains(&vec![1, 1]));
}

#[test]
fn functions_loops_and_atomic_operations_compute() {
    let text = "const N = 4; shared a[N] = 2, total, flag;
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
            let both = dcas total, flag, -1, 0, 3, 1;
            let neither = dcas total, flag, 3, 0, 4, 2;
            let odd = 0;
            let at = 0;
            loop 10 { at = at + 1; if at > 6 { break; } if at % 2 == 0 { continue; } odd = odd + at; }
            let logic = !0 + (1 && 2) + (0 || 0) + (1 == 1 && 1 <= 2);
        }";
    let report = exhaustive(text, Model::Tso);
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
        ("P.both", 1),
        ("P.neither", 0),
        ("P.odd", 9),
        ("P.at", 7),
        ("P.logic", 3),
        ("total", 3),
        ("flag", 1),
    ];
    for (name, wanted) in wanted {
        assert_eq!(value(name), wanted, "{name}");
    }
}

fn faults(text: &str) -> Report {
    search(&program(text), &Options::new(ALL, &[Model::Tso, PSO]))
}

#[test]
fn faults_have_a_place_and_a_run() {
    let cases = [
        (
            "shared x[2]; thread P { let r = load x[5]; }",
            FaultKind::Index(5, 2),
        ),
        (
            "shared x; thread P { let r = load x; let s = 1 / r; }",
            FaultKind::DivisionByZero,
        ),
        (
            "shared x; thread P { let r = load x; assert r; }",
            FaultKind::Assertion,
        ),
        (
            "thread P { let r = 9223372036854775807; r = r + 1; }",
            FaultKind::Overflow,
        ),
        (
            "fn f(a) { if a { return 1; } } thread P { let r = f(0); }",
            FaultKind::NoResult,
        ),
        (
            "thread P { let i = 0; while i < 999 limit 999 { let j = 0; while j < 999 limit 999 { j = j + 1; } i = i + 1; } }",
            FaultKind::Endless,
        ),
        (
            "shared x; init { assert 0; } thread P { }",
            FaultKind::Assertion,
        ),
        (
            "shared x; thread P { store x = 1; } finally { let r = load x; assert r == 2; }",
            FaultKind::Assertion,
        ),
    ];
    for (text, kind) in cases {
        let report = faults(text);
        let kinds: Vec<FaultKind> = report.faults.iter().map(|it| it.fault.kind).collect();
        assert_eq!(kinds, [kind], "{text}");
        assert_eq!((report.runs, report.faulty), (0, 1), "{text}");
        let (fault, _) = exhaustive(text, Model::Sc).fault.expect(text);
        assert_eq!(fault, report.faults[0].fault, "{text}");
    }
}

#[test]
fn a_shortest_run_to_a_fault_is_shown() {
    let text =
        format!("{} finally {{ }}", store_buffering("")).replace("load x;", "load x; assert r;");
    assert!(exhaustive(&text, Model::Sc).fault.is_some());
    let text = "shared x, y, bad; thread P { store x = 1; let r = load y; if !r { add bad, 1; } }
        thread Q { store y = 1; let r = load x; if !r { add bad, 1; } }
        finally { let b = load bad; assert b < 2; }";
    assert!(exhaustive(text, Model::Sc).fault.is_none());
    let report = exhaustive(text, Model::Tso);
    let (_, moves) = report.fault.expect("both loads may come first");
    // Six events; both stores reach memory because of the atomic operations.
    assert_eq!(moves.len(), 6);
}

#[test]
fn loops_that_reach_their_bound_are_cut_off() {
    let text = "shared x; thread P { loop 3 { let r = load x; if r { break; } yield; } } thread Q { store x = 1; }";
    let report = search(&program(text), &Options::new(0, &[]));
    assert_eq!(
        (report.runs, report.cut_off),
        (2, 0),
        "a thread that yields lets the other go on"
    );
    let alone = "shared x; thread P { loop 3 { let r = load x; if r { break; } yield; } }";
    let report = search(&program(alone), &Options::new(0, &[]));
    assert_eq!((report.runs, report.cut_off, report.longest), (0, 1, 3));
    let counted = exhaustive(alone, Model::Sc);
    assert_eq!((counted.outcomes.len(), counted.cut_off), (0, 1));
}

/// Ways to write `items` as a sum of so many positive numbers.
fn parts(items: u64, parts: u64) -> u64 {
    if parts == 0 || parts > items {
        return 0;
    }
    (1..parts).fold(1, |product, k| product * (items - k) / k)
}

#[test]
fn runs_are_counted_as_combinatorics_has_it() {
    for (n, m) in [(1, 1), (2, 3), (4, 4), (5, 2)] {
        let text = two(&"store x = 1;".repeat(n), &"store y = 1;".repeat(m));
        for preemptions in 0..6 {
            // A run is a sequence of stretches, of both threads in turn; only to go on after a thread's last is free.
            let runs: u64 = (2..=u64::from(preemptions) + 2)
                .map(|stretches| {
                    let (more, less) = (stretches.div_ceil(2), stretches / 2);
                    let (n, m) = (n as u64, m as u64);
                    parts(n, more) * parts(m, less) + parts(m, more) * parts(n, less)
                })
                .sum();
            let report = search(&program(&text), &Options::new(preemptions, &[Model::Tso]));
            assert_eq!(
                report.runs, runs,
                "{n} and {m} events, {preemptions} preemptions"
            );
        }
    }
}

/// Numbers that are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % most
    }
}

/// A program in which each location has at most two writes, with values of their own: then what its loads return and
/// memory holds at the end says all about a run.
fn random(dice: &mut Dice, threads: u64, operations: u64) -> String {
    let mut writes = [0; 2];
    let mut text = String::from("shared x, y;");
    for thread in 0..threads {
        let mut body = String::new();
        for at in 0..operations {
            let place = dice.below(2) as usize;
            let name = ["x", "y"][place];
            let mut kind = dice.below(7);
            if kind < 4 {
                writes[place] += 1;
                if writes[place] > 2 {
                    kind = 6;
                }
            }
            let value = writes[place];
            body += &match kind {
                0..3 => format!("store {name} = {value};\n"),
                3 => format!("let r{at} = swap {name}, {value};\n"),
                4 => "fence;\n".to_owned(),
                _ => format!("let r{at} = load {name};\n"),
            };
        }
        text += &format!("thread P{thread} {{ {body} }}");
    }
    text
}

#[test]
fn monitors_signal_exactly_if_a_program_can_leave_sc_and_fences_keep_it_there() {
    let mut dice = Dice(1);
    let models = [Model::Tso, PSO, Model::Pso(PsoRmw::All)];
    let mut leave = [0; 3];
    for round in 0..400 {
        let (threads, operations) = [(2, 3), (2, 4), (3, 2)][round % 3];
        let text = random(&mut dice, threads, operations);
        let program = program(&text);
        let sc = exhaustive(&text, Model::Sc).outcomes;
        let report = search(&program, &Options::new(ALL, &models));
        for (leave, model) in leave.iter_mut().zip(models) {
            let relaxed = exhaustive(&text, model).outcomes;
            assert!(relaxed.is_superset(&sc), "{text}");
            assert_eq!(
                report.of(model).count() > 0,
                relaxed != sc,
                "{model}: {text}"
            );
            if relaxed != sc {
                *leave += 1;
                let suggestion = suggest(&program, model, &Options::new(ALL, &[]));
                let fenced = program.with_fences(&suggestion.fences);
                let kept = explore(&fenced, model, &Limits::default(), &mut |_| {});
                assert_eq!(kept.outcomes, sc, "{model}: {text}");
                // Fewer do not suffice, wherever they are.
                let fewer = suggestion.fences.len() - 1;
                for sites in subsets(program.sites.len() as u32, fewer) {
                    let fenced = program.with_fences(&sites);
                    let report = search(&fenced, &Options::new(ALL, &[model]));
                    assert!(!report.violations.is_empty(), "{model}: {text}");
                }
            }
        }
    }
    assert!(leave.iter().all(|&count| count > 20), "{leave:?}");
}

/// All sets of so many numbers below `end`.
fn subsets(end: u32, size: usize) -> Vec<BTreeSet<u32>> {
    let Some(less) = size.checked_sub(1) else {
        return vec![BTreeSet::new()];
    };
    let with = |last: u32| {
        let smaller = subsets(last, less).into_iter();
        smaller.map(move |mut set| {
            set.insert(last);
            set
        })
    };
    (0..end).flat_map(with).collect()
}

/// The lines behind which fences are suggested.
fn fences(text: &str, model: Model) -> Vec<usize> {
    let program = program(text);
    let suggestion = suggest(&program, model, &Options::new(2, &[]));
    assert!(suggestion.report.violations.is_empty());
    assert_eq!(suggestion.stopped(), None);
    let line = |&site: &u32| program.sites[site as usize].line;
    suggestion.fences.iter().map(line).collect()
}

#[test]
fn fences_are_suggested_where_they_are_needed() {
    assert_eq!(fences(&store_buffering(""), Model::Tso).len(), 2);
    assert_eq!(fences(&store_buffering("fence;"), Model::Tso).len(), 0);
    assert_eq!(fences(&message_passing(), Model::Tso).len(), 0);
    assert_eq!(
        fences(&message_passing(), PSO),
        [1],
        "behind the first store"
    );
}

#[test]
fn a_dcas_happens_at_once() {
    // Under PSO the store of y may be delayed past the one of x, which the DCAS sees: in whatever order it names them.
    for places in ["x, y", "y, x"] {
        let text = two(
            "store y = 1; store x = 1;",
            &format!("let done = dcas {places}, 1, 1, 2, 2;"),
        );
        let report = search(&program(&text), &Options::new(ALL, &[Model::Tso, PSO]));
        assert_eq!(report.of(Model::Tso).count(), 0, "{places}");
        assert_eq!(report.of(PSO).count(), 1, "{places}");
        let suggestion = suggest(&program(&text), PSO, &Options::new(ALL, &[]));
        assert_eq!(suggestion.fences.len(), 1, "{places}");
    }
}

#[test]
fn no_outcome_beyond_sc_escapes_the_monitors_where_there_is_dcas() {
    let mut dice = Dice(2);
    let mut leave = 0;
    for _ in 0..300 {
        let mut text = String::from("shared x, y;");
        for thread in 0..2 {
            text += &format!("thread P{thread} {{");
            for at in 0..3 {
                let name = ["x", "y"][dice.below(2) as usize];
                let (value, old) = (1 + dice.below(2), dice.below(3));
                let places = ["x, y", "y, x"][dice.below(2) as usize];
                text += &match dice.below(4) {
                    0 | 1 => format!("store {name} = {value}; "),
                    2 => format!("let r{at} = load {name}; "),
                    _ => format!("let r{at} = dcas {places}, {old}, {value}, 3, 4; "),
                };
            }
            text += "} ";
        }
        let report = search(&program(&text), &Options::new(ALL, &[Model::Tso, PSO]));
        let sc = exhaustive(&text, Model::Sc).outcomes;
        for model in [Model::Tso, PSO] {
            let is_beyond = exhaustive(&text, model).outcomes != sc;
            assert!(
                !is_beyond || report.of(model).count() > 0,
                "{model}: {text}"
            );
            leave += usize::from(is_beyond);
        }
    }
    assert!(leave > 10, "{leave}");
}

#[test]
fn limits_end_an_exploration_honestly() {
    let many = program(&two(&"store x = 1;".repeat(9), &"store y = 1;".repeat(9)));
    let runs = |most| {
        let options = Options {
            runs: Some(most),
            ..Options::new(ALL, &[])
        };
        let report = search(&many, &options);
        (report.runs, report.stopped)
    };
    assert_eq!(runs(100), (100, Some(Stopped::Runs)));
    assert_eq!(runs(48620), (48620, None));
    let bounds = Bounds::new(Some(std::time::Duration::ZERO), None);
    let options = Options {
        bounds,
        ..Options::new(ALL, &[Model::Tso])
    };
    assert_eq!(search(&many, &options).stopped, Some(Stopped::Time));
    assert_eq!(
        suggest(&many, Model::Tso, &options).stopped(),
        Some(Stopped::Time)
    );
    let limits = Limits {
        states: Some(50),
        ..Limits::default()
    };
    assert_eq!(
        explore(&many, PSO, &limits, &mut |_| {}).stopped,
        Some(Ended::States)
    );
}

#[test]
fn benchmarks_do_as_in_the_paper() {
    for benchmark in BENCHMARKS {
        let program = program(benchmark.text);
        for preemptions in 1..=2 {
            let report = search(&program, &Options::new(preemptions, &[Model::Tso, PSO]));
            let name = benchmark.name;
            assert_eq!(
                report.of(Model::Tso).count() == 0,
                benchmark.is_data_structure,
                "{name}"
            );
            assert!(report.of(PSO).count() > 0, "{name}");
            assert_eq!(
                report.faulty > 0,
                name == "snark",
                "{name}: only snark is wrong under SC"
            );
            assert_eq!(report.cut_off, 0, "{name}");
        }
    }
}

#[test]
fn all_states_agree_about_the_benchmarks() {
    let all = |program: &Program, model| explore(program, model, &Limits::default(), &mut |_| {});
    for benchmark in BENCHMARKS {
        let (program, name) = (program(benchmark.text), benchmark.name);
        let sc = all(&program, Model::Sc);
        assert_eq!(sc.fault.is_some(), name == "snark", "{name}");
        let tso = all(&program, Model::Tso);
        let is_within = tso.outcomes == sc.outcomes && tso.faults == sc.faults;
        assert_eq!(is_within, benchmark.is_data_structure, "{name}");
        for model in [Model::Tso, PSO] {
            // What keeps the runs with few preemptions within SC does so for all.
            let suggestion = suggest(&program, model, &Options::new(2, &[]));
            let fenced = all(&program.with_fences(&suggestion.fences), model);
            assert_eq!(fenced.outcomes, sc.outcomes, "{name}, {model}");
            assert_eq!(fenced.faults, sc.faults, "{name}, {model}");
        }
    }
}
