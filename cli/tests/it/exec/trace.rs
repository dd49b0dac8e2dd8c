//! Traces of Exec lines made by hand, and their verdicts.

use std::fs;

use crate::common::{Folder, output_of};

pub(crate) const X: u64 = 0x8_1000;

pub(crate) const Y: u64 = 0x8_1040;

/// A trace of Exec lines.
#[derive(Default)]
pub(crate) struct Trace {
    pub text: String,
    pub lines: u64,
    /// The number of instructions so far. Micro-operations are parts of an instruction.
    pub instructions: u64,
}

impl Trace {
    /// Adds an instruction of a CPU. Each CPU runs a function of its own.
    pub(crate) fn line(&mut self, cpu: usize, instruction: &str) {
        self.lines += 1;
        self.instructions += 1;
        let (tick, pc) = (500 * self.lines, 0x1_0000 * (cpu as u64 + 1) + 4 * self.instructions);
        self.text +=
            &format!("{tick:7}: system.cpu{cpu}: T0 : {pc:#x} @f{cpu}    : {instruction}\n");
    }

    pub(crate) fn access(
        &mut self,
        cpu: usize,
        instruction: &str,
        class: &str,
        data: u64,
        address: u64,
    ) {
        self.line(cpu, &format!("{instruction:26} : {class} :  D={data:#018x} A={address:#x}"));
    }

    /// Adds a store of RISC-V.
    pub(crate) fn sd(&mut self, cpu: usize, address: u64, value: u64) {
        self.access(cpu, "sd a1, 0(a0)", "MemWrite", value, address);
    }

    pub(crate) fn ld(&mut self, cpu: usize, address: u64, value: u64) {
        self.access(cpu, "ld a2, 0(a3)", "MemRead", value, address);
    }

    pub(crate) fn li(&mut self, cpu: usize, register: &str, value: u64) {
        self.line(
            cpu,
            &format!("{:26} : IntAlu :  D={value:#018x}", format!("c_li {register}, {value}")),
        );
    }

    pub(crate) fn plain(&mut self, cpu: usize, instruction: &str) {
        self.line(cpu, &format!("{instruction:26} : No_OpClass : "));
    }

    /// Adds a micro-operation of the instruction that the line before announced.
    pub(crate) fn micro(&mut self, cpu: usize, micro: u32, instruction: &str) {
        self.lines += 1;
        let tick = 500 * self.lines;
        let pc = self.text.lines().rev().find_map(|line| {
            let rest = line.split_once(&format!("system.cpu{cpu}: T0 : "))?.1;
            rest.split(' ').next().map(str::to_owned)
        });
        let pc = pc.unwrap();
        self.text +=
            &format!("{tick:7}: system.cpu{cpu}: T0 : {pc} @f{cpu}.{micro:2} : {instruction}\n");
    }

    /// Adds an atomic operation as gem5 prints it, without micro-fences.
    pub(crate) fn atomic(
        &mut self,
        cpu: usize,
        announced: &str,
        micro: &str,
        class: &str,
        data: u64,
    ) {
        self.line(cpu, announced);
        self.micro(cpu, 0, &format!("{micro:26} : {class} :  D={data:#018x} A={X:#x}"));
    }
}

/// The first words of the verdicts on a trace, and the whole output.
pub(crate) fn check(trace: &Trace, arguments: &[&str], status: i32) -> (Vec<String>, String) {
    let folder = Folder::new();
    let file = folder.path("run.trace");
    fs::write(&file, &trace.text).unwrap();
    let arguments = [&["check", &file], arguments].concat();
    let output = output_of(&arguments, status);
    let is_verdict = |line: &&str| line.contains("run.trace");
    let verdicts = output.lines().filter(is_verdict).map(|line| {
        let mut words = line.split_ascii_whitespace();
        format!("{} {}", words.next().unwrap_or(""), words.next().unwrap_or(""))
    });
    (verdicts.collect(), output)
}

pub(crate) const SC: [&str; 2] = ["--model", "sc"];

pub(crate) const ALL: [&str; 2] = ["--model", "sc,tso,pso"];

pub(crate) fn verdicts(trace: &Trace, expected: &str, status: i32) -> String {
    let (verdicts, output) = check(trace, &ALL, status);
    let words: Vec<&str> = expected.split(' ').collect();
    let expected: Vec<String> = words
        .iter()
        .zip(["sc", "tso", "pso"])
        .map(|(word, model)| format!("{word} {model}"))
        .collect();
    assert_eq!(verdicts[..3], expected, "{}\n{output}", trace.text);
    output
}

/// Store buffering, with `between` in both threads.
pub(crate) fn store_buffering(between: Option<&str>) -> Trace {
    let mut trace = Trace::default();
    for cpu in 0..2 {
        trace.sd(cpu, [X, Y][cpu], 1);
        if let Some(fence) = between {
            trace.plain(cpu, fence);
        }
        trace.ld(cpu, [Y, X][cpu], 0);
    }
    trace
}

pub(crate) fn arm(trace: &mut Trace, cpu: usize, name: &str, value: u64, address: u64) {
    let class = if name.starts_with("st") { "MemWrite" } else { "MemRead" };
    trace.access(cpu, &format!("  {name}   x0, [x1]"), class, value, address);
}

/// A trace of these lines, each with its CPU.
pub(crate) fn lines(lines: &[(usize, &str)]) -> Trace {
    let mut trace = Trace::default();
    for (cpu, line) in lines {
        trace.lines += 1;
        let tick = 500 * trace.lines;
        trace.text += &format!("{tick:7}: system.cpu{cpu}: T0 : {line}\n");
    }
    trace
}

pub(crate) fn verdict(trace: &Trace, arguments: &[&str], expected: &str) -> String {
    let status = match expected {
        "consistent" => 0,
        "violation" => 1,
        _ => 3,
    };
    let (verdicts, output) = check(trace, arguments, status);
    assert!(verdicts[0].starts_with(expected), "{}\n{output}", trace.text);
    output
}
