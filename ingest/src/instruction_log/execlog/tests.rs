//! Logs of execlog in small, whole and damaged. QEMU's own logs are in `fixtures/logs`.

use history::{Gap, Initial};
use instructions::Addresses;

use crate::{Error, Options, read};

const RISCV: &str = "\
0, 0x1000, 0x4585, \"\", a1 -> 0x0000000000000001
0, 0x1002, 0xe10c, \"\", store, 0x00020000
0, 0x1004, 0x330000f, \"\"
0, 0x1008, 0x6214, \"\", load, 0x00020008
0, 0x100a, 0x6214, \"\", load, 0x00020008, a3 -> 0x0000000000000007
0, 0x100c, 0x6214, \"\", load, 0x00020008
0, 0x100e, 0x6b527af, \"\", load, 0x00020010, store, 0x00020010, a5 -> 0x0000000000000003
0, 0x1012, 0x1005382f, \"\", load, 0x00020000, a6 -> 0x0000000000000004
0, 0x1016, 0x18b538af, \"\", load, 0x00020000, store, 0x00020000, a7 -> 0x0000000000000001
0, 0x101a, 0x18b538af, \"\", load, 0x00020000, store, 0x00020000, a7 -> 0x0000000000000000
0, 0x101e, 0x6118, \"\", load, 0x00020000, a4 -> 0x0000000000000001
0, 0x1020, 0x6118, \"\", load, 0x00020000
";

const ARM: &str = "\
1, 0x1000, 0xd2800021, \"\", x1 -> 0x0000000000000003
1, 0x1004, 0xf9000001, \"\", store, 0x00020000
1, 0x1008, 0xd5033bbf, \"\"
1, 0x100c, 0x29401805, \"\", load, 0x00020010, x5 -> 0x0000000000000001, x6 -> 0x0000000000000009
1, 0x1010, 0xb8e10007, \"\", load, 0x00020020, store, 0x00020020, x7 -> 0x0000000000000006
1, 0x1014, 0x38211007, \"\", load, 0x00020030, store, 0x00020030, x7 -> 0x0000000000000007
1, 0x1018, 0xd2800148, \"\", x8 -> 0x000000000000000a
1, 0x101c, 0xc8e8fc01, \"\", load, 0x00020008, store, 0x00020008, x8 -> 0x000000000000000b
1, 0x1020, 0xc8e8fc01, \"\", load, 0x00020008, store, 0x00020008
1, 0x1024, 0xa9001c01, \"\", store, 0x00020040
1, 0x1028, 0xc85ffc09, \"\", load, 0x00020000, x9 -> 0x0000000000000005
1, 0x102c, 0xc80afc01, \"\", load, 0x00020000, store, 0x00020000
1, 0x1030, 0x35ffffca, \"\"
1, 0x1034, 0xd503201f, \"\"
";

fn options(lossy: bool) -> Options {
    let addresses = Some(Addresses::Range(0x1_0000..u64::MAX));
    Options { addresses, lossy, initial: Some(Initial::Zero), ..Options::default() }
}

fn operations(text: &str, lossy: bool) -> Result<Vec<String>, Error> {
    let trace = read(text.as_bytes(), "log", &options(lossy))?;
    let history = &trace.histories[0];
    let thread = |op| history.operation(op).thread;
    Ok(history.ops().map(|op| format!("{}: {}", thread(op), history.describe(op))).collect())
}

#[test]
fn values_follow_from_registers() {
    let expected = [
        "0: store 0x20000 := 0x1",
        "0: fence",
        // The value of `a3` is not known before it was shown.
        "0: load 0x20008 == ?",
        "0: load 0x20008 == 0x7",
        "0: load 0x20008 == 0x7",
        "0: rmw (acquire-release) 0x20010 == 0x3, := 0x4",
        "0: load-linked 0x20000 == 0x4",
        // The first store-conditional failed.
        "0: store-conditional 0x20000 := 0x1",
        "0: load 0x20000 == 0x1",
        // The registers of the last instruction are not printed.
        "0: load 0x20000 == ?",
    ];
    assert_eq!(operations(RISCV, false).unwrap(), expected);
    let expected = [
        "1: store 0x20000 := 0x3",
        "1: fence",
        "1: load 0x20010 == 0x1",
        "1: load 0x20014 == 0x9",
        "1: rmw (acquire-release) 0x20020 == 0x6, := 0x9",
        "1: rmw 0x20030 == 0x7, := 0x4",
        // A comparison with 10 that fails, and one with 11 that does not.
        "1: failed-cas (acquire-release) 0x20008 == 0xb",
        "1: rmw (acquire-release) 0x20008 == 0xb, := 0x3",
        "1: store 0x20040 := 0x3",
        "1: store 0x20048 := 0x7",
        "1: load-linked (acquire) 0x20000 == 0x5",
        // Its status is not known, but the branch that tests it goes on.
        "1: store-conditional (release) 0x20000 := 0x3",
    ];
    assert_eq!(operations(ARM, false).unwrap(), expected);
    let retried = ARM.replace("0x1034, 0xd503201f", "0x1028, 0xd503201f");
    assert_eq!(operations(&retried, false).unwrap(), expected[..11]);
}

#[test]
fn without_registers_nothing_can_be_checked() {
    for text in [RISCV, ARM] {
        let without = |line: &str| {
            let shown = line.split(", ").filter(|item| !item.contains(" -> "));
            shown.collect::<Vec<_>>().join(", ") + "\n"
        };
        let bare: String = text.lines().map(without).collect();
        for lossy in [false, true] {
            let error = operations(&bare, lossy).unwrap_err().to_string();
            assert!(error.contains("reg=*"), "{error}");
        }
    }
}

/// What two loads of a log return between which the CPU goes from 0x1002 to `next`.
fn second_load(next: u64, device: &str) -> String {
    let text = format!(
        "0, 0x1000, 0x6214, \"\", load, 0x00020008{device}, a3 -> 0x0000000000000007\n\
         0, 0x1002, 0x73, \"\"\n\
         0, {next:#x}, 0x6214, \"\", load, 0x00020008{device}\n\
         0, 0x100a, 0x1, \"\"\n"
    );
    operations(&text, false).unwrap().pop().unwrap()
}

#[test]
fn another_thread_may_have_the_cpu_of_one_that_ended() {
    assert_eq!(second_load(0x1006, ""), "0: load 0x20008 == 0x7");
    assert_eq!(second_load(0x1026, ""), "0: load 0x20008 == ?");
    // The CPU of a system is always the same.
    assert_eq!(second_load(0x1026, ", RAM"), "0: load 0x20008 == 0x7");
}

#[test]
fn damage_is_an_error_with_its_line() {
    let lines: Vec<&str> = RISCV.lines().collect();
    for (at, end) in [(1, 20), (4, 60), (6, 40)] {
        let mut damaged = lines.clone();
        damaged[at] = &lines[at][..end];
        let text = damaged.join("\n") + "\n";
        let error = operations(&text, false).unwrap_err().to_string();
        assert!(error.starts_with(&format!("log:{}: ", at + 1)), "{error}");
        let kept = operations(&text, true).unwrap();
        assert!(kept.len() < 10 && kept.len() > 4, "{kept:?}");
        // What was known before the damage is not known behind it.
        assert!(at != 4 || kept[3] == "0: load 0x20008 == ?", "{kept:?}");
    }
    let error = operations(RISCV.trim_end(), false).unwrap_err().to_string();
    assert!(error.starts_with("log:12: ") && error.contains("the end of the line"), "{error}");
    // The encoding is one of a load.
    let store = RISCV.replacen("load", "store", 1);
    let error = operations(&store, false).unwrap_err().to_string();
    assert!(error.starts_with("log:5: ") && error.contains("as its encoding says"), "{error}");
    let x86 = "0, 0x401001, 0x48e58948, \"movq %rsp, %rbp\"\n";
    let error = operations(x86, false).unwrap_err().to_string();
    assert!(error.contains("neither RISC-V nor AArch64"), "{error}");
}

/// QEMU shows no access of `dc zva` and `dc gzva`. The size of their block is known once an instruction has read it.
#[test]
fn blocks_of_zeros_are_stores() {
    const ZEROES: &str = "\
0, 0x1000, 0xd53b00e0, \"\", x0 -> 0x0000000000000004
0, 0x1004, 0xd2800003, \"\", x3 -> 0x0000000000020018
0, 0x1008, 0xd50b7423, \"\"
0, 0x100c, 0xd503201f, \"\"
";
    let expected: Vec<String> =
        (0..8).map(|at| format!("0: store {:#x} := 0x0", 0x2_0000 + 8 * at)).collect();
    let tagged = ZEROES.replace("0xd50b7423", "0xd50b7483");
    for text in [ZEROES, &tagged] {
        assert_eq!(operations(text, false).unwrap(), expected);
    }
    let stores = |text: &str| {
        let (from, to) =
            ("0xd50b7423, \"\"", "0xd9600841, \"\", store, 0x00020040, store, 0x00020048");
        operations(&text.replace(from, to), false).unwrap()
    };
    assert_eq!(stores(ZEROES), ["0: store 0x20040 := 0x0", "0: store 0x20048 := 0x0"]);
    // Otherwise what they write is not known: without the size, without the address, and where the length is in a register (`setm`).
    for (from, to) in [
        ("0xd53b00e0", "0xd53bd040"),
        ("x0 -> 0x0000000000000004", "x0 -> 0x0000000000000014"),
        ("x3 -> 0x0000000000020018", "x4 -> 0x0000000000020018"),
        ("0xd50b7423", "0x19c24420"),
        ("0x100c, 0xd503201f", "0x2000, 0xd503201f"),
    ] {
        let text = ZEROES.replace(from, to) + "0, 0x1010, 0xb9000003, \"\", store, 0x00020000\n";
        let trace = read(text.as_bytes(), "log", &options(false)).unwrap();
        assert_eq!(trace.histories[0].len(), 1, "{to}");
        let unknown = &trace.histories[0].provenance.not_understood;
        assert_eq!(unknown.first().map(|it| (it.gap, it.line)), Some((Gap::Write, 3)), "{to}");
    }
}
