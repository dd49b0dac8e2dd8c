//! Proofs.
mod join;
mod laws;
mod learn;
mod pairs;
pub use learn::AbstractRun;
use simulate::stepper::Scope;
use simulate::system::stepping::sections::Sections;
use slicc::protocol::Protocol;

/// Limits.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Most pairs.
    pub pairs: usize,
}

/// Try.
pub fn attempt(protocol: &Protocol, scope: &Scope) -> String {
    let mut sections = match Sections::new(protocol, scope) {
        Ok(sections) => sections,
        Err(error) => return format!("unfit: {error:?}"),
    };
    if std::env::var("FREE").is_ok() { sections.keep_order(false); }
    let explain = |sections: &Sections| match sections.refusal() {
        Some((Some(span), why)) => {
            let (path, line, _) = protocol.sources().position(span);
            format!("{}:{line}: {why}", path.display())
        }
        Some((None, why)) => why.to_owned(),
        None => String::new(),
    };
    match learn::learn(&mut sections, &Limits { pairs: std::env::var("PAIRS").map_or(400_000, |n| n.parse().unwrap()) }, &explain) {
        learn::Learnt::Closed(pairs) => { if std::env::var("SHOW").is_ok() { for p in pairs.canonical() { println!("{}", show(p)); } } format!("proved: {} pairs, counters {:?}", pairs.canonical().count(), sections.counters().collect::<Vec<_>>()) }
        learn::Learnt::Wrong(run) => format!("not proved: {}\n  {}", run.wrong, run.steps.join("\n  ")),
        learn::Learnt::Refused(why) => format!("refused: {why}"),
        learn::Learnt::TooMany(many) => format!("too many: {many}"),
    }
}

fn show(p: &simulate::system::stepping::sections::Config) -> String {
    use simulate::system::stepping::sections::*;
    let sec = |s: &Section| s.iter().map(|t| match t.kind { TokenKind::Plain => if t.word == u64::MAX { "-".to_owned() } else {format!("{}", t.word)}, k => format!("{}{}", &format!("{k:?}")[..2], t.word) }).collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for c in p.caches.iter().flatten() { out += &format!("[{}] ", sec(c)); }
    out += "/ ";
    for c in &p.shared { out += &format!("[{}] ", sec(c)); }
    for m in &p.messages { out += &format!("\n    {:?}.{} <- {:?} {:?} {} : {}", m.to, m.buffer, m.from, m.lane, m.many, sec(&m.content)); }
    out
}
