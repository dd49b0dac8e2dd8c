//! A small machine that answers every request from a cache of its own, and can be extended with
//! pieces of code.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::Path;

use simulate::client::Client;
use simulate::config::Options;
use simulate::program::ProgramSize;
use simulate::simulation::{Run, Simulation};
use slicc::load::load_with;
use slicc::protocol::Protocol;

/// Pieces of code for a machine that answers every request from a cache of its own.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pieces<'a> {
    /// Declarations before the machine.
    pub types: &'a str,
    /// Parameters of the machine.
    pub parameters: &'a str,
    /// States in addition to I and V.
    pub states: &'a str,
    /// Events in addition to Load and Store.
    pub events: &'a str,
    /// Fields of the TBE.
    pub tbe: &'a str,
    /// Declarations in the machine, before its ports.
    pub declarations: &'a str,
    /// Ports before that of requests.
    pub ports: &'a str,
    /// Code of the port of requests before it triggers.
    pub request: &'a str,
    /// Code of the action `check`, which runs at every request.
    pub code: &'a str,
    /// Further actions and transitions.
    pub transitions: &'a str,
    /// Replaces the transitions for requests.
    pub requests: Option<&'a str>,
}

/// The source of the machine, which is called `L1Cache`.
pub(crate) fn source(pieces: Pieces<'_>) -> String {
    let Pieces {
        types,
        parameters,
        states,
        events,
        tbe,
        declarations,
        ports,
        request,
        code,
        transitions,
        requests,
    } = pieces;
    let requests = requests.unwrap_or(
        "transition(I, {Load, Store}, V) { allocate; check; serve; pop; }
         transition(V, {Load, Store}) { check; serve; pop; }",
    );
    format!(
        r#"{types}
machine(MachineType:L1Cache, "test") : Sequencer * sequencer; CacheMemory * cache; {parameters}
  MessageBuffer * mandatoryQueue;
{{
  state_declaration(State, default="L1Cache_State_I") {{
    I, AccessPermission:Invalid; V, AccessPermission:Read_Write; {states}
  }}
  enumeration(Event) {{ Load; Store; {events} }}
  structure(Entry, interface="AbstractCacheEntry") {{ State CacheState; DataBlock DataBlk; int Count, default="7"; }}
  structure(TBE) {{ State TBEState; {tbe} }}
  structure(TBETable, external="yes") {{
    TBE lookup(Addr); void allocate(Addr); void deallocate(Addr); bool isPresent(Addr);
  }}
  TBETable TBEs, template="<L1Cache_TBE>", constructor="m_number_of_TBEs";
  void set_tbe(TBE b);
  Entry entry_of(Addr a), return_by_pointer="yes" {{ return static_cast(Entry, "pointer", cache[a]); }}
  State getState(TBE tbe, Entry cache_entry, Addr addr) {{
    if (is_valid(tbe)) {{ return tbe.TBEState; }}
    if (is_valid(cache_entry)) {{ return cache_entry.CacheState; }}
    return State:I;
  }}
  void setState(TBE tbe, Entry cache_entry, Addr addr, State state) {{
    if (is_valid(tbe)) {{ tbe.TBEState := state; }}
    if (is_valid(cache_entry)) {{ cache_entry.CacheState := state; }}
  }}
  void setAccessPermission(Entry cache_entry, Addr addr, State state) {{ }}
  AccessPermission getAccessPermission(Addr addr) {{ return AccessPermission:NotPresent; }}
  void functionalRead(Addr addr, Packet * pkt) {{ }}
  int functionalWrite(Addr addr, Packet * pkt) {{ return 0; }}
  {declarations}
  {ports}
  in_port(requests_in, RubyRequest, mandatoryQueue) {{
    if (requests_in.isReady(clockEdge())) {{
      peek(requests_in, RubyRequest, block_on="LineAddress") {{
        {request}
        if (in_msg.Type == RubyRequestType:LD || in_msg.Type == RubyRequestType:IFETCH) {{
          trigger(Event:Load, in_msg.LineAddress, entry_of(in_msg.LineAddress), TBEs[in_msg.LineAddress]);
        }} else {{
          trigger(Event:Store, in_msg.LineAddress, entry_of(in_msg.LineAddress), TBEs[in_msg.LineAddress]);
        }}
      }}
    }}
  }}
  action(allocate, "a") {{ set_cache_entry(cache.allocate(address, new Entry)); }}
  action(check, "c") {{ {code} }}
  action(serve, "s") {{
    peek(requests_in, RubyRequest) {{
      if (in_msg.Type == RubyRequestType:ST) {{ sequencer.writeCallback(address, cache_entry.DataBlk); }}
      else {{ sequencer.readCallback(address, cache_entry.DataBlk); }}
    }}
  }}
  action(pop, "p") {{ requests_in.dequeue(clockEdge()); }}
  {transitions}
  {requests}
}}
"#
    )
}

pub(crate) fn open(source: &str) -> Result<Protocol, Vec<String>> {
    let text = format!("protocol \"Test\"; include \"RubySlicc_interfaces.slicc\"; {source}");
    let loaded = load_with(Path::new("test.slicc"), &mut |_| Ok(text.clone().into_bytes()));
    let failed = |failure: slicc::load::Failure| {
        let said = failure.diagnostics.iter().map(|one| {
            let line = one.span.map_or(0, |span| failure.sources.position(span).1);
            format!("{line}: {}", one.message)
        });
        said.collect::<Vec<_>>()
    };
    Protocol::new(loaded.map_err(failed)?, 64).map_err(failed)
}

/// How a run of 40 operations on one line ends.
pub(crate) fn outcome_with(source: &str, settings: &[&str], threads: u32) -> String {
    match run_with(source, settings, threads, false) {
        Ok(run) => run.fault.map_or("clean".to_owned(), |fault| fault.message),
        Err(said) => said,
    }
}

/// Runs 40 operations on one line, or returns the errors of the protocol or its plan.
pub(crate) fn run_with(
    source: &str,
    settings: &[&str],
    threads: u32,
    strict: bool,
) -> Result<Run, String> {
    let protocol = open(source).map_err(|said| said.join("\n"))?;
    let simulation = Simulation {
        shape: ProgramSize {
            threads,
            operations: 40,
            locations: 1,
            rmws: 0,
            seed: 1,
            ..ProgramSize::default()
        },
        client: Client::IN_ORDER,
        options: Options {
            settings: settings.iter().map(|one| one.parse().expect("a setting")).collect(),
            strict,
            ..Options::default().steady()
        },
        deadlock_threshold: Some(20_000),
    };
    let plan = simulation.plan(&protocol).map_err(|said| {
        let messages: Vec<&str> = said.iter().map(|one| &*one.message).collect();
        messages.join("\n")
    })?;
    let run = simulation.run(&protocol, &plan, None);
    run.map_err(|error| error.to_string())
}

#[track_caller]
pub(crate) fn reaches(pieces: Pieces<'_>, settings: &[&str]) {
    let outcome = outcome_with(&source(pieces), settings, 1);
    assert!(outcome.ends_with(": done"), "{outcome}");
}

/// Checks that the code runs to its end, with these declarations.
#[track_caller]
pub(crate) fn computes(types: &str, declarations: &str, code: &str) {
    let code = format!("{code} error(\"done\");");
    reaches(Pieces { types, declarations, code: &code, ..Pieces::default() }, &[]);
}
