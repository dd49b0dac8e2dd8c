//! The mutants that operators make: each one compiles, differs from its protocol only at its site,
//! and has a patch that produces it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use mutate::{Mutant, Operator, Origin, Site, made};
use slicc::builtin::BUILTINS;
use slicc::load::load_with;
use slicc::outline::Next;
use slicc::protocol::{BLOCK_BYTES, Protocol};

fn open(name: &str) -> Protocol {
    Protocol::open(name).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

fn site(mutant: &Mutant) -> (Operator, &Site) {
    match &mutant.origin {
        Origin::Made { operator, site } => (*operator, site),
        Origin::Named | Origin::Repair => panic!("{} is named", mutant.name),
    }
}

/// Every `step`-th mutant of each operator.
fn sample(all: &[Mutant], step: usize) -> impl Iterator<Item = &Mutant> {
    let mut counts: BTreeMap<Operator, usize> = BTreeMap::new();
    all.iter().filter(move |one| {
        let count = counts.entry(site(one).0).or_default();
        *count += 1;
        *count % step == 1 % step
    })
}

/// The content of an entry: next state, actions, request types.
type Content = (String, Vec<String>, Vec<String>);

/// The entries of a protocol by machine, state and event.
fn tables(protocol: &Protocol) -> BTreeMap<[String; 3], Content> {
    let mut rows = BTreeMap::new();
    for machine in &protocol.outline.machines {
        let state = |index: u16| machine.states[usize::from(index)].name.clone();
        for entry in &machine.entries {
            let event = machine.events[usize::from(entry.event)].name.clone();
            let next = match entry.next {
                Next::State(next) => state(next),
                Next::Computed => "*".to_owned(),
            };
            let actions = entry.actions.iter();
            let actions = actions.map(|&one| machine.actions[usize::from(one)].name.clone());
            let requests = entry.requests.iter();
            let requests = requests.map(|&one| machine.requests[usize::from(one)].name.clone());
            let pair = [machine.name.clone(), state(entry.state), event];
            rows.insert(pair, (next, actions.collect(), requests.collect()));
        }
    }
    rows
}

/// Applies a mutant.
fn mutated(protocol: &Protocol, mutant: &Mutant) -> Protocol {
    protocol.with(mutant).unwrap_or_else(|failure| {
        let told: Vec<_> = failure.diagnostics.iter().map(|one| &one.message).collect();
        panic!("{}: {told:?}\n{}", mutant.name, patch(protocol, mutant))
    })
}

fn patch(protocol: &Protocol, mutant: &Mutant) -> String {
    mutant.patch(&protocol.loaded).unwrap()
}

/// Checks that a mutant compiles, that it changes a file or has a setting, and that its tables
/// differ at its site only.
fn check_one(protocol: &Protocol, tables_before: &BTreeMap<[String; 3], Content>, mutant: &Mutant) {
    let (operator, site) = site(mutant);
    let id = &mutant.name;
    let after = mutated(protocol, mutant);
    let changed = mutant.changed(&protocol.loaded).unwrap();
    assert_eq!(changed.is_empty(), patch(protocol, mutant).is_empty(), "{id}");
    if changed.is_empty() {
        assert!(!mutant.settings.is_empty(), "{id} does nothing");
    }
    for one in &changed {
        let files = protocol.loaded.own_files();
        let (_, text) = files.iter().find(|(path, _)| *path == one.path).unwrap();
        assert_ne!(*text, one.text, "{id}");
    }
    let tables_after = tables(&after);
    let pairs: BTreeSet<_> = tables_before.keys().chain(tables_after.keys()).collect();
    let differs = |pair: &&&[String; 3]| tables_before.get(**pair) != tables_after.get(**pair);
    let differing: Vec<_> = pairs.iter().filter(differs).collect();
    match (&site.state, &site.event) {
        (Some(state), Some(event)) => {
            let own = [site.machine.clone(), state.clone(), event.clone()];
            assert!(differing.iter().all(|pair| ***pair == own), "{id}: {differing:?}");
            assert_eq!(differing.len(), 1, "{id} ({operator}) changes nothing");
        }
        _ => assert!(differing.is_empty(), "{id}: {differing:?}"),
    }
}

#[test]
fn all_mutants_of_mi_are_protocols_that_differ_where_they_say() {
    let protocol = open("MI_example");
    let before = tables(&protocol);
    for mutant in made::all(&protocol) {
        check_one(&protocol, &before, &mutant);
    }
}

/// Approximate number of mutants of each protocol that are checked; `RUBRIC_MUTANTS` overrides it.
const SAMPLED: usize = 150;

#[test]
fn mutants_of_others_are_protocols_that_differ_where_they_say() {
    let asked = std::env::var("RUBRIC_MUTANTS").ok();
    let sampled = asked.and_then(|sampled| sampled.parse().ok()).unwrap_or(SAMPLED);
    for one in BUILTINS.iter().filter(|one| one.name != "MI_example") {
        let protocol = open(one.name);
        let before = tables(&protocol);
        let all = made::all(&protocol);
        for mutant in sample(&all, (all.len() / sampled).max(1)) {
            check_one(&protocol, &before, mutant);
        }
    }
}

#[test]
fn ids_are_unique_and_plain_and_found() {
    for one in BUILTINS {
        let protocol = open(one.name);
        let all = made::all(&protocol);
        let ids: BTreeSet<&str> = all.iter().map(|one| &*one.name).collect();
        assert_eq!(ids.len(), all.len());
        for mutant in &all {
            let (operator, site) = site(mutant);
            let id = &*mutant.name;
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._:+@-".contains(c);
            assert!(id.chars().all(is_plain), "{id}");
            assert!(id.starts_with(&format!("{}/{}/", one.name, site.machine)));
            let detail = id.rsplit('/').next().unwrap();
            assert!(detail.starts_with(operator.name()), "{id}");
            let about = &mutant.description;
            assert!(about.starts_with("In ") && about.ends_with('.'), "{id}: {about}");
            assert!(!about.contains("  ") && !about.contains('\n'), "{id}: {about}");
        }
        for mutant in sample(&all, 500) {
            assert_eq!(made::find(&protocol, &mutant.name).as_ref(), Some(mutant));
        }
        assert_eq!(made::find(&protocol, "no/such/mutant"), None);
        let of = made::by(&protocol, &[Operator::NoNotify]);
        assert!(all.iter().filter(|one| site(one).0 == Operator::NoNotify).eq(&of));
    }
}

#[test]
fn every_operator_has_sites() {
    let protocols = BUILTINS.iter().map(|one| open(one.name));
    let all: Vec<Mutant> = protocols.flat_map(|one| made::all(&one)).collect();
    let used: BTreeSet<Operator> = all.iter().map(|one| site(one).0).collect();
    assert!(used.into_iter().eq(Operator::ALL.iter().copied()));
}

#[test]
fn a_wrong_id_has_neighbours() {
    let protocol = open("MI_example");
    let near = made::nearest(&protocol, "MI_example/L1Cache/IM.Data/drop-action:fill_enrty");
    assert_eq!(near[0], "MI_example/L1Cache/IM.Data/drop-action:fill_entry");
    let near = made::nearest(&protocol, "m.fwd_getx/drop-transition");
    let expected =
        ["IM", "M"].map(|state| format!("MI_example/L1Cache/{state}.Fwd_GETX/drop-transition"));
    assert_eq!(near, expected);
}

#[test]
fn ids_say_what_the_catalogue_names() {
    let expected = [
        ("MI_example", "L1Cache/M.Fwd_GETX/next-state-other:M"),
        ("MI_example", "L1Cache/IM.Data/swap-actions:fill_entry+write_miss_done"),
        ("MI_example", "L1Cache/action:keep_copy/data-not-written:DataBlk@1"),
        ("MI_example", "L1Cache/IS.Fwd_GETX/stall-popped:pop_forward"),
        ("MI_example", "L1Cache/IS.Fwd_GETX/stall-answered:M"),
        ("MI_example", "L1Cache/IS.Load/stall-removed:z_stall"),
        ("MI_example", "L1Cache/M.Load/stall-added:z_stall"),
        ("MI_example", "L1Cache/action:take_tbe/no-allocation-check:TBEs@1"),
        ("MI_example", "L1Cache/port:core_in/no-lock-check:check_on_cache_probe@1"),
        ("MI_example", "L1Cache/port:forward_in/no-lock-check:block_on@1"),
        ("MI_example", "L1Cache/action:put_block/payload:none@1"),
        ("MI_example", "L1Cache/buffer:forwardToCache/unordered-buffer"),
        ("MESI_Two_Level", "L1Cache/IS.Inv/no-notify:tell_core_of_loss"),
        ("MESI_Two_Level", "L1Cache/IS.Inv/drop-action:confirm_drop"),
        ("MESI_Two_Level", "L1Cache/buffer:responseToL1Cache/wrong-network:0"),
        ("MESI_Two_Level", "L1Cache/action:confirm_drop/acks-off-by-one:fewer@1"),
        ("MESI_Two_Level", "L2Cache/action:send_for_write/acks-off-by-one:more@1"),
        ("MESI_Two_Level", "L2Cache/action:send_shared/message-type:DATA_EXCLUSIVE@1"),
        ("MESI_Two_Level", "L2Cache/action:store_put_block/condition-ignored@1"),
        ("MESI_Two_Level", "L1Cache/action:keep_copy/dirty-flag:false@1"),
        ("MOESI_AMD_Base", "CorePair/S_F0.PrbInv/no-notify:tell1"),
    ];
    for (name, id) in expected {
        let id = format!("{name}/{id}");
        assert!(made::find(&open(name), &id).is_some(), "{id}");
    }
}

#[test]
fn patches_are_for_the_program_patch() {
    if Command::new("patch").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for one in BUILTINS {
        let protocol = open(one.name);
        let all = made::all(&protocol);
        for mutant in sample(&all, 997) {
            let files = protocol.loaded.own_files();
            for (path, text) in &files {
                std::fs::write(folder.path().join(path), text).unwrap();
            }
            let file = folder.path().join("patch");
            std::fs::write(&file, patch(&protocol, mutant)).unwrap();
            let mut program = Command::new("patch");
            program.args(["-p1", "--silent", "--fuzz=0", "-i"]).arg(&file);
            let output = program.current_dir(folder.path()).output().unwrap();
            if !patch(&protocol, mutant).is_empty() {
                assert!(output.status.success(), "{}: {output:?}", mutant.name);
            }
            for changed in mutant.changed(&protocol.loaded).unwrap() {
                let text = std::fs::read_to_string(folder.path().join(&changed.path)).unwrap();
                assert_eq!(text, changed.text, "{}", mutant.name);
            }
        }
    }
}

/// A protocol in a style that differs from that of the built-in ones.
const OTHER: &str = r#"
enumeration(Kind) { ASK; GIVE; TAKE; }
structure(Msg, interface="Message") {
  Addr addr; Kind Type; MachineID From; NetDest Destination; DataBlock Data; int Acks; bool isDirty;
  MessageSizeType MessageSize;
}
machine(MachineType:L1Cache, "in another hand")
 : Sequencer * sequencer; CacheMemory * cache;
   MessageBuffer * out, network="To", virtual_network="1", ordered="true", vnet_type="a";
   MessageBuffer * in, network="From", virtual_network="2", ordered="false", vnet_type="b";
   MessageBuffer * mandatoryQueue;
{
  state_declaration(State, default="L1Cache_State_I") {
    I, AccessPermission:Invalid; B, AccessPermission:Busy; V, AccessPermission:Read_Write;
  }
  enumeration(Event) { Load; Give; Take; }
  enumeration(RequestType) { Tags; }
  enumeration(Colour) { RED; GREEN; }
  structure(Own, interface="Message") { Addr addr; Colour Hue; }
  structure(Entry, interface="AbstractCacheEntry") { State CacheState; DataBlock Block; }
  Entry entry_of(Addr a), return_by_pointer="yes" { return static_cast(Entry, "pointer", cache[a]); }
  State getState(Entry cache_entry, Addr addr) {
    if (is_valid(cache_entry)) { return cache_entry.CacheState; }
    return State:I;
  }
  void setState(Entry cache_entry, Addr addr, State state) {
    if (is_valid(cache_entry)) { cache_entry.CacheState := state; }
  }
  State getNextState(Addr addr) { return State:V; }
  void recordRequestType(RequestType type, Addr addr) { }
  bool checkResourceAvailable(RequestType type, Addr addr) { return true; }
  void setAccessPermission(Entry cache_entry, Addr addr, State state) { }
  AccessPermission getAccessPermission(Addr addr) { return AccessPermission:NotPresent; }
  void functionalRead(Addr addr, Packet * pkt) { }
  int functionalWrite(Addr addr, Packet * pkt) { return 0; }
  out_port(sends, Msg, out);
  out_port(paints, Own, out);
  in_port(answers, Msg, in) {
    if (answers.isReady(clockEdge())) {
      peek(answers, Msg, block_on="addr") {
        if (in_msg.Type == Kind:GIVE) { trigger(Event:Give, in_msg.addr, entry_of(in_msg.addr)); }
        else { trigger(Event:Take, in_msg.addr, entry_of(in_msg.addr)); }
      }
    }
  }
  in_port(asks, RubyRequest, mandatoryQueue) {
    if (asks.isReady(clockEdge())) {
      peek(asks, RubyRequest) { trigger(Event:Load, in_msg.LineAddress, entry_of(in_msg.LineAddress)); }
    }
  }
  action(a_ask, "a") {
    peek(asks, RubyRequest) {
      enqueue(sends, Msg, 1) {
        out_msg.addr := address; out_msg.Type := Kind:ASK; out_msg.From := machineID;
        out_msg.Destination.add(machineID); out_msg.Acks := 1; // one
        out_msg.isDirty := true;
        out_msg.Data := cache_entry.Block;
      }
    }
  }
  action(h_hue, "h") {
    enqueue(paints, Own, 1) { out_msg.addr := address; out_msg.Hue := Colour:RED; }
    if (cache_entry.CacheState == State:V) {
      assert(Colour:GREEN == Colour:GREEN);
    }
  }
  action(d_data, "d") { peek(answers, Msg) { cache_entry.Block := in_msg.Data; } }
  action(p_pop, "p") { asks.dequeue(clockEdge()); }
  action(o_pop, "o") { answers.dequeue(clockEdge()); }
  action(z_stall, "z") { }
  action(zz_recycle, "zz") { asks.recycle(clockEdge(), cyclesToTicks(recycle_latency)); }
  action(wait, "w") { stall_and_wait(answers, address); }

  transition(I, Load, B) {Tags} { // first
    a_ask;   // ask
    h_hue;
    p_pop; } transition({I, V},
    Give) wait
  transition(B, Load) zz_recycle
  transition({ B V }, Take, *) { o_pop }
  transition(B, Give, *) { d_data; o_pop; }
  transition(V, Load) {
    z_stall;
  }
}
"#;

fn other(text: &str) -> Protocol {
    let loaded = load_with(Path::new("other/other.slicc"), &mut |path| match path
        .file_name()
        .and_then(|name| name.to_str())
    {
        Some("other.slicc") => Ok(b"protocol \"Other\"; include \"other.sm\";".to_vec()),
        _ => Ok(text.as_bytes().to_vec()),
    });
    let opened = loaded.and_then(|loaded| Protocol::new(loaded, BLOCK_BYTES));
    opened.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

#[test]
fn any_protocol_has_mutants() {
    let protocol = other(OTHER);
    let before = tables(&protocol);
    let all = made::all(&protocol);
    for mutant in &all {
        check_one(&protocol, &before, mutant);
    }
    let ids: BTreeSet<&str> = all.iter().map(|one| &*one.name).collect();
    assert_eq!(ids.len(), all.len());
    for id in [
        "V.Take/next-state-other:I",
        "V.Take/next-state-other:V",
        "I.Load/drop-action:h_hue",
        "I.Load/swap-actions:a_ask+h_hue",
        "I.Give/stall-removed:wait",
        "I.Give/stall-popped:o_pop",
        "I.Load/stall-added:z_stall",
        "I.Load/stall-added:zz_recycle",
        "B.Load/stall-answered:I",
        "V.Load/stall-removed:z_stall",
        "action:h_hue/message-type:GREEN@1",
        "action:a_ask/message-type:GIVE@1",
        "action:a_ask/dirty-flag:false@1",
        "action:a_ask/acks-off-by-one:fewer@1",
        "buffer:out/wrong-network:2",
        "buffer:out/unordered-buffer",
    ] {
        let id = format!("Other/L1Cache/{id}");
        assert!(ids.contains(&*id), "{id}: there are {ids:#?}");
    }
    // A `z_stall` keeps the other actions of its row from having an effect.
    assert!(!ids.contains("Other/L1Cache/V.Load/duplicate-action:z_stall"));
    assert!(!ids.contains("Other/L1Cache/buffer:in/unordered-buffer"));
}

#[test]
fn what_is_said_elsewhere_does_not_change_ids() {
    let edited = OTHER
        .replace("  action(p_pop", "  // A comment.\n\n  action(idle, \"i\") { }\n  action(p_pop");
    assert_ne!(edited, OTHER);
    let ids = |text: &str| -> Vec<String> {
        let all = made::all(&other(text));
        all.iter().map(|one| one.name.to_string()).collect()
    };
    assert_eq!(ids(&edited), ids(OTHER));
}

/// The lines that a mutant removes and adds.
fn lines(id: &str) -> String {
    let protocol = other(OTHER);
    let mutant = made::find(&protocol, &format!("Other/L1Cache/{id}")).expect(id);
    let patch = patch(&protocol, &mutant);
    let lines = patch.lines().skip(2).filter(|line| line.starts_with(['-', '+']));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn as_much_as_possible_stays() {
    assert_eq!(lines("I.Load/drop-action:h_hue"), "-    h_hue;");
    assert_eq!(lines("V.Load/stall-removed:z_stall"), "-    z_stall;\n+    ");
    assert_eq!(
        lines("action:a_ask/acks-off-by-one:more@1"),
        "-        out_msg.Destination.add(machineID); out_msg.Acks := 1; // one\n\
         +        out_msg.Destination.add(machineID); out_msg.Acks := 2; // one"
    );
    assert_eq!(lines("action:a_ask/payload:none@1"), "-        out_msg.Data := cache_entry.Block;");
    assert_eq!(
        lines("B.Give/next-state-other:I"),
        "-  transition(B, Give, *) { d_data; o_pop; }\n+  transition(B, Give, I) { d_data; o_pop; }"
    );
    assert_eq!(
        lines("B.Take/drop-transition"),
        "-  transition({ B V }, Take, *) { o_pop }\n+  transition({ V }, Take, *) { o_pop }"
    );
    assert_eq!(
        lines("I.Give/stall-removed:wait"),
        "-    p_pop; } transition({I, V},\n+    p_pop; } transition({V},\n+    transition(I, Give) {}"
    );
}

#[test]
fn a_shift_is_counted_after_it_is_done() {
    let shifted = |count: &str| {
        let protocol = other(&OTHER.replace("Acks := 1;", &format!("Acks := {count};")));
        let id = "Other/L1Cache/action:a_ask/acks-off-by-one:more@1";
        patch(&protocol, &made::find(&protocol, id).unwrap())
    };
    assert!(shifted("2 << 3").contains("Acks := (2 << 3) + 1;"));
    assert!(shifted("(2 << 3)").contains("Acks := (2 << 3) + 1;"));
    assert!(shifted("2 * 3").contains("Acks := 2 * 3 + 1;"));
}

#[test]
fn an_order_that_stands_in_the_file_is_edited_there() {
    let protocol = other(OTHER);
    let id = "Other/L1Cache/buffer:out/unordered-buffer";
    let mutant = made::find(&protocol, id).unwrap();
    assert!(patch(&protocol, &mutant).contains(
        "\n+   MessageBuffer * out, network=\"To\", virtual_network=\"1\", ordered=\"false\""
    ));
    assert_eq!(mutant.settings, ["L1Cache.out=unordered".parse().unwrap()]);
    let id = "MI_example/L1Cache/buffer:forwardToCache/unordered-buffer";
    let original = open("MI_example");
    let scripted = made::find(&original, id).unwrap();
    assert_eq!(patch(&original, &scripted), "");
    let setting = "L1Cache.forwardToCache=unordered".parse().unwrap();
    assert_eq!(scripted.settings, [setting]);
}
