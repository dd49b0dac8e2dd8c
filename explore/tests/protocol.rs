//! Protocols explored.

use std::time::Duration;

use check::bounds::Bounds;
use explore::protocol::{Exploration, Verdict, explore};
use explore::search::Limits;
use simulate::protocol::Protocol;
use simulate::stepper::Scope;

#[test]
#[ignore = "a measurement"]
fn measure() {
    let names = std::env::var("PROTOCOLS").unwrap_or("MI_example".into());
    let scopes = std::env::var("SCOPES").unwrap_or("2/1".into());
    let seconds = std::env::var("SECONDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(60);
    let tiny = std::env::var("TINY").is_ok();
    let mutant = std::env::var("MUTANT").ok();
    for name in names.split(',') {
        for scope in scopes.split(',') {
            let (caches, lines) = scope.split_once('/').unwrap();
            let scope = Scope {
                caches: caches.parse().unwrap(),
                lines: lines.parse().unwrap(),
                tiny,
                ..Scope::default()
            };
            let mut protocol = Protocol::open(name).unwrap();
            if let Some(mutant) = &mutant {
                let mutant = simulate::mutant::named::find(mutant).unwrap();
                protocol = protocol.with(&mutant).unwrap();
            }
            let limits = Limits {
                bounds: Bounds::new(Some(Duration::from_secs(seconds)), Some(4 << 30)),
                states: None,
            };
            let Exploration {
                verdict,
                progress,
                taken,
            } = explore(&protocol, &scope, &limits, &mut |_| {}).unwrap();
            println!(
                "{name} {caches}/{lines} {progress:?} {:.0}/s {} taken",
                progress.states_per_second(),
                taken.len()
            );
            match verdict {
                Verdict::Clean => println!("  clean"),
                Verdict::Stopped(why) => println!("  stopped: {why:?}"),
                Verdict::Found(found) => {
                    println!(
                        "  {:?} {:?}",
                        found.finding,
                        found.fault.as_ref().map(|f| &f.message)
                    );
                    for (at, step) in found.steps.iter().enumerate() {
                        println!(
                            "  {:3} {}\n        {}",
                            at + 1,
                            step.happens,
                            step.effects.join("\n        ")
                        );
                    }
                }
            }
        }
    }
}
