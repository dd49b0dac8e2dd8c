//! Findings in protocols of one machine, each with a feature that the built-in protocols lack.

use std::path::Path;

use explore::protocol::{Asymmetry, Exploration, Finding, Verdict, Why, explore};
use explore::search::Limits;
use simulate::stepper::{Scope, StepperError, Symmetry};
use slicc::load::load_with;
use slicc::protocol::{BLOCK_BYTES, Protocol};

/// A cache that answers every request by itself, with further declarations and the given
/// transitions.
pub(crate) fn protocol(further: &str, transitions: &str) -> Protocol {
    let text = format!(
        r#"protocol "Small"; include "RubySlicc_interfaces.slicc";
machine(MachineType:L1Cache, "a cache") : Sequencer * sequencer; CacheMemory * cache; MessageBuffer * mandatoryQueue;
{{
  state_declaration(State, default="L1Cache_State_I") {{
    I, AccessPermission:Invalid; V, AccessPermission:Read_Write; W, AccessPermission:Busy; X, AccessPermission:Busy;
  }}
  enumeration(Event) {{ Ask; Ring; }}
  structure(Entry, interface="AbstractCacheEntry") {{ State CacheState; DataBlock DataBlk; }}
  Tick clockEdge();
  Tick cyclesToTicks(Cycles c);
  void set_cache_entry(AbstractCacheEntry e);
  Entry entry_of(Addr a), return_by_pointer="yes" {{ return static_cast(Entry, "pointer", cache[a]); }}
  State getState(Entry cache_entry, Addr addr) {{
    if (is_valid(cache_entry)) {{ return cache_entry.CacheState; }}
    return State:I;
  }}
  void setState(Entry cache_entry, Addr addr, State state) {{
    if (is_valid(cache_entry)) {{ cache_entry.CacheState := state; }}
  }}
  void setAccessPermission(Entry cache_entry, Addr addr, State state) {{
    if (is_valid(cache_entry)) {{ cache_entry.changePermission(L1Cache_State_to_permission(state)); }}
  }}
  AccessPermission getAccessPermission(Addr addr) {{ return AccessPermission:NotPresent; }}
  void functionalRead(Addr addr, Packet * pkt) {{ }}
  int functionalWrite(Addr addr, Packet * pkt) {{ return 0; }}
  TimerTable clocks;
  in_port(clocks_in, Addr, clocks, rank=1) {{
    if (clocks_in.isReady(clockEdge())) {{
      Addr a := clocks.nextAddress();
      trigger(Event:Ring, a, entry_of(a));
    }}
  }}
  in_port(requests_in, RubyRequest, mandatoryQueue, rank=0) {{
    if (requests_in.isReady(clockEdge())) {{
      peek(requests_in, RubyRequest) {{ trigger(Event:Ask, in_msg.LineAddress, entry_of(in_msg.LineAddress)); }}
    }}
  }}
  action(allocate, "a") {{ set_cache_entry(cache.allocate(address, new Entry)); }}
  action(serve, "s") {{
    peek(requests_in, RubyRequest) {{
      if (in_msg.Type == RubyRequestType:ST) {{ sequencer.writeCallback(address, cache_entry.DataBlk); }}
      else {{ sequencer.readCallback(address, cache_entry.DataBlk); }}
    }}
  }}
  action(pop, "p") {{ requests_in.dequeue(clockEdge()); }}
  action(recycle, "r") {{ requests_in.recycle(clockEdge(), cyclesToTicks(recycle_latency)); }}
  action(start, "st") {{ clocks.set(address, clockEdge() + cyclesToTicks(recycle_latency)); }}
  action(stop, "so") {{ clocks.unset(address); }}
  action(z_stall, "z") {{ }}
  {further}
  {transitions}
}}
"#
    );
    let loaded = load_with(Path::new("small.slicc"), &mut |_| Ok(text.clone().into_bytes()));
    let protocol = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES));
    protocol.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

fn run(protocol: &Protocol, caches: u32) -> Result<Exploration, StepperError> {
    let scope = Scope { caches, ..Scope::default() };
    explore(protocol, &scope, &Limits::default(), &mut |_| {})
}

fn finding(transitions: &str, caches: u32) -> Option<Finding> {
    match run(&protocol("", transitions), caches).unwrap().verdict {
        Verdict::Clean | Verdict::Unproved { .. } => None,
        Verdict::Found(found) => Some(found.finding),
        Verdict::Stopped(why) => panic!("{why:?}"),
    }
}

/// A cache fills a line with zeros, so its first load returns a wrong value; its first store is right.
#[test]
fn caches_that_do_not_know_of_each_other() {
    let alone =
        "transition(I, Ask, V) { allocate; serve; pop; } transition(V, Ask) { serve; pop; }";
    let dead = Finding::StaleValue { core: 0, line: 0 };
    assert_eq!(finding(alone, 1), Some(dead));
    // The second cache fills the line before the first one serves its request.
    let slow = "transition(I, Ask, V) { allocate; } transition(V, Ask) { serve; pop; }";
    let both = Finding::SwmrViolation { line: 0, writers: 0b11, readers: 0 };
    assert_eq!(finding(slow, 2), Some(both));
}

#[test]
fn timers_run_out_any_time() {
    // Nothing is served, so no value is wrong: a request ends with an error once the timer has
    // expired.
    let timed = "transition(I, Ask, W) { allocate; start; } transition(W, Ask) { z_stall; }
        action(done, \"d\") { error(\"done\"); }
        transition(W, Ring, X) { stop; } transition(X, Ask) { done; }";
    let exploration = run(&protocol("", timed), 1).unwrap();
    let Verdict::Found(found) = exploration.verdict else {
        panic!("{:?}", exploration.verdict);
    };
    let steps: Vec<&str> = found.steps.iter().map(|step| &*step.happens).collect();
    assert_eq!(
        steps,
        [
            "core 0 loads line 0",
            "a timer of L1Cache-0 for line 0 runs out",
            "L1Cache-0 looks again",
        ]
    );
    assert!(found.fault.unwrap().message.ends_with(": done"));
}

#[test]
fn livelocks_are_told_from_deadlocks() {
    let stalls = "transition(I, Ask, W) { allocate; } transition(W, Ask) { z_stall; }";
    assert_eq!(finding(stalls, 1), Some(Finding::Deadlock { waiting: 1 }));
    let same = "transition(I, Ask, W) { allocate; } transition(W, Ask) { recycle; }";
    assert_eq!(finding(same, 1), Some(Finding::Deadlock { waiting: 1 }));
    let turns = "transition(I, Ask, W) { allocate; }
        transition(W, Ask, X) { recycle; } transition(X, Ask, W) { recycle; }";
    assert_eq!(finding(turns, 1), Some(Finding::Livelock { waiting: 1 }));
}

#[test]
fn what_depends_on_an_order_has_no_symmetry() {
    // No request is served in state X, which only the cache with the smallest number enters.
    let text = "NetDest all; MachineID smallest;
        action(choose, \"c\") {
          all.broadcast(MachineType:L1Cache); smallest := all.smallestElement(); all.clear();
          if (smallest == machineID) { error(\"the smallest\"); }
        }
        transition(I, Ask, W) { allocate; } transition(W, Ask, X) { choose; recycle; }
        transition(X, Ask) { z_stall; }";
    let protocol = protocol("", text);
    let symmetries = vec![Symmetry::Cores, Symmetry::Lines];
    let scope = Scope { lines: 2, symmetries, ..Scope::default() };
    let found = explore(&protocol, &scope, &Limits::default(), &mut |_| {}).unwrap();
    assert_eq!(found.symmetries, [Symmetry::Lines]);
    let [Asymmetry { symmetry: Symmetry::Cores, reason: Why::Ordered(place) }] =
        found.asymmetries[..]
    else {
        panic!("{:?}", found.asymmetries);
    };
    let written = protocol.sources().text(place);
    assert!(written.contains("smallestElement"), "{written}");
    let Verdict::Found(violation) = found.verdict else { panic!("{:?}", found.verdict) };
    assert!(violation.fault.unwrap().message.ends_with(": the smallest"));
}

/// A protocol that stores the number of a machine without its type cannot be renamed.
#[test]
fn what_cannot_be_renamed_has_no_symmetry() {
    let alone = "NodeID last, default=\"0\";
        transition(I, Ask, V) { allocate; serve; pop; } transition(V, Ask) { serve; pop; }";
    let protocol = protocol("", alone);
    let symmetries = vec![Symmetry::Cores, Symmetry::Lines];
    let scope = Scope { symmetries, ..Scope::default() };
    let found = explore(&protocol, &scope, &Limits::default(), &mut |_| {}).unwrap();
    assert!(found.symmetries.is_empty());
    let reasons: Vec<_> = found.asymmetries.iter().map(|one| &one.reason).collect();
    let expected = "L1Cache.last is a NodeID, which cannot be renamed".to_owned();
    assert_eq!(reasons, [&Why::Differs(expected)]);
}

#[test]
fn unsupported_protocols_are_refused() {
    let pointer = protocol("Entry kept;", "transition(I, Ask, V) { allocate; pop; }");
    match run(&pointer, 1) {
        Err(StepperError::Setup(what)) => {
            assert!(what.to_string().starts_with("L1Cache.kept: "), "{what}")
        }
        other => panic!("{other:?}"),
    }
    let protocol = Protocol::open("MI_example").unwrap();
    assert!(matches!(run(&protocol, 9), Err(StepperError::Setup(_))));
}
