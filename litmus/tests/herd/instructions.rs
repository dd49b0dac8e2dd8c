//! What instructions compute, family by family, with the results that the architectures state.

use litmus::{LitmusTest, Observation, outcomes};
use memory::Model;

/// Whether a program of one thread, its instructions separated by semicolons, ends in one state, in which the
/// condition holds.
fn holds(head: &str, code: &str, condition: &str) -> bool {
    let rows: String = code.split(';').map(|row| format!("{row} ;\n")).collect();
    let text = format!("{head}\nP0 ;\n{rows}forall ({condition})");
    let test = LitmusTest::parse("t.litmus", &text).unwrap_or_else(|error| panic!("{error}"));
    let found = outcomes(&test, test.architecture.model(), 2);
    let found = found.unwrap_or_else(|error| panic!("{error}\n{text}"));
    found.states.len() == 1 && found.observation() == Observation::Always
}

/// The message of a program that is refused.
fn refused(head: &str, code: &str) -> String {
    let text = format!("{head}\nP0 ;\n{code} ;\nforall (true)");
    let found = LitmusTest::parse("t.litmus", &text)
        .and_then(|test| outcomes(&test, test.architecture.model(), 2).map(|_| ()));
    found.err().map_or_else(|| panic!("{code} is supported"), |error| error.to_string())
}

/// Checks programs for AArch64 whose registers have 64 bits, with `X20` at an array of 32 bytes.
fn arm(cases: &[(&str, &str)]) {
    let types: String = (0..10).map(|number| format!("uint64_t 0:X{number}; ")).collect();
    let array = "uint64_t t[4]={0x1122334455667788,2,3,4}; uint64_t *0:X20=t;";
    for (code, condition) in cases {
        assert!(holds(&format!("AArch64 T\n{{ {types} {array} }}"), code, condition), "{code}");
    }
}

#[test]
fn arithmetic_of_aarch64_has_the_size_of_its_registers() {
    arm(&[
        ("MOV W0,#-1;ADD W1,W0,#1;ADD X2,X0,#1", "0:X0=0xffffffff /\\ 0:X1=0 /\\ 0:X2=0x100000000"),
        (
            "MOVZ X0,#1,LSL #48;MOVK X0,#2,LSL #16;MOVN W1,#0",
            "0:X0=0x1000000020000 /\\ 0:X1=0xffffffff",
        ),
        (
            "MOV X0,#0xf0;ORN W1,WZR,W0;EON X2,X0,X0;BIC X3,X0,#0x30",
            "0:X1=0xffffff0f /\\ 0:X2=-1 /\\ 0:X3=0xc0",
        ),
        (
            "MOV W0,#0x80000001;ASR W1,W0,#4;LSR W2,W0,#4;ROR W3,W0,#4",
            "0:X1=0xf8000000 /\\ 0:X2=0x8000000 /\\ 0:X3=0x18000000",
        ),
        // An amount in a register is taken modulo the size.
        ("MOV W0,#1;MOV W1,#33;LSL W2,W0,W1;LSL X3,X0,X1", "0:X2=2 /\\ 0:X3=0x200000000"),
        // The second operand is extended first, and shifted then.
        ("MOV W0,#0x1ff;ADD X1,X2,W0,UXTB #4;SUB X3,X4,W0,SXTB #1", "0:X1=0xff0 /\\ 0:X3=2"),
        (
            "MOV W0,#-3;MOV W1,#5;MUL W2,W0,W1;SMULL X3,W0,W1;UMADDL X4,W1,W1,X1",
            "0:X2=0xfffffff1 /\\ 0:X3=-15 /\\ 0:X4=30",
        ),
        (
            "MOV X0,#0x12;MOV X1,#0x34;EXTR W2,W0,W1,#4;MSUB X3,X0,X1,X0",
            "0:X2=0x20000003 /\\ 0:X3=-918",
        ),
    ]);
}

#[test]
fn bit_fields_of_aarch64_are_moved_and_reversed() {
    arm(&[
        (
            "MOV X0,#0xabcd;UBFX W1,W0,#4,#8;SBFX X2,X0,#8,#8;UBFIZ X3,X0,#8,#4",
            "0:X1=0xbc /\\ 0:X2=-85 /\\ 0:X3=0xd00",
        ),
        (
            "MOV X0,#0xabcd;MOV X1,#-1;BFI X1,X0,#4,#8;BFXIL W0,W1,#0,#4",
            "0:X1=0xfffffffffffffcdf /\\ 0:X0=0xabcf",
        ),
        (
            "MOV X0,#0x1234;UBFM W1,W0,#28,#7;SBFM X2,X0,#2,#5;UBFM X3,X0,#0,#3",
            "0:X1=0x340 /\\ 0:X2=-3 /\\ 0:X3=4",
        ),
        (
            "MOV X0,#0x12345678;REV W1,W0;REV16 W2,W0;REV X3,X0;RBIT W4,W0",
            "0:X1=0x78563412 /\\ 0:X2=0x34127856 /\\ 0:X3=0x7856341200000000 /\\ 0:X4=0x1e6a2c48",
        ),
        (
            "MOV W0,#-128;ABS W1,W0;SXTW X2,W0;SXTB X3,W0;UXTH W4,W0",
            "0:X1=128 /\\ 0:X2=-128 /\\ 0:X3=-128 /\\ 0:X4=0xff80",
        ),
    ]);
}

#[test]
fn flags_of_aarch64_are_those_of_additions_and_subtractions() {
    // Flags are bits 31 (N), 30 (Z), 29 (C) and 28 (V).
    arm(&[
        ("MOV W0,#0x7fffffff;ADDS W1,W0,#1;MRS X2,NZCV", "0:X1=0x80000000 /\\ 0:X2=0x90000000"),
        ("MOV W0,#-1;ADDS W1,W0,#1;MRS X2,NZCV", "0:X1=0 /\\ 0:X2=0x60000000"),
        (
            "MOV X0,#1;SUBS X1,X0,#2;MRS X2,NZCV;CSET W3,CC",
            "0:X1=-1 /\\ 0:X2=0x80000000 /\\ 0:X3=1",
        ),
        (
            "MOV W0,#0x80000000;CMP W0,#1;CSET W1,LT;CSET W2,VS;CSETM X3,HI",
            "0:X1=1 /\\ 0:X2=1 /\\ 0:X3=-1",
        ),
        (
            "MOV W0,#6;ANDS W1,W0,#8;MRS X2,NZCV;TST W0,#2;CINC W3,W0,NE",
            "0:X1=0 /\\ 0:X2=0x40000000 /\\ 0:X3=7",
        ),
        (
            "MOV X0,#5;CMP X0,#5;CCMP X0,#6,#0,EQ;CSET W1,LO;CCMP X0,#6,#4,HS;CSET W2,EQ",
            "0:X1=1 /\\ 0:X2=1",
        ),
        (
            "MOV X0,#3;MOV X1,#9;CMN X0,#1;CSNEG X2,X0,X1,EQ;CSINV X3,X0,X1,EQ;CSINC X4,X0,X1,EQ",
            "0:X2=-9 /\\ 0:X3=-10 /\\ 0:X4=10",
        ),
        (
            "MOV X0,#0x50000000;MSR NZCV,X0;CSET W1,EQ;CSET W2,VS;CSET W3,CS",
            "0:X1=1 /\\ 0:X2=1 /\\ 0:X3=0",
        ),
    ]);
}

#[test]
fn loads_and_stores_of_aarch64_have_sizes_and_update_addresses() {
    arm(&[
        (
            "LDRB W0,[X20];LDRSB W1,[X20];LDRSB X2,[X20];LDRH W3,[X20,#6]",
            "0:X0=0x88 /\\ 0:X1=0xffffff88 /\\ 0:X2=-120 /\\ 0:X3=0x1122",
        ),
        ("MOV W0,#0x1ff;STRB W0,[X20,#1];LDR X1,[X20]", "0:X1=0x112233445566ff88"),
        (
            "LDR X0,[X20],#8;LDR X1,[X20,#8]!;LDUR W2,[X20,#-8]",
            "0:X0=0x1122334455667788 /\\ 0:X1=3 /\\ 0:X2=2 /\\ 0:X20=t+16",
        ),
        ("MOV W0,#2;LDR X1,[X20,W0,UXTW #3];LDRSW X2,[X20]", "0:X1=3 /\\ 0:X2=0x55667788"),
        (
            "LDP X0,X1,[X20,#8];STP X1,X0,[X20],#16;LDR X2,[X20,#-8]",
            "0:X0=2 /\\ 0:X1=3 /\\ 0:X2=2 /\\ t={3,2,3,4} /\\ 0:X20=t+16",
        ),
        ("MOV X9,X20;LDP X9,X1,[X9]", "0:X9=0x1122334455667788 /\\ 0:X1=2"),
        ("MOV W0,#-1;LDADDB W0,W1,[X20];LDSMAXH W0,W2,[X20]", "0:X1=0x88 /\\ 0:X2=0x7787"),
        (
            "MOV X0,#2;MOV X1,#3;MOV X2,#7;MOV X3,#8;ADD X20,X20,#8;CASP X0,X1,X2,X3,[X20]",
            "0:X0=2 /\\ 0:X1=3 /\\ t={0x1122334455667788,7,8,4}",
        ),
    ]);
    let pair = refused("AArch64 T\n{ 0:X0=x; }", "LDP X0,X1,[X0],#16");
    assert!(pair.contains("`LDP X0,X1,[X0],#16` is not supported"), "{pair}");
}

#[test]
fn calls_return_and_addresses_of_labels_are_values() {
    arm(&[
        ("BL L;B E;L: ADD X0,X0,#1;RET;E: ADD X1,X0,#1", "0:X0=1 /\\ 0:X1=2"),
        ("ADR X1,L;BLR X1;BLR X1;B E;L: ADD X0,X0,#3;RET;E: NOP", "0:X0=6 /\\ 0:X1=label:\"P0:L\""),
        ("B .+8;MOV X0,#1;MOV X1,#1", "0:X0=0 /\\ 0:X1=1"),
        // A loop whose rounds do not depend on a load is followed to its end.
        ("MOV W0,#20;L: ADD W1,W1,#2;SUBS W0,W0,#1;B.GT L", "0:X1=40"),
        (
            "ADR X1,L;LDR W0,[X1];LDR W2,[X1,#4];B E;L: NOP;B L;E: NOP",
            "0:X0=NOP /\\ 0:X2=instr:\"B .-4\"",
        ),
    ]);
    let changed = refused("AArch64 T\n{ 0:X1=P0:L; }", "L: STR W0,[X1]");
    assert!(changed.contains("changing code is not supported"), "{changed}");
}

#[test]
fn vectors_of_aarch64_have_lanes() {
    arm(&[
        (
            "MOVI V0.4S,#3;ADD V1.4S,V0.4S,V0.4S;ADDV S2,V1.4S;FMOV W0,S2",
            "0:X0=24 /\\ 0:V1.4S={6,6,6,6} /\\ 0:V2.2D={24,0}",
        ),
        (
            "LD1 {V0.2D},[X20],#16;MOV V0.D[0],X20;LDR D1,[X20];MOV X0,V0.D[1]",
            "0:X0=2 /\\ 0:V1.2D={3,0}",
        ),
        ("LD2 {V0.2D,V1.2D},[X20]", "0:V0.2D={0x1122334455667788,3} /\\ 0:V1.2D={2,4}"),
        (
            "MOV W0,#0x1ff;DUP V0.8B,W0;ST1 {V0.B}[8],[X20];ST1 {V0.B}[7],[X20],#1",
            "0:V0.8B={-1,-1,-1,-1,-1,-1,-1,-1} /\\ t[0]=0x11223344556677ff",
        ),
        (
            "LDP Q0,Q1,[X20];STR Q1,[X20];EOR V2.16B,V0.16B,V1.16B",
            "t={3,4,3,4} /\\ 0:V2.2D={0x112233445566778b,6}",
        ),
        (
            "PTRUE P0.D,VL1;LD1D {Z0.D},P0/Z,[X20];INDEX Z1.D,#5,#2;ST1D {Z1.D},P0,[X20]",
            "0:V0.2D={0x1122334455667788,0} /\\ t[0]=5 /\\ t[1]=2",
        ),
        (
            "MOV X0,#2;MOV X1,#5;WHILELT P0.S,X0,X1;CSET W2,MI;CSET W3,CS;MOV Z0.S,#1;UADDV D1,P0,Z0.S;CNTW X4",
            "0:X2=1 /\\ 0:X3=1 /\\ 0:V1.2D={3,0} /\\ 0:X4=4",
        ),
    ]);
}

/// The observation of a test of two threads for AArch64, with x at `X1` and y at `X2` in both.
fn observed(state: &str, first: &str, second: &str, condition: &str) -> Observation {
    let (first, second): (Vec<&str>, Vec<&str>) =
        (first.split(';').collect(), second.split(';').collect());
    let cell = |column: &[&str], row: usize| (*column.get(row).unwrap_or(&"")).to_owned();
    let rows: String = (0..first.len().max(second.len()))
        .map(|row| format!("{} | {} ;\n", cell(&first, row), cell(&second, row)))
        .collect();
    let places = "0:X1=x; 0:X2=y; 1:X1=x; 1:X2=y;";
    let text = format!("AArch64 T\n{{ {state} {places} }}\nP0 | P1 ;\n{rows}exists ({condition})");
    let test = LitmusTest::parse("t.litmus", &text).unwrap_or_else(|error| panic!("{error}"));
    outcomes(&test, Model::ARMV8, 2).unwrap_or_else(|error| panic!("{error}")).observation()
}

#[test]
fn instructions_carry_the_dependencies_that_they_state() {
    // Whether a write that depends on a load by `code` may be performed before it.
    let early = |code: &str| {
        let second = format!("LDR X0,[X2];{code};STR X4,[X1]");
        let first = "LDR X0,[X1];MOV X3,#1;STLR X3,[X2]";
        observed("int64_t x; int64_t y;", first, &second, "0:X0=1 /\\ 1:X0=1")
            == Observation::Sometimes
    };
    assert!(early("MOV X4,#1"));
    // Data, through arithmetic whose result does not depend on the value.
    assert!(!early("EOR X3,X0,X0;ADD X4,X3,#1"));
    assert!(!early("UBFM X3,X0,#32,#40;ADD X4,X3,#1"));
    assert!(!early("MOV V0.D[1],X0;MOV X3,V0.D[0];ADD X4,X3,#1"));
    // A choice, and a branch that depends on it or on one flag.
    assert!(!early("CMP X0,#1;CSEL X4,X0,X0,EQ"));
    assert!(!early("CMP X0,#1;CCMP X5,#0,#4,EQ;CSET X4,EQ"));
    assert!(!early("MOV X4,#1;CMP X0,#1;B.NE L;L: NOP"));
    assert!(early("MOV X4,#1;CMP X0,#1;ADDS X5,X5,#0;B.NE L;L: NOP"));
    // An `ANDS` clears the carry whatever its operands are.
    assert!(early("MOV X4,#1;ANDS X5,X0,#1;B.CS L;L: NOP"));
    // The address of a jump, and that of an access before the write.
    assert!(!early("MOV X4,#1;EOR X5,X0,X0;ADR X3,L;ADD X3,X3,X5;BR X3;L: NOP"));
    assert!(!early("MOV X4,#1;EOR X5,X0,X0;ADD X6,X2,X5;LDR X7,[X6],#0"));
}

#[test]
fn the_accesses_of_a_pair_are_ordered_if_the_instruction_says_so() {
    let state = "int64_t x[2]; int64_t y;";
    let reader = "LDR X3,[X1,#8];DMB LD;LDR X4,[X1]";
    let half = "1:X3=2 /\\ 1:X4=0";
    let stores = |name: &str| {
        observed(state, &format!("MOV X3,#1;MOV X4,#2;{name} X3,X4,[X1]"), reader, half)
    };
    assert_eq!(stores("STP"), Observation::Sometimes);
    assert_eq!(stores("STLP"), Observation::Sometimes);
    assert_eq!(stores("STILP"), Observation::Never);
    // An exclusive pair is read as one.
    let writer = "MOV X3,#1;MOV X4,#2;LDXP X5,X6,[X1];STXP W7,X3,X4,[X1]";
    let pair =
        |name: &str| observed(state, writer, &format!("{name} X3,X4,[X1]"), "1:X3=0 /\\ 1:X4=2");
    assert_eq!(pair("LDXP"), Observation::Never);
    assert_eq!(pair("LDP"), Observation::Sometimes);
}

#[test]
fn instructions_of_x86_set_carry_and_overflow() {
    let head = "X86_64 T\n{ uint64_t t[2]={5,-1}; uint64_t x=7; 0:rax=t; 0:rbx=1; uint64_t 0:rcx; uint64_t 0:rdx; }";
    let cases = [
        ("movq 0(%rax,%rbx,8),%rcx", "0:rcx=-1"),
        (
            "movl $2147483647,%ecx;addl $1,%ecx;jo L;movq $1,%rdx;L: nop",
            "0:rdx=0 /\\ 0:rcx=0x80000000",
        ),
        ("movq $1,%rcx;cmpq $2,%rcx;jb L;movq $1,%rdx;L: nop", "0:rdx=0"),
        // An increment keeps the carry of the comparison.
        ("movq $1,%rcx;cmpq $2,%rcx;incq %rcx;jae L;movq $1,%rdx;L: nop", "0:rdx=1 /\\ 0:rcx=2"),
        (
            "movq $3,%rcx;lock xaddq %rcx,(x);negq %rcx;testq %rcx,%rcx;cmovs %rbx,%rdx",
            "x=10 /\\ 0:rcx=-7 /\\ 0:rdx=1",
        ),
        ("movl $0x80000001,%ecx;shl $1,%ecx;jnc L;movq $1,%rdx;L: nop", "0:rcx=2 /\\ 0:rdx=1"),
        ("nopw 0(%rax,%rbx,1);endbr64;notq %rcx", "0:rcx=-1"),
    ];
    for (code, condition) in cases {
        assert!(holds(head, code, condition), "{code}");
    }
    assert!(refused("X86_64 T\n{ }", "ret").contains("`ret` uses a stack"));
}

#[test]
fn names_of_riscv_instructions_have_any_letters() {
    let head = "RISCV T\n{ uint64_t 0:x5; uint64_t 0:x6; }";
    assert!(holds(head, "LI x5,-1;SRLIW x6,x5,28;NOP;sext.w x5,x6", "0:x5=15 /\\ 0:x6=15"));
    assert!(refused(head, "andw x5,x5,x6").contains("`andw` is not known"));
}
