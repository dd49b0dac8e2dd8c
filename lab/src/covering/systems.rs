//! The small systems through which walks go, drawn one after another.

use explore::protocol::cover::Walker;
use history::random::Rng;
use simulate::config::{clusters, evictions, has_dma, is_chi, policies, takes_flushes};
use simulate::stepper::{Order, Repertoire, Scope};
use slicc::protocol::Protocol;
use slicc::setting::Setting;

use crate::exploration::plan::size_of;

/// Separates the choice of systems from others with the same seed.
const PURPOSE: u64 = 0x53_59_53_54;
/// The number of systems that are drawn for a number before it is left out, since the protocol fits none of them.
const TRIES: u64 = 12;

/// A system of a protocol.
pub(super) struct System {
    /// Its number among those of the seed.
    pub number: u64,
    pub scope: Scope,
    pub walker: Walker,
}

/// The system with a number, among those of a seed; `None` if the protocol fits none of some that were drawn.
pub(super) fn draw(
    protocol: &Protocol,
    settings: &[Setting],
    seed: u64,
    number: u64,
) -> Option<System> {
    (0..TRIES).find_map(|attempt| {
        let mut rng = Rng::new(seed, PURPOSE + (number << 8) + attempt);
        let scope = scope(protocol, settings, number, attempt, &mut rng);
        let walker = Walker::new(protocol, &scope, seed.wrapping_add(number)).ok()?;
        Some(System { number, scope, walker })
    })
}

/// What the system with a number has, unless the protocol does not fit the first one that is drawn.
pub(super) fn drawn(protocol: &Protocol, settings: &[Setting], seed: u64, number: u64) -> Scope {
    let mut rng = Rng::new(seed, PURPOSE + (number << 8));
    scope(protocol, settings, number, 0, &mut rng)
}

/// Whether the system with a number has one core: some rows are taken only there.
pub(super) fn has_one_core(number: u64) -> bool {
    number % 8 == 7
}

/// A system that a protocol may have. Later attempts ask for less that is not in every protocol.
fn scope(
    protocol: &Protocol,
    settings: &[Setting],
    number: u64,
    attempt: u64,
    rng: &mut Rng,
) -> Scope {
    let several = rng.one_of(&[2, 2, 3, 4]);
    let caches = if has_one_core(number) { 1 } else { several };
    let lines = rng.one_of(&[1, 2, 2, 3, 3]);
    let is_modest = attempt >= TRIES / 2;
    let devices = if has_dma(protocol) { rng.one_of(&[0, 1, 1, 2]) } else { 0 };
    // The first systems have what gem5's scripts set.
    let is_usual = number < 4 || rng.percent(25);
    let mut drawn = if is_usual { Vec::new() } else { policies(protocol, rng.below(u64::MAX)) };
    if !is_usual && rng.percent(30) {
        drawn.extend(clusters(protocol, rng.below(u64::MAX)));
    }
    let own = settings.iter().cloned();
    let scope = Scope {
        caches,
        threads_per_cache: if is_modest { 1 } else { rng.one_of(&[1, 2]) },
        lines,
        l2_banks: if is_modest { 1 } else { rng.one_of(&[1, 1, 2]) },
        directories: if is_modest { 1 } else { rng.one_of(&[1, 1, 2]) },
        order: Order::default(),
        tiny: rng.percent(80),
        large_below: rng.percent(40),
        requests: 1 + rng.below(u64::from(lines)) as u32,
        repertoire: repertoire(protocol, devices, is_modest, rng),
        // Later settings replace earlier ones, and the user's have the last word.
        settings: drawn.into_iter().chain(own).collect(),
        ..Scope::default()
    };
    with_evictions(protocol, scope, rng)
}

/// The system in which cores that do not load early need not be told of lines that leave their caches.
fn with_evictions(protocol: &Protocol, scope: Scope, rng: &mut Rng) -> Scope {
    let drawn = evictions(protocol, rng.below(u64::MAX)).filter(|_| !scope.repertoire.early);
    Scope { settings: drawn.into_iter().chain(scope.settings).collect(), ..scope }
}

/// What cores and devices do beside loads and stores.
fn repertoire(protocol: &Protocol, devices: u32, is_modest: bool, rng: &mut Rng) -> Repertoire {
    let mut draws = |percent: u32| rng.percent(percent);
    // No port of CHI waits for a lock.
    Repertoire {
        linked: draws(30),
        locked: draws(30) && !is_chi(protocol),
        atomic: draws(30) && !is_modest,
        flush: draws(40) && takes_flushes(protocol),
        fetch: draws(50) && !is_modest,
        early: draws(20) && !is_modest,
        prefetch: draws(30) && !is_modest,
        devices,
    }
}

/// A system in words: `3 threads, 2 locations, one line a cache, also linked, 1 DMA device; HNF.enable_DCT=0`.
pub(super) fn in_words(scope: &Scope) -> String {
    let mut words = size_of(scope);
    if scope.tiny && scope.large_below {
        words += ", room for all lines below the first level";
    }
    let settings: Vec<String> = scope.settings.iter().map(Setting::to_string).collect();
    if !settings.is_empty() {
        words += "; ";
        words += &settings.join(" ");
    }
    words
}
