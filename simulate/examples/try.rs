//! Runs a protocol many times, for whoever works on the runtime.
use simulate::client::Client;
use simulate::config::Options;
use simulate::program::Shape;
use simulate::protocol::Protocol;
use simulate::simulation::Simulation;
use simulate::source::{Diagnostic, Sources};

fn show(sources: &Sources, diagnostics: &[Diagnostic]) {
    for one in diagnostics {
        match one.span {
            Some(span) => {
                let (path, line, column) = sources.position(span);
                println!("{}:{line}:{column}: {:?}: {}", path.display(), one.severity, one.message);
                println!("    {}", sources.text(span).lines().next().unwrap_or(""));
            }
            None => println!("{:?}: {}", one.severity, one.message),
        }
        if let Some(hint) = &one.hint {
            println!("    hint: {hint}");
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let protocol = match Protocol::open(&arguments[1]) {
        Ok(protocol) => protocol,
        Err(failure) => {
            show(&failure.sources, &failure.diagnostics);
            std::process::exit(2);
        }
    };
    show(protocol.sources(), &protocol.warnings);
    let number = |at: usize, default: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (seeds, threads, operations) = (number(2, 1), number(3, 4), number(4, 100));
    let client: Client = arguments.get(5).map_or(Ok(Client::InOrder), |text| text.parse()).unwrap();
    let started = std::time::Instant::now();
    let (mut transitions, mut stalls, mut wakeups, mut ticks) = (0, 0, 0, 0);
    for seed in 0..seeds {
        let simulation = Simulation {
            shape: Shape { threads: threads as u32, operations: operations as u32, seed, ..Shape::default() },
            client,
            options: Options::default(),
            deadlock_threshold: None,
        };
        let plan = match simulation.plan(&protocol) {
            Ok(plan) => plan,
            Err(diagnostics) => return show(protocol.sources(), &diagnostics),
        };
        let run = simulation.run(&protocol, &plan, None).unwrap();
        transitions += run.tally.transitions;
        stalls += run.tally.stalls;
        wakeups += run.tally.wakeups;
        ticks += run.tally.ticks;
        if let Some(fault) = &run.fault {
            println!("seed {seed}: {}", fault.message);
            if let Some(span) = fault.span {
                let (path, line, _) = protocol.sources().position(span);
                println!("  at {}:{line}: {}", path.display(), protocol.sources().text(span).lines().next().unwrap_or(""));
            }
            for line in &fault.recent {
                println!("    {line}");
            }
            break;
        }
        if seed == 0 && seeds == 1 {
            for row in run.coverage() {
                println!("{},{},{},{},{}", row.machine, row.state, row.event, row.next, row.count);
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{transitions} transitions, {stalls} stalls, {wakeups} wakeups, {ticks} ticks, {seconds:.3} s, {:.0} transitions/s", transitions as f64 / seconds);
}
