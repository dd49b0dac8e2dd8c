//! The folder in which examples run, with all files that they name.
//!
//! `here` is the working folder, `unfilled` is the same without results, `home` is the home folder, `tmp` replaces `/tmp`, and
//! `bin` has the programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::examples::run;
use crate::gem5::STANDIN;

/// A temporary folder.
pub(super) struct Place(TempDir);

/// Makes the files that examples name, in the root of a place. `R` is the program, `F` are the fixtures, and `G` is the program
/// that stands in for gem5.
const LAID_OUT: &str = r#"
set -e
mkdir -p here home/.zfunc home/.local/share/bash-completion/completions home/.config/fish/completions tmp bin
cd here
ln -s "$F" fixtures

# Traces. One of a run that a client's lines show too.
"$R" simulate MI_example --threads 2 --operations 50 --fences 5 -o trace.gz --quiet
zcat trace.gz > trace.txt
mkdir m5out path path/to path/to/traces
cp trace.txt m5out/trace.out
echo '{}' > m5out/config.json
mkdir path/to/m5out
cat > path/to/m5out/trace.out <<'TRACE'
      4: system.ruby.l1_cntrl0.sequencer.response_ports0: Timing request for address 0x1000 on port 0
              4   0        Seq               Begin       >       [0x1000, line 0x1000] ST
      4: system.ruby.l1_cntrl0.sequencer.response_ports0: Request WriteReq 0x1000 issued
              5   0    L1Cache               Store      I>IM     [0x1000, line 0x1000] 
             90   0        Seq                Done       >       [0x1000, line 0x1000] 86 cycles
     90: system.ruby.l1_cntrl0.sequencer: set data [ 0x7 0x0 0x0 0x0 0x0 0x0 0x0 0x0 ]
     90: system.ruby.l1_cntrl0.sequencer: Hit callback for WriteReq 0x1000
             90   0    L1Cache                Data     IM>M      [0x1000, line 0x1000] 
     95: system.ruby.l1_cntrl1.sequencer.response_ports0: Timing request for address 0x1000 on port 0
             95   1        Seq               Begin       >       [0x1000, line 0x1000] LD
     95: system.ruby.l1_cntrl1.sequencer.response_ports0: Request ReadReq 0x1000 issued
             96   1    L1Cache                Load      I>IS     [0x1000, line 0x1000] 
             99   0    L1Cache            Fwd_GETX      M>MII    [0x1000, line 0x1000] 
TRACE
for tick in $(seq 100 60100); do
    printf '%15d   0    L1Cache               Store    MII>MII    [0x1000, line 0x1000] Protocol Stall\n' $tick
done >> path/to/m5out/trace.out
cat > path/to/m5out/simerr <<'MESSAGE'
warn: a warning
info: Entering event queue @ 0.  Starting simulation...
build/NULL/mem/ruby/system/Sequencer.cc:271: panic: Possible Deadlock detected. Aborting!
 version: 1 request.paddr: 0x1000 m_readRequestTable: 1 current time: 60101 issue_time: 95 difference: 60006

Memory Usage: 450140 KBytes
Program aborted at tick 60101
MESSAGE
# One of a program that announces its variables, as those of `rubric generate c` do.
cat > exec.trace <<'TRACE'
    100: system.cpu0: T0 : 0x10010 @main    : sd a1, 0(a0)               : MemWrite :  D=0x312f636972627572 A=0x90000000
    200: system.cpu0: T0 : 0x10014 @main+4    : sd a1, 0(a0)               : MemWrite :  D=0x0000000080010000 A=0x90000008
    300: system.cpu0: T0 : 0x10018 @main+8    : sd a1, 0(a0)               : MemWrite :  D=0x0000000080010080 A=0x90000010
   1000: system.cpu0: T0 : 0x10110 @main+16    : sd a1, 0(a0)               : MemWrite :  D=0x0000000000000001 A=0x80010000
   2000: system.cpu1: T0 : 0x20114 @other    : ld a2, 0(a3)               : MemRead :  D=0x0000000000000001 A=0x80010000
TRACE
gzip exec.trace
cat > path/to/exec.trace <<'TRACE'
   1000: system.cpu0: T0 : 0x10110 @main    : sd a1, 0(a0)               : MemWrite :  D=0x0000000000000001 A=0x80010000
   2000: system.cpu0: T0 : 0x10114 @main+4    : ld a2, 0(a3)               : MemRead :  D=0x0000000000000000 A=0x80010040
   3000: system.cpu1: T0 : 0x20110 @other    : sd a1, 0(a0)               : MemWrite :  D=0x0000000000000002 A=0x80010040
   4000: system.cpu1: T0 : 0x20114 @other+4    : ld a2, 0(a3)               : MemRead :  D=0x0000000000000001 A=0x80010000
TRACE
gzip path/to/exec.trace
cat > x86-exec.trace <<'TRACE'
   1000: system.cpu0: T0 : 0x401686 @run+33. 0 :   MOV_M_R : st   rax, DS:[rbx] : MemWrite :  D=0x0000000000000001 A=0x4bd000
   2000: system.cpu0: T0 : 0x401690 @run+43. 0 :   MOV_R_M : ld   rdx, DS:[rcx] : MemRead :  D=0x0000000000000000 A=0x4bd040
   3000: system.cpu1: T0 : 0x401686 @run+33. 0 :   MOV_M_R : st   rax, DS:[rbx] : MemWrite :  D=0x0000000000000002 A=0x4bd040
   4000: system.cpu1: T0 : 0x401690 @run+43. 0 :   MOV_R_M : ld   rdx, DS:[rcx] : MemRead :  D=0x0000000000000001 A=0x4bd000
TRACE
gzip x86-exec.trace
for seed in 1 2 3; do
    "$R" simulate MI_example --threads 4 --operations 50 --seed $seed -o path/to/traces/$seed.trace.gz --quiet
done
mkdir runs
cp path/to/traces/*.gz runs
zcat fixtures/traces/mi-2x50-io-11.trace.gz | sed -E 's/\b0x1([0-9a-f]{3})\b/0x4bd\1/g' | gzip > x86.trace.gz
"$R" ingest trace.gz -o run.parquet --quiet
"$R" ingest fixtures/traces/mi-2x50-io-11.trace.gz -o mi.parquet --quiet

# herd's litmus tests.
cat > MP.litmus <<'TEST'
RISCV MP
{ 0:x6=x; 0:x7=y; 1:x6=x; 1:x7=y; }
 P0          | P1          ;
 li x5,1     | lw x5,0(x7) ;
 sw x5,0(x6) | lw x8,0(x6) ;
 fence w,w   |             ;
 sw x5,0(x7) |             ;
exists (1:x5=1 /\ 1:x8=0)
TEST
cat > SB.litmus <<'TEST'
X86_64 SB
{ }
 P0            | P1            ;
 movl $1,(x)   | movl $1,(y)   ;
 movl (y),%eax | movl (x),%eax ;
exists (0:rax=0 /\ 1:rax=0)
TEST
mkdir tests
cp MP.litmus SB.litmus tests

# Litmus tests, one of which is called test7.
cp fixtures/hard/hpca-2a.axe test.axe
{ cat fixtures/litmus/litmus.axe; printf '# test7\n0: M[1] := 1\n0: M[2] == 0\n1: M[2] := 1\n1: M[1] == 0\ncheck\n'; } > tests.axe

# Protocols and programs.
for folder in . protocols path/to path/to/old path/to/new path/to/gem5/src/mem/ruby/protocol; do
    mkdir -p $folder
    cp fixtures/protocols/*.slicc fixtures/protocols/*.sm $folder
done
for folder in path/to path/to/old path/to/new; do
    cp $folder/MI_example.slicc $folder/My_protocol.slicc
done
# gem5's own files have faults that the built-in protocols have not.
"$R" mutants show mesi2-l1-is-inv-no-notify | patch -s -p1 -d path/to/gem5/src/mem/ruby/protocol
cp fixtures/programs/ms2.prog queue.prog
cp fixtures/programs/dekker.prog my.prog
printf 'shared x, y, a, b;\nthread P0 { store x = 1; let r = load y; store a = r; }\nthread P1 { store y = 1; let r = load x; store b = r; }\n' > sb.prog
mkdir path/to/mutant
cp "$G" path/to/gem5.opt
cp "$G" path/to/mutant/gem5.opt
printf '#!/bin/sh\nexit 0\n' > checker
chmod +x checker

# Results, small ones; and a folder with all but these.
cp -a . ../unfilled
"$R" experiment wsc-kernel -o results --quiet > ../log
"$R" campaign MI_example --sample 8 --runs 4 --quiet -o campaign > ../log
"#;

impl Place {
    /// Creates a folder with all files.
    pub(super) fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
        let fixtures = fixtures.canonicalize().unwrap();
        let laid_out = Command::new("bash")
            .args(["-c", LAID_OUT])
            .current_dir(place.0.path())
            .env("R", env!("CARGO_BIN_EXE_rubric"))
            .env("F", &fixtures)
            .env("G", &*STANDIN)
            .output()
            .unwrap();
        assert!(
            laid_out.status.success(),
            "the examples' files cannot be made: {}",
            String::from_utf8_lossy(&laid_out.stderr)
        );
        let trace = fixtures.join("traces/mi-2x50-io-11.trace.gz");
        run::programs(&place.path("bin"), &trace);
        place
    }

    /// Makes a copy, in which a command can run without changing the original.
    pub(super) fn copy(&self) -> Place {
        let copy = Place(tempfile::tempdir().unwrap());
        let status = Command::new("cp")
            .arg("-a")
            .arg(format!("{}/.", self.0.path().display()))
            .arg(copy.0.path())
            .status();
        assert!(status.unwrap().success());
        fs::write(copy.path("statuses"), "").unwrap();
        copy
    }

    /// Makes the trace that the page is about. The pages of `explain` and `shrink` need a violation.
    pub(super) fn fit(&self, page: &str) {
        if page.starts_with("rubric explain") || page.starts_with("rubric shrink") {
            let violation = "fixtures/traces/amd_base-tiny-4x60-51.trace.gz";
            for folder in ["here", "unfilled"] {
                let folder = self.path(folder);
                fs::copy(folder.join(violation), folder.join("trace.gz")).unwrap();
            }
        }
    }

    /// Path of a file in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}
