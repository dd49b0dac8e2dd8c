//! Requests that sequencers hold back.

use super::{edited, why_not_in_any};

/// Why a cache of MI_example never gets a load while it waits for a line.
fn why_no_load(edits: &[(&str, &str)]) -> Option<String> {
    why_not_in_any(&edited("MI_example", edits), ("L1Cache", "IS", "Load"))
}

const POP: &str = "core_in.dequeue(clockEdge());";
const SEND: &str = "action(ask_to_read, \"ar\", desc=\"Ask the directory for the block\") {";
const ASK: &str = "action(ask_for_ownership, \"ao\", desc=\"Send GETX to the directory\") {";

#[test]
fn a_second_request_for_a_line_is_held_back() {
    let expected = "in state IS a request for the line is under way, and its sequencer holds back the next one, which would trigger Load";
    assert_eq!(why_no_load(&[]).as_deref(), Some(expected));
    let stores = edited("MI_example", &[]);
    assert_eq!(why_not_in_any(&stores, ("L1Cache", "M", "Store")), None);
    // After a writeback has begun, nothing of the core is under way.
    assert_eq!(why_not_in_any(&stores, ("L1Cache", "MI", "Load")), None);
}

#[test]
fn a_request_is_not_under_way_while_it_may_be_in_the_queue_or_complete() {
    let maybe = format!("if (is_valid(cache_entry)) {{ {POP} }}");
    let kept = format!("core_in.recycle(clockEdge(), cyclesToTicks(recycle_latency)); {POP}");
    let completed = format!("{ASK} sequencer.readCallback(address, cache_entry.DataBlk);");
    let maybe_completed = format!(
        "{ASK} if (is_valid(cache_entry)) {{ sequencer.writeCallback(address, cache_entry.DataBlk); }}"
    );
    for (from, to) in [(POP, maybe), (POP, kept), (ASK, completed), (ASK, maybe_completed)] {
        assert_eq!(why_no_load(&[(from, &to)]), None, "{to}");
    }
    let told = format!("{ASK} sequencer.evictionCallback(address);");
    assert!(why_no_load(&[(ASK, &told)]).is_some(), "the core is told of a loss only");
}

#[test]
fn a_callback_for_any_line_completes_all_requests() {
    let put = "action(put_block, \"pb\", desc=\"Send PUTX with the block to the directory\") {";
    let other = "sequencer.readCallback(makeLineAddress(address), cache_entry.DataBlk);";
    assert_eq!(why_no_load(&[(put, &format!("{put} {other}"))]), None);
}

#[test]
fn lines_whose_state_changes_otherwise_are_not_followed() {
    let assigned = format!("{ASK} cache_entry.CacheState := State:IS;");
    assert_eq!(why_no_load(&[(ASK, &assigned)]), None);
    let stored = "return cache_entry.CacheState;";
    let other = "State other := cache_entry.CacheState; return other;";
    assert_eq!(why_no_load(&[(stored, other)]), None);
    let set = "cache_entry.CacheState := state;";
    let constant = "cache_entry.CacheState := State:IS;";
    assert_eq!(why_no_load(&[(set, constant)]), None);
    let entry = "  // ACTIONS: messages";
    let function = format!("void forget(Addr a) {{ TBEs.deallocate(a); }}\n{entry}");
    assert_eq!(why_no_load(&[(entry, &function)]), None);
}

/// CorePairs serve two cores, whose requests differ in `contextId`.
#[test]
fn each_sequencer_of_a_controller_holds_back_its_own_requests() {
    let protocol = edited("MOESI_AMD_Base", &[]);
    let why = |event| why_not_in_any(&protocol, ("CorePair", "E0_F", event));
    assert!(why("Ifetch0_L1miss").is_some(), "core 0 waits for a fetch");
    assert_eq!(why("Ifetch1_L1miss"), None);
}

#[test]
fn a_device_makes_one_request_for_a_line_at_a_time() {
    let why = |protocol, state, event| why_not_in_any(protocol, ("DMA", state, event));
    let protocol = edited("MI_example", &[]);
    assert!(why(&protocol, "BUSY_RD", "ReadRequest").is_some());
    assert_eq!(why(&protocol, "READY", "WriteRequest"), None);
    let early =
        edited("MI_example", &[(SEND, &format!("{SEND} dma_sequencer.ackCallback(address);"))]);
    assert_eq!(why(&early, "BUSY_RD", "ReadRequest"), None, "the device may go on");
}
