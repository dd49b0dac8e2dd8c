//! Declarations that stand beside a protocol: those of a fork's `RubySlicc_*.sm` files, and descriptions of what the runtime lacks.

use std::io;
use std::path::{Path, PathBuf};

use simulate::client::Client;
use simulate::config::Options;
use simulate::program::ProgramSize;
use simulate::simulation::Simulation;
use slicc::load::{Beside, Failure, load_beside};
use slicc::protocol::{BLOCK_BYTES, Protocol};
use slicc::source::{Diagnostic, Severity};

use crate::small::{Pieces, source};

/// Reads a protocol of one machine in `chi`, with the files of the folder above it, and a description if it is not empty.
fn open(machine: &str, shared: &[(&str, &str)], library: &str) -> Result<Protocol, Failure> {
    let text = format!("protocol \"Test\"; include \"RubySlicc_interfaces.slicc\"; {machine}");
    let libraries =
        if library.is_empty() { Vec::new() } else { vec![PathBuf::from("own.library")] };
    let beside = Beside { folders: vec![PathBuf::from("protocol")], libraries };
    let loaded = load_beside(Path::new("protocol/chi/test.slicc"), beside, &mut |path| {
        let path = path.to_str().unwrap_or("");
        let text = match path {
            "protocol/chi/test.slicc" => Some(&*text),
            "own.library" => Some(library),
            _ => {
                shared.iter().find(|(name, _)| path == format!("protocol/{name}")).map(|one| one.1)
            }
        };
        text.map(|text| text.as_bytes().to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
    })?;
    Protocol::new(loaded, BLOCK_BYTES)
}

/// How a run of the protocol ends.
fn outcome(protocol: &Protocol) -> String {
    let simulation = Simulation {
        shape: ProgramSize {
            threads: 1,
            operations: 40,
            locations: 1,
            seed: 1,
            ..ProgramSize::default()
        },
        client: Client::IN_ORDER,
        options: Options::default().steady(),
        deadlock_threshold: Some(20_000),
    };
    let plan = simulation.plan(protocol).unwrap_or_else(|said| panic!("{said:?}"));
    let run = simulation.run(protocol, &plan, None).expect("the plan fits");
    run.fault.map_or("clean".to_owned(), |fault| fault.message)
}

/// Checks that the action of a request runs to its end.
#[track_caller]
fn reaches(pieces: Pieces<'_>, shared: &[(&str, &str)], library: &str) -> Protocol {
    let code = format!("{} error(\"done\");", pieces.code);
    let machine = source(Pieces { code: &code, ..pieces });
    let protocol = open(&machine, shared, library)
        .unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let outcome = outcome(&protocol);
    assert!(outcome.ends_with(": done"), "{outcome}");
    protocol
}

/// The errors of a protocol, each with the texts of its notes and its hint.
fn errors(pieces: Pieces<'_>, shared: &[(&str, &str)], library: &str) -> Vec<String> {
    let failure = open(&source(pieces), shared, library).expect_err("it has errors");
    let shown = |one: &Diagnostic| {
        let place = one.span.map(|span| failure.sources.position(span));
        let place =
            place.map_or(String::new(), |(path, line, _)| format!("{}:{line}: ", path.display()));
        let notes: Vec<&str> = one.notes.iter().map(|(_, note)| &**note).collect();
        format!(
            "{place}{} | {} | {}",
            one.message,
            notes.join(", "),
            one.hint.as_deref().unwrap_or("")
        )
    };
    let errors = failure.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    errors.map(shown).collect()
}

const EXPORTS: (&str, &str) = (
    "RubySlicc_Exports.sm",
    "enumeration(RubyRequestType) { LD; ST; LD_SPEC, desc=\"of this fork\"; }
     enumeration(MachineType) { L1Cache; Switch; }
     enumeration(MessageSizeType) { Control; Hint_Control; }
     enumeration(AccessPermission) { Read_Only; Leased; }
     enumeration(Level) { Low; High; }
     structure(Hint) { Level level, default=\"Level_High\"; Addr of; }",
);

const TYPES: (&str, &str) = (
    "RubySlicc_Types.sm",
    "structure(RubyRequest, interface=\"Message\", external=\"yes\") { Addr LineAddress; Hint hint; int unused; }
     structure(CacheMemory, external=\"yes\") { bool isTagPresent(Addr); void profileEntry(Addr, Level); }
     structure(Tracker, external=\"yes\") { void touch(Addr); bool isTouched(Addr); void recordTouch(); }
     structure(Lines, interface=\"CacheMemory\", external=\"yes\") { int getBanks(); }
     int levels(Level);",
);

#[test]
fn a_forks_values_types_fields_and_machines_are_its_own() {
    let code = "assert(RubyRequestType:LD_SPEC != RubyRequestType:hasNoAddr && MessageSizeType:Hint_Control != MessageSizeType:Control);
        Hint hint; assert(hint.level == Level:High); hint.level := Level:Low; assert(Level_to_string(hint.level) == \"Low\");
        peek(requests_in, RubyRequest) { assert(in_msg.hint.level == Level:High && in_msg.Type != RubyRequestType:LD_SPEC); }
        assert(machineCount(MachineType:Switch) == 1 && machineIDToMachineType(machineID) == MachineType:Switch);
        MachineID none; assert(none != machineID);
        NetDest all; all.broadcast(MachineType:Switch); assert(all.count() == 1 && all.isElement(machineID));
        all.remove(machineID); all.remove(createMachineID(MachineType:L1Cache, intToID(0))); assert(all.isEmpty());
        assert(MachineType_to_string(MachineType:Switch) == \"Switch\" && Level_to_int(Level:High) == 1);
        cache.profileEntry(address, Level:Low);";
    let states = "L, AccessPermission:Leased;";
    let machine =
        source(Pieces { states, code: &format!("{code} error(\"done\");"), ..Pieces::default() });
    let machine = machine
        .replace("L1Cache", "Switch")
        .replace("createMachineID(MachineType:Switch", "createMachineID(MachineType:L1Cache");
    let protocol = open(&machine, &[EXPORTS, TYPES], "")
        .unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let outcome = outcome(&protocol);
    assert!(outcome.ends_with(": done"), "{outcome}");
    let warnings: Vec<&str> = protocol.warnings.iter().map(|one| &*one.message).collect();
    assert!(
        warnings
            .iter()
            .any(|one| one.contains("what only counts is ignored: CacheMemory.profileEntry")),
        "{warnings:?}"
    );
    // Without the files, a name is unknown.
    let failure = open(&machine, &[], "").expect_err("it has errors");
    let first = &failure.diagnostics[0];
    assert_eq!(first.message, "there is no machine type `Switch`");
    assert!(first.hint.as_deref().unwrap_or("").contains("RubySlicc_Exports.sm"), "{first:?}");
}

#[test]
fn shared_files_that_cannot_be_read_are_a_warning() {
    let wrong = ("RubySlicc_Types.sm", "structure(CacheMemory {");
    let protocol = reaches(Pieces::default(), &[EXPORTS, wrong], "");
    let warnings: Vec<&str> = protocol.warnings.iter().map(|one| &*one.message).collect();
    assert!(
        warnings.iter().any(|one| one.starts_with("the declarations of this file are not read: ")),
        "{warnings:?}"
    );
}

#[test]
fn what_is_missing_is_named_once_with_what_can_be_done() {
    let parameters = "Tracker * tracker; Counts * counts; Lines * lines;";
    let code = "tracker.touch(address); tracker.touch(address); if (tracker.isTouched(address)) { tracker.touch(address); }
        tracker.recordTouch(); counts.add(1); counts.add(2); counts.add(3);
        int l := levels(Level:Low); l := levels(Level:High); l := lines.getBanks(); bool b := lines.isTagPresent(address);
        NoType x; x.a := 1; x.b := 2; NoType y; l := NoEnumeration:A; l := NoEnumeration:B; none(l); none(l);";
    let said = errors(Pieces { parameters, code, ..Pieces::default() }, &[EXPORTS, TYPES], "");
    let starts = [
        "the type `Counts` is not declared",
        "the type `NoType` is not declared",
        "the type `NoEnumeration` is not declared",
        "the function `none` is not declared",
        "`Tracker` is not supported by this runtime: it has no behaviour for touch, isTouched, recordTouch",
        "`levels` is not supported by this runtime",
        "`CacheMemory` is not supported by this runtime: it has no behaviour for getBanks",
    ];
    assert_eq!(said.len(), starts.len(), "{said:#?}");
    for (one, start) in said.iter().zip(starts) {
        assert!(one.contains(start), "{said:#?}");
    }
    assert!(said[4].contains("declared here without a body"), "{}", said[4]);
    assert!(said[4].contains("and here, as in 4 more places"), "{}", said[4]);
    assert!(said[4].contains("the setting library = FILE: structure(Tracker) { void touch(Addr a) { … } bool isTouched(Addr a) { … } void recordTouch() { … } }"), "{}", said[4]);
    assert!(said[5].contains("int levels(Level a) { … }"), "{}", said[5]);
}

#[test]
fn a_description_gives_behaviour() {
    let library = "structure(Tracker, kind=\"set\") { void touch(Addr a), as=\"add\"; bool isTouched(Addr a), as=\"contains\"; int size(); void clear(); bool isEmpty(); void erase(Addr a); }
        structure(Owners, kind=\"map\") {
          void set(Addr a, MachineID b); MachineID at(Addr a); bool isPresent(Addr a); void remove(Addr a); int size(); bool isEmpty(); void clear();
        }
        structure(Tally, kind=\"counter\") { void inc(); void decrement(); void add(int n); void set(int n); int get(); void reset(); }
        structure(Silent, kind=\"statistic\") { }
        structure(Pair) {
          int first; int second, default=\"5\";
          void put(int value) { first := value; }
          int sum(Pair other) { return first + self.second + other.second; }
          bool isFirst(int value) { if (first == value) { return true; } return false; }
        }
        int levels(Level level) { if (level == Level:High) { return 7; } return twice(2); }
        int twice(int n) { return 2 * n; }";
    let shared = (
        TYPES.0,
        "structure(Tracker, external=\"yes\") { void touch(Addr); bool isTouched(Addr); int size(); void clear(); }
         structure(Silent, external=\"yes\") { int tell(Addr); void tellAll(); }
         int levels(Level); int twice(int);",
    );
    let code = "assert(tracker.isEmpty() && !tracker.isTouched(address)); tracker.touch(address); tracker.touch(address);
        assert(tracker.isTouched(address) && tracker.size() == 1); tracker.erase(address); assert(!tracker.isTouched(address));
        tracker.touch(address); tracker.clear(); assert(tracker.size() == 0);
        owners.set(address, machineID); assert(owners.at(address) == machineID && owners.isPresent(address) && owners.size() == 1);
        owners.remove(address); assert(!owners.isPresent(address) && owners.isEmpty()); owners.set(address, machineID); owners.clear();
        tally.set(3); tally.inc(); tally.inc(); tally.decrement(); tally.add(4); assert(tally.get() == 8); tally.reset(); assert(tally.get() == 0);
        tally.decrement(); assert(tally.get() < 0);
        assert(silent.tell(address) == 0); silent.tellAll();
        pair.put(6); Pair other; assert(pair.sum(other) == 16 && pair.isFirst(6) && !other.isFirst(6));
        pair.put(7); assert(pair.first == 7);
        assert(levels(Level:High) == 7 && levels(Level:Low) == 4);";
    let parameters = "Tracker * tracker; Silent * silent; Pair * pair;";
    let declarations = "Owners owners; Tally tally;";
    reaches(
        Pieces { parameters, declarations, code, ..Pieces::default() },
        &[EXPORTS, shared],
        library,
    );
}

/// A message of a size that only the fork has may go through the network; one without a size may not.
#[test]
fn sizes_of_a_fork_are_sizes() {
    let types = "structure(Note, interface=\"Message\") { Addr addr; NetDest Destination; MessageSizeType MessageSize; }";
    let parameters = "MessageBuffer * notes, network=\"To\", virtual_network=\"1\"; MessageBuffer * noted, network=\"From\", virtual_network=\"1\";";
    let declarations = "out_port(notes_out, Note, notes);";
    let ports = "in_port(noted_in, Note, noted) { if (noted_in.isReady(clockEdge())) { peek(noted_in, Note) { error(\"arrived\"); } } }";
    let send = |size: &str| {
        let code = format!(
            "enqueue(notes_out, Note, 1) {{ out_msg.addr := address; out_msg.Destination.add(machineID); {size} }}"
        );
        let machine = source(Pieces {
            types,
            parameters,
            declarations,
            ports,
            code: &code,
            ..Pieces::default()
        });
        let protocol = open(&machine, &[EXPORTS], "")
            .unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
        outcome(&protocol)
    };
    let arrived = send("out_msg.MessageSize := MessageSizeType:Hint_Control;");
    assert!(arrived.ends_with(": arrived"), "{arrived}");
    let unset =
        send("if (out_msg.MessageSize == MessageSizeType:Hint_Control) { error(\"set\"); }");
    assert!(unset.contains("MessageSize was never set"), "{unset}");
}

/// A description of a machine is added to the machine of that name, so that its functions see the ports and variables.
#[test]
fn a_description_may_add_to_a_machine() {
    let library = "machine(MachineType:L1Cache, \"more of it\") : int step := 3; {
          int asked, default=\"0\";
          int count(Addr a) { asked := asked + step; if (cache.isTagPresent(a)) { return asked; } return 0; }
          void pop_request() { requests_in.dequeue(clockEdge()); }
        }";
    let declarations = "int count(Addr a); TBETable others, template=\"<L1Cache_TBE>\";";
    let library = &format!(
        "{library}
         structure(TBETable) {{ int twice(int n) {{ return 2 * n; }} bool has(Addr a) {{ return self.isPresent(a); }} }}
         structure(Entry) {{ int more(int n) {{ return Count + n; }} }}
         structure(RubyRequest) {{ bool isOf(Addr a) {{ return LineAddress == a; }} }}"
    );
    let code = "assert(count(address) == 3 && count(address) == 6 && count(address + 64) == 0);
        assert(TBEs.twice(4) == 8 && !TBEs.has(address) && !others.has(address)); assert(cache_entry.more(1) == 8);
        peek(requests_in, RubyRequest) { assert(in_msg.isOf(address) && !in_msg.isOf(address + 64)); }";
    reaches(Pieces { declarations, code, ..Pieces::default() }, &[], library);
}

#[test]
fn a_class_may_be_described_as_one_that_the_runtime_has() {
    let library = "structure(VictimCache, kind=\"CacheMemory\") {
          bool holds(Addr a), as=\"isTagPresent\";
          int both(Addr a) { if (self.isTagPresent(a)) { return 2; } return 1; }
        }
        enumeration(MachineType) { Other; }";
    let parameters = "VictimCache * victims; Coupled * coupled;";
    let code = "assert(!victims.holds(address) && victims.both(address) == 1 && victims.cacheAvail(address));
        AbstractCacheEntry made := victims.allocate(address, new Entry); assert(victims.holds(address) && victims.both(address) == 2);
        assert(cache.isTagPresent(address)); assert(!coupled.isTagPresent(address)); assert(MachineType:Other != MachineType:NULL);";
    let shared = (
        TYPES.0,
        "structure(Coupled, interface=\"CacheMemory\", external=\"yes\") { int getBanks(); }",
    );
    let states = Pieces { parameters, code, ..Pieces::default() };
    reaches(states, &[shared], library);
}

#[test]
fn wrong_descriptions_are_errors_with_their_lines() {
    let library = "structure(A, kind=\"sett\") { }\nstructure(B, kind=\"set\") { void squash(Addr a); }\nint f(Addr a);\n\
        machine(MachineType:L2Cache, \"x\") : { }\nstructure(C, kind=\"map\") { void put(Addr a, int b), as=\"nothing\"; }\nint number;";
    let said = errors(Pieces { code: "", ..Pieces::default() }, &[], library);
    let expected = [
        ("own.library:4: the protocol has no machine `L2Cache`", "name one of its machines"),
        ("own.library:1: there is no kind `sett`", "set, map, counter"),
        ("own.library:2: a set has no function `squash` with 1 arguments", "add(_)"),
        ("own.library:3: `f` has no body", "return"),
        ("own.library:5: a map has no function `nothing` with 2 arguments", "set(_, _)"),
        ("own.library:6: a description has functions, structures", "protocol's own files"),
    ];
    assert_eq!(said.len(), expected.len(), "{said:#?}");
    for (one, (start, hint)) in said.iter().zip(expected) {
        assert!(one.starts_with(start) && one.contains(hint), "{said:#?}");
    }
    let said = errors(Pieces::default(), &[], "int f(Addr a) { return 0 }");
    assert!(said[0].starts_with("own.library:1: expected `;`"), "{said:#?}");
}
