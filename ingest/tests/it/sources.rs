//! Histories that a client or a CPU prints, and the choice between sources.

use crate::common;
use crate::common::{Script, kinds, lossy, operations};
use history::{Kind, OpId, Source};
use ingest::input::Lines;
use ingest::{Addresses, Error, Live, LiveEnd, Options};

const A: u64 = 0x1000;

fn from(source: Source) -> Options {
    Options { source: Some(source), ..Options::default() }
}

/// Thread 0 stores, then loads the value from its store buffer, and the store reaches memory later.
fn client() -> Script {
    let mut script = Script::new();
    script.line("      1: system.cpu0: T0 op 0 store 0x1000 0x100000001");
    script.line("      2: system.cpu0: T0 op 2 load 0x1040 0");
    script.line("      3: system.cpu0: T0 op 1 load 0x1000 0x100000001 forwarded");
    script.line("      4: system.cpu0: T0 op 3 store 0x1040 0x100000002");
    script.tick = 4;
    script.store(0, A, &[1, 0, 0, 0, 1]);
    script
}

#[test]
fn a_client_prints_its_own_program_order() {
    let script = client();
    let trace = script.read();
    let history = &trace.histories[0];
    assert_eq!(history.provenance.source, Source::Client);
    assert_eq!(
        operations(&trace),
        [
            "0: store 0x1000 := 0x100000001",
            "0: load 0x1000 == 0x100000001",
            "0: load 0x1040 == 0x0",
            "0: store 0x1040 := 0x100000002",
        ]
    );
    let order: Vec<Option<u32>> = history.ops().map(|op| history.order(op)).collect();
    assert_eq!(order, [Some(2), Some(1), Some(0), None]);
    let store = history.operation(OpId(0));
    assert_eq!((store.issued, store.completed), (Some(1), Some(6)));
    assert_eq!(store.line, Some(1));
    let load = history.operation(OpId(1));
    assert_eq!((load.issued, load.completed), (None, Some(3)));
    assert_eq!(trace.statistics.forwarded_loads, 1);
    assert_eq!(trace.statistics.uncommitted_stores, 1);
    let notes = &history.provenance.notes;
    assert!(notes[0].starts_with("1 store of the client was never seen"), "{notes:?}");
}

#[test]
fn the_same_file_holds_what_ruby_saw() {
    let trace = client().read_with(&from(Source::Ruby));
    assert_eq!(operations(&trace), ["0: store 0x1000 := 0x100000001"]);
    assert_eq!(trace.statistics.client_operations, 4);
    let error = common::read(&client().text, &from(Source::Exec)).unwrap_err();
    assert!(matches!(error, Error::NoSource { .. }));
    let words = error.to_string();
    assert!(words.contains("--debug-flags=Exec"), "{words}");
    assert!(words.contains("(client, ruby)"), "{words}");
}

#[test]
fn an_operation_that_is_there_twice() {
    let mut script = client();
    script.line("      9: system.cpu0: T0 op 2 load 0x1040 0");
    let words = script.error().to_string();
    assert!(words.starts_with("t:14: "), "{words}");
    assert!(words.contains("which line 2 has already"), "{words}");
    assert_eq!(script.read_with(&lossy()).histories[0].operations(), 4);
}

#[test]
fn a_client_stores_a_value_twice() {
    let mut script = client();
    script.line("      9: system.cpu0: T0 op 4 store 0x1040 0x100000002");
    script.tick = 9;
    script.store(0, A + 64, &[2, 0, 0, 0, 1]).store(0, A + 64, &[2, 0, 0, 0, 1]);
    script.store(0, A + 64, &[9]);
    let trace = script.read();
    let history = &trace.histories[0];
    let order: Vec<Option<u32>> = history.ops().map(|op| history.order(op)).collect();
    assert_eq!(order, [Some(2), Some(1), Some(0), Some(3), Some(4)]);
    // A load may return the value of a store that the client did not print.
    assert_eq!(history.provenance.unfinished.len(), 1);
    assert_eq!(
        live_end(&script.text, &Options::default()).unfinished,
        history.provenance.unfinished
    );
}

#[test]
fn writes_before_the_selected_ticks_are_no_operations_of_a_live_trace_either() {
    let selected = Options { from_tick: Some(2), ..Options::default() };
    let text = client().text;
    assert!(common::read(&text, &selected).unwrap().histories[0].provenance.outside_writes);
    assert!(live_end(&text, &selected).outside_writes);
}

/// Reads a text as if it were still being written, and returns what its end shows.
fn live_end(text: &str, options: &Options) -> LiveEnd {
    let mut lines = Lines::new(text.as_bytes(), "t", false).unwrap();
    let mut live = Live::new(options);
    while live.advance(&mut lines).unwrap() {
        live.fetch();
    }
    live.finish(&lines).unwrap()
}

#[test]
fn a_client_alone() {
    let text: String = client().text.lines().take(4).map(|line| line.to_owned() + "\n").collect();
    let trace = common::read(&text, &Options::default()).unwrap();
    assert_eq!(trace.histories[0].operations(), 4);
    assert_eq!(trace.histories[0].provenance.ended, None);
    assert!(!trace.histories[0].ops().any(|op| {
        trace.histories[0].kind(op) == Kind::Store && trace.histories[0].order(op).is_some()
    }));
    let selected = Options { from_tick: Some(2), to_tick: Some(4), ..Options::default() };
    let trace = common::read(&text, &selected).unwrap();
    assert_eq!(kinds(&trace.histories[0]), [Kind::Load, Kind::Load]);
}

/// A store, an atomic, a fence, an atomic that changes nothing, and a load. If `sized`, with the lines of PacketQueue,
/// after which no later line can add to an operation.
fn atomic_client(sized: bool) -> Script {
    let mut script = Script::new();
    let client = |script: &mut Script, what: &str| {
        script.tick += 1;
        let tick = script.tick;
        script.line(format!("{tick:7}: system.cpu0: T0 op {what}"));
    };
    let respond = |script: &mut Script| {
        if sized {
            script.response((0, 0), A, 8);
        }
    };
    client(&mut script, "0 store 0x1000 0x1");
    script.store(0, A, &[1]);
    respond(&mut script);
    for (old, new, line) in [(1, 2, "1 rmw 0x1000 0x1 0x2"), (2, 2, "3 rmw 0x1000 0x2 0x2")] {
        script.request((0, 0), "SwapReq", A, Some("ST"));
        let data: [(&str, &[u8]); 2] = [("AMO original", &[old]), ("AMO new", &[new])];
        script.complete((0, 0), "SwapReq", A, Some("Done"), &data);
        respond(&mut script);
        client(&mut script, line);
        if new != old {
            client(&mut script, "2 fence");
        }
    }
    script.load(0, A, &[2]);
    respond(&mut script);
    client(&mut script, "4 load 0x1000 0x2");
    script
}

#[test]
fn a_client_prints_atomics_and_fences() {
    for sized in [false, true] {
        let trace = atomic_client(sized).read();
        let history = &trace.histories[0];
        assert_eq!(
            operations(&trace),
            [
                "0: store 0x1000 := 0x1",
                "0: rmw 0x1000 == 0x1, := 0x2",
                "0: fence",
                "0: silent-rmw 0x1000 == 0x2",
                "0: load 0x1000 == 0x2",
            ]
        );
        let order: Vec<Option<u32>> = history.ops().map(|op| history.order(op)).collect();
        assert_eq!(order, [0, 1, 2, 3, 4].map(Some));
        assert_eq!(history.provenance.unfinished, []);
        assert_eq!(history.provenance.notes, [""; 0]);
        // The atomic completes when memory performs it, not when the client learns of it.
        let atomic = history.operation(OpId(1));
        let fence = history.operation(OpId(2));
        assert_eq!(atomic.completed.map(|tick| tick + 2), fence.completed);
    }
}

/// A core may perform an atomic as a load-linked and a store-conditional, and repeat them.
#[test]
fn a_client_prints_a_linked_pair_as_one_atomic() {
    for sized in [false, true] {
        let mut script = Script::new();
        script.line("      0: system.cpu0: T0 op 0 fence");
        for (done, data) in [("SC_Failed", None), ("Done", Some(("set", &[7u8][..])))] {
            script.request((0, 0), "LoadLockedReq", A, Some("LD"));
            script.complete((0, 0), "LoadLockedReq", A, Some("Done"), &[("read", &[0])]);
            script.request((0, 0), "StoreCondReq", A, Some("ST"));
            script.complete((0, 0), "StoreCondReq", A, Some(done), data.as_slice());
            if sized {
                script.response((0, 0), A, 8);
            }
        }
        let tick = script.tick + 1;
        script.line(format!("{tick:7}: system.cpu0: T0 op 1 rmw 0x1000 0 0x7"));
        let trace = script.read();
        assert_eq!(operations(&trace), ["0: fence", "0: rmw 0x1000 == 0x0, := 0x7"]);
        let history = &trace.histories[0];
        assert_eq!(history.provenance.unfinished, []);
        assert_eq!(history.operation(OpId(1)).completed, Some(tick - 1));
    }
}

#[test]
fn a_client_does_not_print_an_atomic() {
    for sized in [false, true] {
        let text = atomic_client(sized).text;
        let without = |word: &str| {
            let lines = text.lines().filter(|line| !line.contains(word));
            lines.map(|line| line.to_owned() + "\n").collect::<String>()
        };
        for (word, missing) in [("op 1 rmw", 1), ("op 2 fence", 2), ("op 3 rmw", 3)] {
            let words = common::error(&without(word)).to_string();
            let expected = format!("no operation {missing} of thread 0 up to the end");
            assert!(words.contains(&expected), "{words}");
        }
        // Other threads may have read the value that the missing read-modify-write wrote.
        let trace = common::read(&without("op 1 rmw"), &lossy()).unwrap();
        assert_eq!(trace.histories[0].operations(), 4);
        assert_eq!(trace.histories[0].provenance.unfinished.len(), 1);
    }
}

#[test]
fn a_client_alone_prints_atomics() {
    let text = atomic_client(false).text;
    let lines = text.lines().filter(|line| line.contains("T0 op"));
    let text: String = lines.map(|line| line.to_owned() + "\n").collect();
    let trace = common::read(&text, &Options::default()).unwrap();
    let history = &trace.histories[0];
    assert_eq!(operations(&trace).len(), 5);
    assert_eq!(history.order(OpId(0)), None);
    assert!((1..5).all(|op| history.order(OpId(op)) == Some(op - 1)));
}

struct Cpu {
    text: String,
    tick: u64,
}

impl Cpu {
    fn line(&mut self, cpu: &str, thread: u32, instruction: &str) {
        self.tick += 500;
        let tick = self.tick;
        self.text +=
            &format!("{tick:7}: {cpu}: T{thread} : 0x401686 @run+33. 1 :   {instruction}\n");
    }

    fn access(&mut self, cpu: &str, name: &str, address: u64, value: u64) {
        let class = if name.starts_with("st") { "MemWrite" } else { "MemRead" };
        let access =
            format!("X_M_R : {name}   edx, DS:[rdi] : {class} :  D=0x{value:016x} A={address:#x}");
        self.line(cpu, 0, &access);
    }

    fn fence(&mut self, cpu: &str, name: &str) {
        self.line(cpu, 0, &format!("\tXCHG_M_R.{name}           : IntAlu : "));
    }

    fn locked(&mut self, cpu: &str, address: u64, old: u64, new: u64) {
        self.fence(cpu, "mfence");
        self.access(cpu, "ldstl", address, old);
        self.line(cpu, 0, "X_M_R : mov   rax, rax, rdx : IntAlu :  D=0x0000000000000001");
        self.access(cpu, "stul", address, new);
        self.fence(cpu, "mfence");
    }
}

fn cpu() -> Cpu {
    let text = "  74500: system.cpu0: T0 : 0x401540 @_start    : mfence                   \n";
    Cpu { text: text.to_owned(), tick: 80_000 }
}

fn exec(text: &str, addresses: Option<std::ops::Range<u64>>) -> ingest::Trace {
    let options = Options { addresses: addresses.map(Addresses::Range), ..Options::default() };
    common::read(text, &options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn instructions_of_cpus() {
    let mut cpu = cpu();
    cpu.fence("system.cpu0", "mfence");
    cpu.access("system.cpu0", "st", A, 1);
    cpu.access("system.cpu1", "ldst", A, 1);
    cpu.access("system.cpu1", "st", A, 2);
    cpu.fence("system.cpu0", "mfence");
    cpu.fence("system.cpu0", "mfence");
    cpu.fence("system.cpu0", "lfence");
    cpu.access("system.cpu0", "ld", A, 2);
    cpu.fence("system.cpu0", "mfence");
    let trace = exec(&cpu.text, None);
    assert_eq!(
        operations(&trace),
        [
            "0: store 0x1000 := 0x1",
            "0: fence",
            "0: load 0x1000 == 0x2",
            "1: load 0x1000 == 0x1",
            "1: store 0x1000 := 0x2",
        ]
    );
    let provenance = &trace.histories[0].provenance;
    assert_eq!(provenance.source, Source::Exec);
    assert_eq!(trace.statistics.weak_fences, 1);
    assert!(provenance.notes.iter().any(|note| note.contains("the setting addresses")));
}

#[test]
fn locked_instructions() {
    let mut cpu = cpu();
    cpu.access("system.cpu0", "st", A, 1);
    cpu.locked("system.cpu0", A, 1, 2);
    cpu.locked("system.cpu0", A, 2, 2);
    cpu.access("system.cpu0", "ld", A, 2);
    // A single thread shares no locations.
    assert!(operations(&exec(&cpu.text, None)).is_empty());
    let trace = exec(&cpu.text, Some(A..A + 8));
    let expected = [
        "0: store 0x1000 := 0x1",
        "0: fence",
        "0: rmw 0x1000 == 0x1, := 0x2",
        "0: fence",
        "0: silent-rmw 0x1000 == 0x2",
        "0: fence",
        "0: load 0x1000 == 0x2",
    ];
    assert_eq!(operations(&trace), expected);
}

/// A locked instruction empties the store buffer even without the fences that gem5 prints around it.
#[test]
fn a_locked_instruction_elsewhere_stays_without_its_values() {
    let mut cpu = cpu();
    cpu.locked("system.cpu0", 0x9000, 0, 1);
    cpu.access("system.cpu0", "st", A, 1);
    cpu.access("system.cpu0", "ldstl", 0x9000, 1);
    cpu.access("system.cpu0", "stul", 0x9000, 2);
    cpu.access("system.cpu0", "ld", 0x9000, 2);
    cpu.access("system.cpu0", "ld", A, 1);
    cpu.locked("system.cpu0", 0x9000, 2, 3);
    let trace = exec(&cpu.text, Some(A..A + 8));
    let expected = ["0: store 0x1000 := 0x1", "0: rmw 0x9000 == ?, := ?", "0: load 0x1000 == 0x1"];
    assert_eq!(operations(&trace), expected);
    assert!(trace.histories[0].provenance.notes.is_empty());
}

#[test]
fn hardware_threads_and_names_of_cpus() {
    let mut cpu = cpu();
    cpu.access("system.cpu1", "st", A, 1);
    cpu.line("system.cpu1", 1, "X : ld   edx : MemRead :  D=0x0000000000000001 A=0x1000");
    cpu.access("system.little.cpu1", "ld", A, 1);
    cpu.access("board.processor.cores5.core", "ld", A, 1);
    let trace = exec(&cpu.text, None);
    let labels: Vec<u32> = trace.histories[0].threads().iter().map(|t| t.label).collect();
    assert_eq!(labels, [1, 2, 5, 10_001]);
    let notes = &trace.histories[0].provenance.notes;
    assert_eq!(notes.len(), 3, "{notes:?}");
}

#[test]
fn cut_instructions() {
    for cut in [
        "  90000: system.cpu0: T0 : 0x40 @f. 1 :   X : ld   edx : MemRead :  D=0x00000000000",
        "  90000: system.cpu0: T0 : 0x40 @f. 1 :   X : ld   edx : MemRead :  D=0x0000000000000001",
        "  90000: system.cpu0: T0 : 0x40 @f. 1 :   X : ld   edx : MemRead :  D=0x0000000000000001 A=0x",
        "  90000: system.cpu0: T0 : 0x40 @f. 1 :   X : ld   ed",
        "  90000: system.cpu0: T0 : 0x40 @f. 1 :   X : ld   edx : MemRead :",
        "  90000: system.cpu0: T0 : 0x40 @f. ",
    ] {
        let mut cpu = cpu();
        cpu.access("system.cpu0", "st", A, 1);
        cpu.text += cut;
        cpu.text += "\n";
        let error = common::error(&cpu.text);
        assert!(matches!(error, Error::Cut { line: 3, .. }), "{cut}: {error}");
        let trace = common::read(&cpu.text, &lossy()).unwrap();
        assert_eq!(trace.statistics.skipped, 1);
    }
}

#[test]
fn exec_with_protocol_lines() {
    let mut script = Script::new();
    script.seq(0, "Begin", A, " LD").seq(0, "Done", A, " 1 cycles");
    let mut cpu = cpu();
    cpu.access("system.cpu0", "st", A, 1);
    cpu.access("system.cpu1", "ld", A, 1);
    let trace = exec(&(script.text + &cpu.text), None);
    let expected = ["0: store 0x1000 := 0x1", "1: load 0x1000 == 0x1"];
    assert_eq!(operations(&trace), expected);
}
