//! Try.
use explore::protocol::{Verdict, explore};
use explore::search::Limits;
use simulate::stepper::{Scope, Symmetry};
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let step: usize = std::env::args().nth(2).map_or(1, |s| s.parse().unwrap());
    let protocol = slicc::protocol::Protocol::open(&name).unwrap();
    let (mut refuted, mut proved, mut both, mut open, mut bad) = (0, 0, 0, 0, 0);
    let start = std::time::Instant::now();
    for mutant in mutate::made::all(&protocol).iter().step_by(step) {
        let Ok(changed) = protocol.with(mutant) else { continue };
        let scope = Scope { caches: 3, symmetries: vec![Symmetry::Cores], ..Scope::default() };
        let explored = explore(&changed, &scope, &Limits { states: Some(200_000), ..Limits::default() }, &mut |_| {});
        let found = match &explored { Ok(e) => match &e.verdict { Verdict::Found(v) => Some(format!("{:?}", v.finding)), Verdict::Clean => None, _ => Some("limit".to_owned()) }, Err(_) => None };
        let says = { let options = prove::Options::default(); let a = prove::prove_large(&changed, &options, &mut |_| {}); match a { prove::Answer::Proved(_) => "proved".to_owned(), prove::Answer::NotProved(p) => p.to_string(), _ => String::new() } };
        let is_proved = says.starts_with("proved");
        let dead = found.as_deref().is_some_and(|f| f.contains("Deadlock") || f.contains("Livelock") || f == "limit");
        match (&found, is_proved) {
            (Some(_), true) if dead => both += 1,
            (Some(f), true) => { bad += 1; println!("PROVED BUT {f}: {}", changed.title()); }
            (Some(_), false) => refuted += 1,
            (None, true) => proved += 1,
            (None, false) => { open += 1; println!("open {}: {}", changed.title(), says.lines().next().unwrap_or("")); }
        }
    }
    println!("{name}: refuted {refuted} proved {proved} deadlock {both} open {open} BAD {bad} in {:?}", start.elapsed());
}
