//! Tarmac text in small, whole and damaged, with accesses as Arm's models and as gem5 print them.

use history::Initial;
use instructions::Addresses;

use crate::{Error, Options, read};

/// Two CPUs, whose lines alternate.
const MODEL: &str = "\
0 ps cluster0.cpu0 R X1 0000000000000003
0 ps cluster0.cpu1 R X1 0000000000000005
10 ps cluster0.cpu0 IT (1) 00001000:000000001000_NS f9000001 O EL1h_n : STR      x1,[x0]
10 ps cluster0.cpu0 MW8 00020000:000000020000_NS 00000000_00000003
10 ps cluster0.cpu1 IT (1) 00001000:000000001000_NS b8e10007 O EL1h_n : LDADDAL  w1,w7,[x0]
20 ps cluster0.cpu0 IT (2) 00001004:000000001004_NS d5033bbf O EL1h_n : DMB      ISH
10 ps cluster0.cpu1 MR4 00020020:000000020020_NS 00000006
10 ps cluster0.cpu1 MW4 00020020:000000020020_NS 0000000b
10 ps cluster0.cpu1 R X7 0000000000000006
30 ps cluster0.cpu0 IT (3) 00001008:000000001008_NS 29401805 O EL1h_n : LDP      w5,w6,[x0]
30 ps cluster0.cpu0 MR8 00020010:000000020010_NS 00000009_00000001
30 ps cluster0.cpu0 R X5 0000000000000001
30 ps cluster0.cpu0 R X6 0000000000000009
20 ps cluster0.cpu1 IS (2) 00001004:000000001004_NS 54ffffa1 O EL1h_n : B.NE     {pc}-0xc
30 ps cluster0.cpu1 IT (3) 00001008:000000001008_NS c80afc01 O EL1h_n : STLXR    w10,x1,[x0]
30 ps cluster0.cpu1 R X10 0000000000000001
40 ps cluster0.cpu1 IT (4) 0000100c:00000000100c_NS c80afc01 O EL1h_n : STLXR    w10,x1,[x0]
40 ps cluster0.cpu1 MW8X 00020000:000000020000_NS 00000000_00000005
40 ps cluster0.cpu1 R X10 0000000000000000
50 ps cluster0.cpu1 IT (5) 00001010:000000001010_NS f9400003 O EL1h_n : LDR      x3,[x0]
50 ps cluster0.cpu1 MR8 00020000 (ABORTED)
60 ps cluster0.cpu1 E 00000200 00000001 CoreEvent_DataAbort
";

/// Lines that gem5 24.0 printed. It prints an atomic operation and a store-exclusive as a store of 0, whether that fails or not; a pair of loads
/// and a load that changes its base register as written; the extended sign of a byte; registers of 8 bytes as 4; of a load
/// into a vector register, an address of its own; and an access of a prefetch.
const GEM5_PRINTED: &str = "\
0 clk cpu0 IT (1) 00400110 10000b80 O EL0t_ns :   ADR   X0, #368
0 clk cpu0 R X0 0000000000400280
1000 clk cpu0 IT (2) 00400114 58000ba0 O EL0t_ns :   LDR   W0, #4194952
1000 clk cpu0 MR8 00400288:000000400288 00000000004102c0
1000 clk cpu0 R W0 004102c0
7000 clk cpu0 IT (8) 0040012c 39802402 O EL0t_ns :   LDRSB   W2, [W0, #9]
7000 clk cpu0 MR1 004102c9:0000004102c9 ffffffffffffff88
7000 clk cpu0 R W2 ffffff88
17000 clk cpu0 IT (14) 00400144 29421003 O EL0t_ns : LDP        
17000 clk cpu0 MW8 004102d0:0000004102d0 0000000011223344
17000 clk cpu0 R W3 55667788
17000 clk cpu0 R W4 11223344
31000 clk cpu0 IT (20) 0040015c f85d0403 O EL0t_ns :   LDR   X3, [X0], #-48]
31000 clk cpu0 MW8 004102f0:0000004102f0 1122334455667788
31000 clk cpu0 R X3 1122334455667788
31000 clk cpu0 R X0 00000000004102c0
35000 clk cpu0 IT (24) 0040016c c85f7c05 O EL0t_ns :   LDXR   X5, XZR, [X0]
35000 clk cpu0 MR8 004102c0:0000004102c0 1122334455667788
35000 clk cpu0 R X5 1122334455667788
36000 clk cpu0 IT (25) 00400170 910004a5 O EL0t_ns :   ADD   X5, X5, #1
36000 clk cpu0 R X5 1122334455667789
37000 clk cpu0 IT (26) 00400174 c8067c05 O EL0t_ns :   STXR   X5, X6, [X0]
37000 clk cpu0 MW8 004102c0:0000004102c0 0000000000000000
37000 clk cpu0 R X6 0000000000000000
37000 clk cpu0 R sev_mailbox 00000001
37000 clk cpu0 R lockflag 00000000
38000 clk cpu0 IT (27) 00400178 c8067c05 O EL0t_ns :   STXR   X5, X6, [X0]
38000 clk cpu0 MW8 004102c0:0000004102c0 0000000000000000
38000 clk cpu0 R X6 0000000000000001
38000 clk cpu0 R sev_mailbox 00000001
38000 clk cpu0 R lockflag 00000000
47000 clk cpu0 IT (36) 0040019c d28000a8 O EL0t_ns :   MOVZ   X8, #5, #0
47000 clk cpu0 R X8 0000000000000005
48000 clk cpu0 IT (37) 004001a0 f8280009 O EL0t_ns :   LDADD64   X9, X8, [X0]
48000 clk cpu0 MW8 004102c0:0000004102c0 0000000000000000
48000 clk cpu0 R X9 5566778877888800
48000 clk cpu0 R sev_mailbox 00000001
48000 clk cpu0 R lockflag 00000000
49000 clk cpu0 IT (38) 004001a4 f8a80009 O EL0t_ns :   LDADDA64   X9, X8, [X0]
49000 clk cpu0 MW8 004102c0:0000004102c0 0000000000000000
49000 clk cpu0 R X9 5566778877888805
49000 clk cpu0 R sev_mailbox 00000001
49000 clk cpu0 R lockflag 00000000
61000 clk cpu0 IT (50) 004001d4 d2800029 O EL0t_ns :   MOVZ   X9, #1, #0
61000 clk cpu0 R X9 0000000000000001
62000 clk cpu0 IT (51) 004001d8 c8a97c08 O EL0t_ns :   CAS   X8, X9, [X0]
62000 clk cpu0 MW8 004102c0:0000004102c0 0000000000000000
62000 clk cpu0 R X9 000000000000000f
62000 clk cpu0 R sev_mailbox 00000001
62000 clk cpu0 R lockflag 00000000
63000 clk cpu0 IT (52) 004001dc f9400009 O EL0t_ns :   LDR   X9, [X0]
63000 clk cpu0 MR8 004102c0:0000004102c0 000000000000000f
63000 clk cpu0 R X9 000000000000000f
64000 clk cpu0 IT (53) 004001e0 c8e9fc08 O EL0t_ns :   CASAL   X8, X9, [X0]
64000 clk cpu0 MW8 004102c0:0000004102c0 0000000000000000
64000 clk cpu0 R X9 000000000000000f
64000 clk cpu0 R sev_mailbox 00000001
64000 clk cpu0 R lockflag 00000000
79000 clk cpu0 IT (67) 00400218 f9800000 O EL0t_ns :   PRFM   PLDL1KEEP, [X0]
79000 clk cpu0 MR8 004102c0:0000004102c0 0000000000000001
80000 clk cpu0 IT (68) 0040021c fd400000 O EL0t_ns :   LDR   X0, [X0]
80000 clk cpu0 MR8 004102c0:0000004102c0 00005588129f3220
80000 clk cpu0 R Z0 00000000_00000000_00000000_00000001
";

/// gem5 prints one access of an atomic operation, and a pair of loads as one that is written.
const GEM5: &str = "\
100 clk cpu0 IT (1) 00001000:000000001000 d2800061 O EL0t_ns :   MOVZ   X1, #3, #0
100 clk cpu0 R X1 0000000000000003
200 clk cpu0 IT (2) 00001004:000000001004 b8e10007 O EL0t_ns :   LDADDAL   W7, W1, [X0]
200 clk cpu0 MW4 00020020:000000020020 00000003
200 clk cpu0 R W7 00000006
300 clk cpu0 IT (3) 00001008:000000001008 a9437bfd O EL0t_ns : LDP        
300 clk cpu0 MW16 00020010:000000020010 00000000000000000000000000000007
300 clk cpu0 R X29 0000000000000008
300 clk cpu0 R X30 0000000000000007
400 clk cpu0 IT (4) 0000100c:00000000100c c8e8fc01 O EL0t_ns :   CASAL   X1, X8, [X0]
400 clk cpu0 MW8 00020008:000000020008 0000000000000003
400 clk cpu0 R X8 000000000000000b
500 clk cpu0 IT (5) 00001010:000000001010 79c0000c O EL0t_ns :   LDRSH   W12, [X0]
500 clk cpu0 MR2 00020030:000000020030 ffff
500 clk cpu0 R W12 ffffffff
";

fn options(lossy: bool) -> Options {
    let addresses = Some(Addresses::Range(0..u64::MAX));
    Options { addresses, lossy, initial: Some(Initial::Zero), ..Options::default() }
}

fn operations(text: &str, lossy: bool) -> Result<Vec<String>, Error> {
    let trace = read(text.as_bytes(), "log", &options(lossy))?;
    assert_eq!(trace.format.name(), "tarmac");
    let history = &trace.histories[0];
    let thread = |op| history.operation(op).thread;
    Ok(history.ops().map(|op| format!("{}: {}", thread(op), history.describe(op))).collect())
}

#[test]
fn models_show_what_memory_returned() {
    let expected = [
        "0: store 0x20000 := 0x3",
        "0: fence",
        "0: load 0x20010 == 0x1",
        "0: load 0x20014 == 0x9",
        "1: rmw (acquire-release) 0x20020 == 0x6, := 0xb",
        // The first store-exclusive failed, and the last load was aborted.
        "1: store-conditional (release) 0x20000 := 0x5",
    ];
    assert_eq!(operations(MODEL, false).unwrap(), expected);
}

#[test]
fn gem5_shows_registers() {
    let expected = [
        "0: rmw (acquire-release) 0x20020 == 0x6, := 0x9",
        "0: load 0x20010 == 0x8",
        "0: load 0x20018 == 0x7",
        // The register that is compared has no known value, so neither has what is written.
        "0: rmw (acquire-release) 0x20008 == 0xb, := ?",
        "0: load 0x20030 == 0xffff",
    ];
    assert_eq!(operations(GEM5, false).unwrap(), expected);
    // An exception between two instructions, whose handler may have changed registers.
    let elsewhere = GEM5.replace("00001004:000000001004", "00002000:000000002000");
    assert_eq!(
        operations(&elsewhere, false).unwrap()[0],
        "0: rmw (acquire-release) 0x20020 == 0x6, := ?"
    );
}

#[test]
fn lines_of_gem5() {
    let expected = [
        "0: load 0x400288 == 0x4102c0",
        "0: load 0x4102c9 == 0x88",
        "0: load 0x4102d0 == 0x55667788",
        "0: load 0x4102d4 == 0x11223344",
        "0: load 0x4102f0 == 0x1122334455667788",
        "0: load-linked 0x4102c0 == 0x1122334455667788",
        "0: store-conditional 0x4102c0 := 0x1122334455667789",
        "0: rmw 0x4102c0 == 0x5566778877888800, := 0x5566778877888805",
        "0: rmw (acquire) 0x4102c0 == 0x5566778877888805, := 0x556677887788880a",
        // The operand was set by an instruction that is not among these lines.
        "0: failed-cas 0x4102c0 == 0xf",
        "0: load 0x4102c0 == 0xf",
        "0: rmw (acquire-release) 0x4102c0 == 0xf, := ?",
        "0: load 0x4102c0 == ?",
    ];
    let operations = operations(GEM5_PRINTED, false).unwrap();
    assert_eq!(operations, expected);
}

#[test]
fn damage_is_an_error_with_its_line() {
    let lines: Vec<&str> = MODEL.lines().collect();
    for (at, end) in [(3, 60), (6, 52), (9, 55)] {
        let mut damaged = lines.clone();
        damaged[at] = &lines[at][..end];
        let text = damaged.join("\n") + "\n";
        let error = operations(&text, false).unwrap_err().to_string();
        assert!(error.starts_with(&format!("log:{}: ", at + 1)), "{error}");
        assert!(operations(&text, true).unwrap().len() < 6);
    }
    let error = operations(MODEL.trim_end(), false).unwrap_err().to_string();
    assert!(error.starts_with("log:22: ") && error.contains("the end of the line"), "{error}");
    let store = MODEL.replacen("MW8", "MR8", 1);
    let error = operations(&store, false).unwrap_err().to_string();
    assert!(error.contains("as its encoding says"), "{error}");
    let thumb = "0 clk IT (1) 00008008 a00a T svc_s : ADR      r0,{pc}+0x2c ; 0x8034\n";
    let error = operations(&format!("{MODEL}{thumb}"), false).unwrap_err().to_string();
    assert!(error.contains("an instruction of AArch64"), "{error}");
}

#[test]
fn an_exception_leads_elsewhere() {
    let handler = "70 ps cluster0.cpu1 IT (6) 00000200:000000000200_NS d503201f O EL1h_n : NOP\n";
    let whole = [MODEL, handler].concat();
    let notes = |text: &str| {
        read(text.as_bytes(), "log", &options(false)).unwrap().histories[0]
            .provenance
            .notes
            .join("\n")
    };
    assert!(!notes(&whole).contains("does not follow"), "{}", notes(&whole));
    let without: String =
        whole.split_inclusive('\n').filter(|line| !line.contains(" E ")).collect();
    assert!(notes(&without).contains("The instruction at 0x200 (line 22) does not follow"));
}
