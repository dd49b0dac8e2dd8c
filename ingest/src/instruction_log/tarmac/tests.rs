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
