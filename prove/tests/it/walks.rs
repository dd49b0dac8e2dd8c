//! What two caches see in runs of systems with five caches is in the certificate.

use std::collections::BTreeSet;

use history::random::Rng;
use prove::{Answer, Options, prove_large};
use simulate::stepper::{Scope, Stepper};
use simulate::system::stepping::sections::{Config, End, Lane, Names, OTHERS, Sections, TokenKind};
use slicc::protocol::Protocol;

/// The first two of the five caches keep their names; the last has none anyway.
const FIRST_TWO: Names = [0, 1, OTHERS, OTHERS, OTHERS];

/// Sets the senders of messages, which a state of the runtime does not say, from what messages of `MI_example` say: requests
/// and blocks name the cache that sends them.
fn with_senders(mut config: Config) -> Config {
    for message in &mut config.messages {
        // Type, address, kind of message, and who asks or sends.
        let named = message.content.get(3).filter(|word| word.kind == TokenKind::Cache);
        let named = named.map(|word| End::Cache(word.word as u8));
        message.lane = Lane::Free;
        message.from = match (message.to, message.buffer) {
            // The mandatory queue, and the messages between a directory and memory.
            (End::Cache(_), MANDATORY) | (End::Shared(_), 4 | 5) => message.to,
            (End::Shared(_), _) => named.unwrap_or(message.to),
            (End::Cache(_), RESPONSES) => named.unwrap_or(End::Shared(0)),
            (End::Cache(_), _) => End::Shared(0),
        };
    }
    config.sort();
    config
}

/// The places of buffers of a cache.
const RESPONSES: u8 = 3;
const MANDATORY: u8 = 4;

#[test]
fn runs_of_mi_example_with_five_caches_stay_in_the_pairs() {
    let protocol = Protocol::open("MI_example").expect("it is built in");
    let Answer::Proved(certificate) = prove_large(&protocol, &Options::default(), &mut |_| {})
    else {
        panic!("it is proved")
    };
    assert!(!certificate.uses_order);
    let pairs: BTreeSet<Config> = certificate
        .pairs
        .iter()
        .flat_map(|pair| [pair.clone(), pair.seen_by(&[1, 0, OTHERS, OTHERS, OTHERS])])
        .collect();
    let scope = Scope { caches: 5, ..Scope::default() };
    let mut sections = Sections::new(&protocol, &scope).expect("it fits");
    let mut stepper = Stepper::new(&protocol, &scope).expect("it fits");
    let mut random = Rng::new(7, 0);
    let mut seen = BTreeSet::new();
    for _ in 0..40 {
        let mut state = stepper.first();
        for _ in 0..200 {
            let moves = stepper.moves(&state);
            let chosen = moves[random.index(moves.len())];
            state = stepper.take(&state, chosen).state.expect("the protocol is right");
            let config = with_senders(sections.see(&state)).seen_by(&FIRST_TWO);
            assert!(pairs.contains(&config), "{config:?}");
            seen.insert(config);
        }
    }
    assert!(seen.len() > 150, "{} pairs", seen.len());
}
