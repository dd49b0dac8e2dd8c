//! Dependencies that the instructions of gem5's Exec lines show.
use history::{History, Kind, WeakFence};
use ingest::Options;

/// Locations that both CPUs access, and one that only the first does.
const X: u64 = 0x8_1000;
const Y: u64 = 0x8_1040;
const Z: u64 = 0x8_1080;
const OWN: u64 = 0x9_0000;

/// A trace in which CPU 1 writes the shared locations, and CPU 0 runs a program.
struct Trace {
    text: String,
    pc: u64,
}

impl Trace {
    fn riscv() -> Trace {
        Trace::with("sd a1, 0(a0)")
    }

    fn arm() -> Trace {
        Trace::with("  str   x1, [x0]")
    }

    fn with(store: &str) -> Trace {
        let mut trace = Trace { text: String::new(), pc: 0 };
        for address in [X, Y, Z] {
            trace.line(1, &format!("{store} : MemWrite :  D=0x0000000000000001 A={address:#x}"));
        }
        trace.pc = 0x1_0000;
        trace
    }

    fn line(&mut self, cpu: u64, instruction: &str) -> &mut Trace {
        self.pc += 4;
        let pc = self.pc;
        self.text += &format!("{pc:7}: system.cpu{cpu}: T0 : {pc:#x} @f{cpu}    : {instruction}\n");
        self
    }

    fn load(&mut self, instruction: &str, value: u64, address: u64) -> &mut Trace {
        self.line(0, &format!("{instruction} : MemRead :  D={value:#018x} A={address:#x}"))
    }

    fn store(&mut self, instruction: &str, value: u64, address: u64) -> &mut Trace {
        self.line(0, &format!("{instruction} : MemWrite :  D={value:#018x} A={address:#x}"))
    }

    /// Adds an instruction that computes this value.
    fn compute(&mut self, instruction: &str, value: u64) -> &mut Trace {
        self.line(0, &format!("{instruction} : IntAlu :  D={value:#018x}"))
    }

    /// Adds a branch or a barrier.
    fn plain(&mut self, instruction: &str) -> &mut Trace {
        self.line(0, &format!("{instruction} : No_OpClass : "))
    }

    fn at(&mut self, pc: u64) -> &mut Trace {
        self.pc = pc - 4;
        self
    }

    fn history(&self) -> History {
        let read = ingest::read(self.text.as_bytes(), "run.trace", &Options::default());
        read.unwrap().histories.remove(0)
    }

    /// The dependencies of CPU 0, such as `2 data 0`, and the number of unknown ones.
    fn found(&self) -> (Vec<String>, u64) {
        let history = self.history();
        let dependencies = history.all_dependencies().iter();
        let names = dependencies.map(|it| format!("{} {} {}", it.op.0, it.kind.name(), it.on.0));
        (names.collect(), history.provenance.unknown_dependencies)
    }
}

fn expect(trace: &Trace, dependencies: &[&str], unknown: u64) {
    assert_eq!(
        trace.found(),
        (dependencies.iter().map(|it| (*it).to_owned()).collect(), unknown),
        "{}",
        trace.text
    );
}

#[test]
fn arithmetic_carries_dependencies() {
    let mut trace = Trace::riscv();
    trace.load("ld a5, 0(a0)", 7, X).compute("add a4, a5, a2", 9).load("ld a3, 0(a4)", 0, Y);
    trace.compute("c_add a6, a5", 7).store("sd a6, 0(a1)", 7, Z).plain("bne a3, zero, 8");
    trace.compute("c_li a5, 1", 1).store("sd a5, 0(a1)", 1, Z).store("sd a5, 0(a1)", 1, X);
    expect(&trace, &["1 address 0", "2 data 0", "3 control 1"], 0);
}

#[test]
fn dependencies_pass_through_the_stack() {
    let mut trace = Trace::riscv();
    trace.load("ld a5, 0(a0)", 7, X).store("sd a5, 8(sp)", 7, OWN + 8);
    trace.load("ld a4, 8(sp)", 7, OWN + 8).store("sd a4, 0(a1)", 7, Z);
    expect(&trace, &["1 data 0"], 0);
    // Another value was stored in between.
    let mut trace = Trace::riscv();
    trace.load("ld a5, 0(a0)", 7, X).store("sd a5, 8(sp)", 7, OWN + 8);
    trace.store("sd zero, 8(sp)", 0, OWN + 8);
    trace.load("ld a4, 8(sp)", 0, OWN + 8).store("sd a4, 0(a1)", 0, Z);
    expect(&trace, &[], 0);
}

/// RVWMO's rules 9, 10 and 13: a load that the address of any access depends on precedes later writes.
#[test]
fn dependencies_pass_through_a_table() {
    let mut trace = Trace::riscv();
    trace.load("ld a5, 0(a0)", OWN, X).load("ld a4, 0(a5)", 3, OWN);
    trace.load("ld a3, 0(a4)", 0, Y).store("sd a2, 0(a1)", 3, Z);
    expect(&trace, &["1 address 0", "1 control 0"], 0);
}

#[test]
fn calls_and_returns_keep_registers() {
    let mut trace = Trace::riscv();
    trace.load("ld s1, 0(a0)", 7, X).compute("jal ra, 4096", 0x1_000c).at(0x1_1008);
    trace.compute("addi a0, a0, 1", 1).plain("c_jr ra").at(0x1_000c).store("sd s1, 0(a1)", 7, Z);
    expect(&trace, &["1 data 0"], 0);
    let mut trace = Trace::riscv();
    trace.load("ld a5, 0(a0)", 0x1_1008, X).compute("jalr ra, 0(a5)", 0x1_000c).at(0x1_1008);
    trace.store("sd s1, 0(a1)", 7, Z);
    expect(&trace, &["1 control 0"], 0);
}

#[test]
fn what_is_not_understood_ends_the_chain() {
    let mut trace = Trace::riscv();
    trace.load("ld a5, 0(a0)", 7, X).compute("csrrs a5, fcsr, zero", 7);
    trace.store("sd a5, 0(a1)", 7, Z);
    expect(&trace, &[], 1);
    let mut trace = Trace::riscv();
    trace.load("ld a5, 0(a0)", 7, X).plain("frobnicate a2").store("sd a5, 0(a1)", 7, Z);
    expect(&trace, &[], 2);
    // Another program may have run in between.
    let mut trace = Trace::riscv();
    trace.load("ld a5, 0(a0)", 7, X).at(0x4_0000).store("sd a5, 0(a1)", 7, Z);
    expect(&trace, &[], 2);
    // A register that is overwritten carries no dependency.
    let mut trace = Trace::riscv();
    trace.plain("frobnicate a2").compute("c_li a5, 7", 7).compute("c_li a1, 0", 0);
    trace.store("sd a5, 0(a1)", 7, Z);
    expect(&trace, &[], 0);
}

#[test]
fn atomics_of_riscv_carry_dependencies() {
    let mut trace = Trace::riscv();
    trace.load("ld a4, 0(a0)", 7, X).load("lr_d a5, (a3)", 0, Y);
    trace.store("sc_d a6, a4, (a3)", 0, Y).plain("bne a6, zero, -16");
    trace.load("amoadd_d a7, a5, (a3)", 7, Y).store("sd a7, 0(a1)", 7, Z);
    expect(&trace, &["2 data 0", "3 data 1", "3 control 2", "4 data 3"], 0);
}

#[test]
fn floating_point_registers_carry_dependencies() {
    let mut trace = Trace::riscv();
    trace.load("fld fa5, 0(a0)", 7, X).compute("fadd_d fa4, fa5, fa3", 9);
    trace.store("fsd fa4, 0(a1)", 9, Z);
    expect(&trace, &["1 data 0"], 0);
}

#[test]
fn arm_shows_dependencies() {
    let mut trace = Trace::arm();
    trace.load("  ldr   x1, [x0]", 7, X).compute("  eor   x3, x1, x1", 0);
    trace.load("  ldr   x4, [x5, x3]", 0, Y).compute("  orr   x6, x1", 7);
    trace.store("  str   x6, [x7]", 7, Z);
    expect(&trace, &["1 address 0", "2 data 0"], 0);
    // The line of an atomic shows nothing of what it read, but what it adds to it is what it writes.
    let mut trace = Trace::arm();
    trace.store("  ldadda   w1, w2, [x0]", 0, X).load("  ldr   x4, [x1]", 0, Y);
    expect(&trace, &["0 data 0", "1 address 0"], 0);
    // The flags decide which operand is the result.
    let mut trace = Trace::arm();
    trace.load("  ldr   x1, [x0]", 7, X).compute("  csel   x3, x1, x2, eq", 7);
    trace.store("  str   x3, [x7]", 7, Z);
    expect(&trace, &[], 1);
}

#[test]
fn an_instruction_barrier_is_behind_the_branch() {
    let mut trace = Trace::arm();
    trace.load("  ldr   x1, [x0]", 7, X).plain("  isb   ").compute("  subs   x1, #7", 0);
    trace.plain("  b.ne   <f0+4>").plain("  isb   ").load("  ldr   x4, [x5]", 0, Y);
    let history = trace.history();
    let kinds: Vec<Kind> = history.thread_ops(0).map(|op| history.kind(op)).collect();
    assert_eq!(kinds, [Kind::Load, Kind::WeakFence(WeakFence::Instruction), Kind::Load]);
    expect(&trace, &["1 control 0"], 0);
}

/// A status shows nothing that memory returned, so operations that depend on it are not ordered.
#[test]
fn the_status_of_an_exclusive_store_is_no_dependency() {
    let mut trace = Trace::arm();
    trace.load("  ldxr   x1, [x0]", 0, X).store("  stxr   x2, x9, [x0]", 0, X);
    trace.plain("  cbnz   w9, <f0+4>").load("  ldr   x4, [x5]", 0, Y);
    trace.store("  str   x4, [x7]", 0, Z);
    let (found, _) = trace.found();
    assert!(!found.iter().any(|it| it.contains("control")), "{found:?}");
}
