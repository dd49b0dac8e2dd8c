use super::super::testing::{Case, Point, case, run};
use tables::{CampaignRun, Reported, Trial};

/// Valid histories for which the order of completions is a witness. The answer for history 9 is `last`.
fn simple(last: Reported) -> Vec<Trial> {
    let point = Point::sc("qadeer-cycles", "valid");
    point.rows("simple-witness", Reported::Consistent, 1.0, |row| {
        if row.number == 9 {
            row.said = last;
        }
    })
}

/// Violations of 4 threads on 16 locations with cycles of length `most`. Only the cycle of history 9 has the length
/// `last`.
fn cycles(most: u32, last: Option<u32>) -> Vec<Trial> {
    Point::sc("qadeer-cycles", "histories").rows("nice-cycle", Reported::Undecided, 1.0, |row| {
        row.cycle = if row.number == 9 { last } else { Some(most) };
    })
}

/// The searches of a system for cycles of lengths 1 and 2: the number of events to a cycle, if there is one.
fn searched(system: &str, events: [Option<u64>; 2]) -> Vec<Trial> {
    let row = |(k, events): (u32, Option<u64>)| Trial {
        experiment: "qadeer-systems".to_owned(),
        size: "paper".to_owned(),
        part: "systems".to_owned(),
        point: format!("{system},k={k}"),
        model: "sc".to_owned(),
        algorithm: "nice-cycles".to_owned(),
        said: if events.is_some() { Reported::Violation } else { Reported::Satisfied },
        cycle: events.map(|_| k),
        operations: events.unwrap_or(0),
        nodes: Some(1000),
        ..Trial::default()
    };
    (1..).zip(events).map(row).collect()
}

/// The searches of lazy caching with both orders of writes.
fn lazy(simple: [Option<u64>; 2], memory: [Option<u64>; 2]) -> Vec<Trial> {
    let both = [("simple", simple), ("memory-order", memory)];
    let searched = both.map(|(name, events)| searched(&format!("lazy-caching,{name}"), events));
    searched.concat()
}

/// Violating runs. All violate the criteria `all`, and the first `of` of each 80 violate `breaks`, too.
fn runs(model: &str, of: u32, breaks: &[&str], all: &[&str]) -> Vec<CampaignRun> {
    let asked = ["cc", "ccv", "ccm", "wsc", "sc", "wccm", "tso"];
    let run = |number| {
        if number % 80 < of {
            run(model, number, &asked, &[breaks, all].concat())
        } else {
            run(model, number, &asked, all)
        }
    };
    (0..240).map(run).collect()
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case("qadeer-simple", simple(Reported::Consistent), simple(Reported::Undecided)),
        case("qadeer-nice", cycles(2, Some(4)), cycles(2, Some(5))),
        case(
            "qadeer-piranha",
            searched("piranha", [None; 2]),
            searched("piranha", [None, Some(9)]),
        ),
        case(
            "qadeer-error",
            searched("piranha-buggy", [Some(10), Some(12)]),
            searched("piranha-buggy", [Some(10), Some(20)]),
        ),
        case(
            "qadeer-lazy",
            lazy([None, Some(9)], [None; 2]),
            lazy([None, Some(9)], [None, Some(9)]),
        ),
        case("mutants-causal", runs("sc", 40, &["ccv"], &["sc"]), runs("sc", 72, &["cc"], &["sc"])),
        case("mutants-ccm", runs("sc", 60, &["ccm"], &["sc"]), runs("sc", 20, &["ccm"], &["sc"])),
        case(
            "mutants-wccm",
            runs("tso", 60, &["wccm"], &["tso"]),
            runs("tso", 20, &["wccm"], &["tso"]),
        ),
        case("mutants-wsc", runs("sc", 80, &["wsc"], &["sc"]), runs("sc", 60, &["wsc"], &["sc"])),
        case(
            "mutants-escaping",
            runs("sc", 79, &["ccm"], &["wsc", "sc"]),
            runs("sc", 60, &["ccm"], &["wsc", "sc"]),
        ),
    ]
}

#[test]
fn cores_that_may_break_sc_say_nothing_about_it() {
    let rows = runs("tso", 10, &["wccm"], &["tso", "sc"]);
    let found = super::claim("mutants-wsc", &rows.into());
    assert_eq!(found.verdict, super::Verdict::Untested);
}

#[test]
fn the_protocols_that_ran_are_named() {
    let mut rows = runs("sc", 40, &["ccm"], &["sc"]);
    let statement =
        |rows: &[CampaignRun]| super::claim("mutants-ccm", &rows.to_vec().into()).statement;
    assert_eq!(statement(&rows), "Violations of SC by mutants of P that break CCM");
    let half = rows.iter_mut().filter(|row| row.number % 2 == 0);
    half.for_each(|row| row.protocol = "Q".to_owned());
    assert_eq!(statement(&rows), "Violations of SC by mutants of P and Q that break CCM");
}
