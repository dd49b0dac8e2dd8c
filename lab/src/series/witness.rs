//! Proves the history of a run sequentially consistent by the order in which simulated memory performed its operations.
//!
//! That order alone is mostly none: a cache may lose a line before the data of a load arrives, so that the load returns a value that was
//! overwritten in the meantime. Such a load comes before the write that has overwritten its value. The verifier runs the order, as that of a
//! certificate; if it is not accepted, nothing is known.

use certify::certificate::Name;
use certify::verify::verify_run;
use check::Model;
use history::{Ambiguity, History, OpId, ReadSource, ReadsFrom};

use crate::error::Error;

/// Whether the verifier accepts a run by which the model allows the history. It accepts none for models with store buffers and weak ones,
/// of whose runs the order says too little. Cost: that of sorting the operations.
///
/// # Errors
/// Fails if a value is written twice.
pub(super) fn is_proved(history: &History, model: Model) -> Result<bool, Error> {
    if model.buffers() || model.is_weak() || !history.has_order() {
        return Ok(false);
    }
    let reads_from = ReadsFrom::derive(history, Ambiguity::RefuseShared);
    let reads_from = reads_from.map_err(|twice| Error::MadeTwice(Box::new(twice)))?;
    let order = order_of(history, &reads_from);
    let steps: Vec<_> = order.into_iter().map(|op| (false, Name::of(history, op))).collect();
    Ok(verify_run(history, model, &[], &steps).is_ok())
}

/// The operations in the order in which memory performed them, but loads of values that were overwritten by then before the write that did so.
fn order_of(history: &History, reads_from: &ReadsFrom) -> Vec<OpId> {
    let mut order = history.in_order_of_completion();
    let overwritten = overwritten(history, &order);
    let mut rank_of = vec![0; history.len()];
    for (rank, op) in order.iter().enumerate() {
        let is_load = history.kind(*op).reads() && !history.kind(*op).writes();
        let latest = if is_load { latest(history, reads_from, &overwritten, *op) } else { None };
        // Even ranks are those of loads that come before the write whose rank is the next number.
        let own = 2 * rank + 1;
        rank_of[op.at()] = latest.map_or(own, |write| own.min(2 * write));
    }
    order.sort_by_key(|op| rank_of[op.at()]);
    order
}

/// The places of the writes that overwrite other writes or the initial values.
struct Overwritten {
    /// For each operation, the place of the next write to its location, if it is a write and there is one.
    writes: Vec<Option<usize>>,
    /// For each location, the place of its first write, if there is one.
    initial: Vec<Option<usize>>,
}

/// The places in an order of the writes that overwrite others.
fn overwritten(history: &History, order: &[OpId]) -> Overwritten {
    let locations = history.locations().len();
    let mut found =
        Overwritten { writes: vec![None; history.len()], initial: vec![None; locations] };
    let mut last: Vec<Option<OpId>> = vec![None; locations];
    for (place, op) in order.iter().enumerate() {
        let Some(location) = history.location(*op).filter(|_| history.kind(*op).writes()) else {
            continue;
        };
        let location = location as usize;
        match last[location].replace(*op) {
            Some(before) => found.writes[before.at()] = Some(place),
            None => found.initial[location] = Some(place),
        }
    }
    found
}

/// The place of the write before which a load takes its value.
fn latest(
    history: &History,
    reads_from: &ReadsFrom,
    overwritten: &Overwritten,
    load: OpId,
) -> Option<usize> {
    match reads_from.source(load)? {
        ReadSource::Write(write) => overwritten.writes[write.at()],
        ReadSource::Initial => overwritten.initial[history.location(load)? as usize],
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use simulate::client::Client;
    use simulate::recipe::Recipe;
    use slicc::protocol::Protocol;

    use super::*;

    /// What is proved is what the engine decides, and most runs are proved.
    #[test]
    fn proofs_agree_with_the_engine() {
        let protocol = Protocol::open("MESI_Two_Level").unwrap();
        let options = check::Options::default();
        let (mut consistent, mut proved) = (0, 0);
        for client in [Client::IN_ORDER, Client::store_buffer(8)] {
            for seed in 0..60 {
                let simulation = Recipe::random(seed).simulation(&protocol, client);
                let plan = simulation.plan(&protocol).unwrap();
                let history = simulation.run(&protocol, &plan, None).unwrap().history().unwrap();
                let reads_from = ReadsFrom::derive(&history, Ambiguity::RefuseShared).unwrap();
                let answer = check::Question::new(Model::SC, &options).ask(&history, &reads_from);
                let is_consistent = matches!(answer.verdict(), check::Verdict::Consistent(_));
                let is_proved = is_proved(&history, Model::SC).unwrap();
                assert!(is_consistent || !is_proved, "{client} {seed}");
                consistent += u64::from(is_consistent);
                proved += u64::from(is_proved);
            }
        }
        assert!(2 * proved > consistent, "{proved} of {consistent}");
    }
}
