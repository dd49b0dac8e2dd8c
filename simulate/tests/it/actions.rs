//! Checks what an action may rely on, with a machine that stops if one of these things does not
//! hold.

use simulate::client::Client;
use simulate::config::Options;
use simulate::program::ProgramSize;
use simulate::simulation::Simulation;
use slicc::protocol::Protocol;
use slicc::setting::Setting;

/// A machine with a cache that is the only one. Every store sends an echo, which arrives for the
/// line while a locked read-modify-write has it blocked.
const ECHO: &str = r#"
protocol "Echo";
include "RubySlicc_interfaces.slicc";

structure(EchoMsg, interface="Message") {
  Addr addr;
  MessageSizeType MessageSize, default="MessageSizeType_Control";
  bool functionalRead(Packet *pkt) { return false; }
  bool functionalWrite(Packet *pkt) { return false; }
}

machine(MachineType:L1Cache, "Cache")
  : Sequencer * sequencer;
    CacheMemory * cacheMemory;
    MessageBuffer * mandatoryQueue;
    MessageBuffer * echoQueue;
{
  state_declaration(State, desc="States", default="L1Cache_State_I") {
    I, AccessPermission:Invalid, desc="absent";
    M, AccessPermission:Read_Write, desc="present";
  }
  enumeration(Event, desc="Events") { Load; Store; Echo; Replacement; }

  structure(Entry, interface="AbstractCacheEntry") {
    State CacheState, default="L1Cache_State_I";
    int Number, default="0";
    DataBlock DataBlk;
  }
  structure(TBE) { int Number, default="0"; }
  structure(TBETable, external="yes") {
    TBE lookup(Addr);
    void allocate(Addr);
    void deallocate(Addr);
    bool isPresent(Addr);
  }
  TBETable TBEs, template="<L1Cache_TBE>", constructor="m_number_of_TBEs";

  Tick clockEdge();
  void set_cache_entry(AbstractCacheEntry entry);
  void unset_cache_entry();
  void set_tbe(TBE tbe);
  void unset_tbe();

  Entry entry_of(Addr addr), return_by_pointer="yes" {
    return static_cast(Entry, "pointer", cacheMemory.lookup(addr));
  }
  State getState(TBE tbe, Entry cache_entry, Addr addr) {
    if (is_valid(cache_entry)) { return cache_entry.CacheState; }
    return State:I;
  }
  void setState(TBE tbe, Entry cache_entry, Addr addr, State state) {
    if (is_valid(cache_entry)) { cache_entry.CacheState := state; }
  }
  AccessPermission getAccessPermission(Addr addr) { return AccessPermission:NotPresent; }
  void setAccessPermission(Entry cache_entry, Addr addr, State state) {
    if (is_valid(cache_entry)) { cache_entry.changePermission(L1Cache_State_to_permission(state)); }
  }
  void functionalRead(Addr addr, Packet *pkt) { error("none"); }
  int functionalWrite(Addr addr, Packet *pkt) { return 0; }

  out_port(echo_out, EchoMsg, echoQueue);

  in_port(echo_in, EchoMsg, echoQueue, rank=1) {
    if (echo_in.isReady(clockEdge())) {
      peek(echo_in, EchoMsg, block_on="addr") {
        trigger(Event:Echo, in_msg.addr, entry_of(in_msg.addr), TBEs.lookup(in_msg.addr));
      }
    }
  }
  in_port(core_in, RubyRequest, mandatoryQueue, rank=0) {
    if (core_in.isReady(clockEdge())) {
      peek(core_in, RubyRequest, block_on="LineAddress") {
        Entry entry := entry_of(in_msg.LineAddress);
        TBE tbe := TBEs.lookup(in_msg.LineAddress);
        if (is_invalid(entry) && cacheMemory.cacheAvail(in_msg.LineAddress) == false) {
          Addr victim := cacheMemory.cacheProbe(in_msg.LineAddress);
          trigger(Event:Replacement, victim, entry_of(victim), TBEs.lookup(victim));
        } else if (in_msg.Type == RubyRequestType:LD) {
          trigger(Event:Load, in_msg.LineAddress, entry, tbe);
        } else {
          trigger(Event:Store, in_msg.LineAddress, entry, tbe);
        }
      }
    }
  }

  action(begin, "b", desc="Both pointers change, and are used at once") {
    assert(is_invalid(tbe));
    assert(is_invalid(cache_entry));
    TBEs.allocate(address);
    assert(is_invalid(tbe));
    set_tbe(TBEs.lookup(address));
    tbe.Number := 7;
    set_cache_entry(cacheMemory.allocate(address, new Entry));
    cache_entry.Number := tbe.Number + 1;
    assert(cache_entry.Number == 8);
  }
  action(end, "e", desc="They are seen by later actions, and taken away at once") {
    assert(tbe.Number == 7);
    assert(cache_entry.Number == 8);
    TBEs.deallocate(address);
    unset_tbe();
    assert(is_invalid(tbe));
  }
  action(drop, "d", desc="The line goes") {
    cacheMemory.deallocate(address);
    unset_cache_entry();
    assert(is_invalid(cache_entry));
  }
  action(read, "r", desc="Answer a load") {
    sequencer.readCallback(address, cache_entry.DataBlk);
  }
  action(write, "w", desc="Answer a store, with an echo") {
    sequencer.writeCallback(address, cache_entry.DataBlk);
    enqueue(echo_out, EchoMsg, 1) { out_msg.addr := address; }
  }
  action(pop_core, "pc", desc="Request done") { core_in.dequeue(clockEdge()); }
  action(pop_echo, "pe", desc="Echo done") { echo_in.dequeue(clockEdge()); }

  transition(I, Load, M) { begin, end, read, pop_core }
  transition(I, Store, M) { begin, end, write, pop_core }
  transition(M, Load) { read, pop_core }
  transition(M, Store) { write, pop_core }
  transition({I, M}, Echo) { pop_echo }
  transition(M, Replacement, I) { drop }
}
"#;

/// Runs one core on the machine, with this many transitions in a cycle.
fn run(transitions: u32, rmws: u32) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Echo.slicc");
    std::fs::write(&path, ECHO).unwrap();
    let protocol = Protocol::open(path.to_str().unwrap());
    let protocol = protocol.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let simulation = Simulation {
        shape: ProgramSize { threads: 1, rmws, ..ProgramSize::default() },
        client: Client::store_buffer(4),
        options: Options {
            settings: vec![Setting::of_all("transitions_per_cycle", transitions)],
            // A delayed head then comes again in every cycle.
            random_delays: false,
            ..Options::default()
        },
        deadlock_threshold: None,
    };
    let plan = simulation.plan(&protocol).unwrap();
    let run = simulation.run(&protocol, &plan, None).unwrap();
    if let Some(fault) = &run.fault {
        panic!("{}\n{}", fault.message, fault.recent.join("\n"));
    }
    let echoes = run.coverage();
    assert!(echoes.iter().any(|row| row.event == "Echo"));
}

/// The effects of `set_cache_entry`, `set_tbe` and their opposites are visible in the same action.
#[test]
fn pointers_change_at_once() {
    run(4, 0);
}

/// A head that is delayed because its line is blocked does not count as a transition: if it did,
/// the port after it, with the store that ends the block, would have no turn.
#[test]
fn a_delayed_head_is_no_transition() {
    run(1, 100);
}
