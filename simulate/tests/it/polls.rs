//! Runs do the same whether wakeups that only look are repeated, as without a trace, or executed.

use mutate::made;
use simulate::client::Client;
use simulate::recipe::Recipe;
use simulate::simulation::Run;
use simulate::system::Covered;
use simulate::trace::Output;
use slicc::protocol::Protocol;

/// The results of a run as text: statistics, fault, history, coverage and stalls.
fn shown(run: &Run) -> String {
    let counts = |covered: &[Covered<'_>]| format!("{covered:?}");
    let fault =
        run.fault.as_ref().map(|fault| (fault.tick, fault.message.clone(), fault.recent.clone()));
    let history = run.history().map(|history| history.digest());
    format!(
        "{:?} {fault:?} {history:?} {} {} {:?}",
        run.tally,
        counts(&run.coverage()),
        counts(&run.stalls()),
        run.reached(),
    )
}

/// Compares runs with and without a trace. Returns the number of stalls.
fn compare(protocol: &Protocol, seeds: std::ops::Range<u64>) -> u64 {
    let mut stalls = 0;
    for seed in seeds {
        let client = if seed % 2 == 0 { Client::IN_ORDER } else { Client::early(8) };
        let simulation = Recipe::random(seed).simulation(protocol, client);
        let plan = simulation.plan(protocol).unwrap();
        let repeated = simulation.run(protocol, &plan, None).unwrap();
        let sink = Output::Plain(Box::new(std::io::sink()));
        let executed = simulation.run(protocol, &plan, Some(sink)).unwrap();
        assert_eq!(shown(&repeated), shown(&executed), "{} {seed}", protocol.title());
        stalls += repeated.tally.stalls;
    }
    stalls
}

#[test]
fn polls_are_repeated_as_they_would_be_executed() {
    for name in ["MI_example", "MOESI_AMD_Base"] {
        let protocol = Protocol::open(name).unwrap();
        assert!(compare(&protocol, 0..20) > 1000, "{name}");
        for (at, mutant) in made::all(&protocol).into_iter().step_by(193).enumerate() {
            if let Ok(mutated) = protocol.with(&mutant) {
                compare(&mutated, at as u64..at as u64 + 2);
            }
        }
    }
}

/// The instructions as compiled do what the fused ones do.
#[test]
fn fused_code_does_what_the_compiled_does() {
    for one in slicc::builtin::BUILTINS {
        let fused = Protocol::open(one.name).unwrap();
        let mut plain = fused.clone();
        let program = std::sync::Arc::make_mut(&mut plain.program);
        program.fused = program.code.clone();
        assert_ne!(program.fused, fused.program.fused);
        for seed in 0..20 {
            let simulation = Recipe::random(seed).simulation(&fused, Client::early(8));
            let plan = simulation.plan(&fused).unwrap();
            let [fused, plain] =
                [&fused, &plain].map(|protocol| simulation.run(protocol, &plan, None).unwrap());
            assert_eq!(shown(&fused), shown(&plain), "{} {seed}", one.name);
        }
    }
}
