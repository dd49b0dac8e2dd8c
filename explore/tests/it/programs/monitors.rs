//! The signals of the monitors against all states, and fences that keep a program within SC.

use std::collections::BTreeSet;

use check::Model;
use explore::program::bounded::{Options, Report, search};
use explore::program::exhaustive::explore;
use explore::program::fences::suggest;
use explore::search::Limits;

use super::{ALL, PSO, exhaustive, message_passing, program, store_buffering};

/// A small deterministic generator, independent of the crate's.
struct Rng(u64);

impl Rng {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % most
    }
}

/// A program in which each location has at most two writes, with distinct values. The values of its
/// loads, together with the final memory, then determine a run.
fn random(rng: &mut Rng, threads: u64, operations: u64) -> String {
    let mut writes = [0; 2];
    let mut text = String::from("shared x, y;");
    for thread in 0..threads {
        let mut body = String::new();
        for at in 0..operations {
            let place = rng.below(2) as usize;
            let name = ["x", "y"][place];
            let mut kind = rng.below(7);
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
    let mut rng = Rng(1);
    let models = [Model::TSO, PSO, Model::PSO_RMW_ALL];
    let mut leave = [0; 3];
    let (mut signals, mut sobers_signals) = (0, 0);
    for round in 0..400 {
        let (threads, operations) = [(2, 3), (2, 4), (3, 2)][round % 3];
        let text = random(&mut rng, threads, operations);
        let program = program(&text);
        let sc = exhaustive(&text, Model::SC).outcomes;
        let report = search(&program, &Options::new(ALL, &models));
        let sober = Options { sober: true, ..Options::new(ALL, &[Model::TSO]) };
        let sober = search(&program, &sober);
        let is_signalled = report.of(Model::TSO).count() > 0;
        assert_eq!(sober.of(Model::TSO).count() > 0, is_signalled, "SOBER: {text}");
        // It signals wherever the other does.
        let pairs = |report: &Report| {
            let all = report.of(Model::TSO).map(|it| (it.store, it.event));
            all.collect::<BTreeSet<_>>()
        };
        assert!(pairs(&sober).is_superset(&pairs(&report)), "{text}");
        let count = |report: &Report| report.of(Model::TSO).map(|it| it.count).sum::<u64>();
        signals += count(&report);
        sobers_signals += count(&sober);
        for (leave, model) in leave.iter_mut().zip(models) {
            let relaxed = exhaustive(&text, model).outcomes;
            assert!(relaxed.is_superset(&sc), "{text}");
            assert_eq!(report.of(model).count() > 0, relaxed != sc, "{model}: {text}");
            if relaxed != sc {
                *leave += 1;
                let suggestion = suggest(&program, model, &Options::new(ALL, &[]));
                let fenced = program.with_fences(&suggestion.fences);
                let kept = explore(&fenced, model, &Limits::default(), &mut |_| {});
                assert_eq!(kept.outcomes, sc, "{model}: {text}");
                // No smaller set of fences suffices, wherever they are.
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
    assert!(sobers_signals > signals, "{sobers_signals} {signals}");
}

/// All sets of `size` numbers below `end`.
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

/// The lines after which fences are suggested.
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
    assert_eq!(fences(&store_buffering(""), Model::TSO).len(), 2);
    assert_eq!(fences(&store_buffering("fence;"), Model::TSO).len(), 0);
    assert_eq!(fences(&message_passing(), Model::TSO).len(), 0);
    assert_eq!(fences(&message_passing(), PSO), [1], "after the first store");
}

/// A thread that has yielded may continue, at the cost of a preemption.
#[test]
fn yields_hide_nothing() {
    let text = "shared x, y;
        thread A { store x = 1; yield; let r = load y; }
        thread B { store y = 1; yield; let s = load x; }";
    let program = program(text);
    let violations = |preemptions| {
        let report = search(&program, &Options::new(preemptions, &[Model::TSO]));
        report.violations.len()
    };
    assert_eq!(violations(0), 0);
    assert_eq!(violations(1), 2);
}
