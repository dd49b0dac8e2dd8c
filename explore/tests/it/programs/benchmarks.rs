//! The paper's programs.

use check::Model;
use explore::program::benchmarks::BENCHMARKS;
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
