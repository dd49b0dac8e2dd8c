//! The paper's programs.

use check::Model;
use explore::program::benchmarks::{BENCHMARKS, TABLES, find};
use explore::program::bounded::{Options, search};
use explore::program::compile::Program;
use explore::program::exhaustive::explore;
use explore::program::fences::suggest;
use explore::search::Limits;

use super::{PSO, program};

#[test]
fn benchmarks_do_as_in_the_paper() {
    for benchmark in BENCHMARKS {
        let program = program(benchmark.text);
        for preemptions in 1..=2 {
            let report = search(&program, &Options::new(preemptions, &[Model::TSO, PSO]));
            let name = benchmark.name;
            assert_eq!(report.of(Model::TSO).count() == 0, benchmark.is_data_structure, "{name}");
            assert!(report.of(PSO).count() > 0, "{name}");
            assert_eq!(report.faulty > 0, name == "snark", "{name}: only snark is wrong under SC");
            assert_eq!(report.cut_off, 0, "{name}");
        }
    }
}

/// The numbers of distinct violations under TSO and PSO with up to one preemption, and with up to two, which docs/experiments.md has beside
/// those of the paper.
#[test]
fn programs_of_the_tables_have_these_violations() {
    let expected = [
        ("dekker", [(3, 9), (9, 13)]),
        ("bakery", [(3, 4), (3, 4)]),
        ("msn", [(0, 3), (0, 3)]),
        ("ms2", [(0, 2), (0, 2)]),
        ("harris", [(0, 2), (0, 2)]),
        ("lazylist", [(0, 4), (0, 4)]),
        ("snark", [(0, 8), (0, 10)]),
    ];
    for (benchmark, (name, numbers)) in TABLES.iter().zip(expected) {
        assert_eq!(benchmark.name, name);
        let given = format!("tables/{name}");
        assert_eq!(find(&given).map(|it| it.text), Some(benchmark.text));
        let program = program(benchmark.text);
        for (preemptions, numbers) in (1..).zip(numbers) {
            let report = search(&program, &Options::new(preemptions, &[Model::TSO, PSO]));
            let found = (report.of(Model::TSO).count(), report.of(PSO).count());
            assert_eq!(found, numbers, "{name} with {preemptions} preemptions");
            assert_eq!((report.cut_off, report.faulty), (0, 0), "{name}");
            // SOBER's monitor finds violations in the same programs, and at least as many.
            let sober = Options { sober: true, ..Options::new(preemptions, &[Model::TSO]) };
            let sober = search(&program, &sober).of(Model::TSO).count();
            assert!(sober >= numbers.0 && (sober > 0) == (numbers.0 > 0), "{name}: {sober}");
        }
    }
}

#[test]
fn all_states_agree_about_the_benchmarks() {
    let all = |program: &Program, model| explore(program, model, &Limits::default(), &mut |_| {});
    for benchmark in BENCHMARKS {
        let (program, name) = (program(benchmark.text), benchmark.name);
        let sc = all(&program, Model::SC);
        assert_eq!(sc.fault.is_some(), name == "snark", "{name}");
        let tso = all(&program, Model::TSO);
        let is_within = tso.outcomes == sc.outcomes && tso.faults == sc.faults;
        assert_eq!(is_within, benchmark.is_data_structure, "{name}");
        for model in [Model::TSO, PSO] {
            // Fences that suffice for runs with few preemptions suffice for all runs.
            let suggestion = suggest(&program, model, &Options::new(2, &[]));
            let fenced = all(&program.with_fences(&suggestion.fences), model);
            assert_eq!(fenced.outcomes, sc.outcomes, "{name}, {model}");
            assert_eq!(fenced.faults, sc.faults, "{name}, {model}");
        }
    }
}
