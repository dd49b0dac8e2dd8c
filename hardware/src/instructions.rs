//! The arguments of the macros for instructions: what orders an access is in the name or the suffix of its instruction.

use history::{Annotation, Isa, WeakFence};

/// The C of an instruction set.
pub(crate) fn macros(isa: Isa) -> &'static str {
    match isa {
        Isa::X86 => include_str!("c/x86_64.c"),
        Isa::Riscv => include_str!("c/riscv64.c"),
        Isa::Arm => include_str!("c/aarch64.c"),
    }
}

/// The usual name of a compiler for an instruction set.
pub(crate) fn compiler(isa: Isa) -> &'static str {
    match isa {
        Isa::X86 => "gcc",
        Isa::Riscv => "riscv64-linux-gnu-gcc",
        Isa::Arm => "aarch64-linux-gnu-gcc",
    }
}

/// The last argument of a load.
pub(crate) fn load(isa: Isa, annotation: Annotation) -> &'static str {
    match (isa, annotation) {
        (Isa::Arm, Annotation::Acquire) => ", \"ldar\"",
        (Isa::Arm, Annotation::AcquirePc) => ", ACQUIRE_PC",
        (Isa::Arm, _) => ", \"ldr\"",
        (Isa::X86 | Isa::Riscv, _) => "",
    }
}

/// The last argument of a store.
pub(crate) fn store(isa: Isa, annotation: Annotation) -> &'static str {
    match (isa, annotation.releases()) {
        (Isa::Arm, true) => ", \"stlr\"",
        (Isa::Arm, false) => ", \"str\"",
        (Isa::X86 | Isa::Riscv, _) => "",
    }
}

/// The suffixes of a load-linked and of a store-conditional instruction; on AArch64 their whole names.
pub(crate) fn linked(
    isa: Isa,
    load: Annotation,
    store: Annotation,
) -> (&'static str, &'static str) {
    match isa {
        Isa::Arm => (
            if load.acquires() { "ldaxr" } else { "ldxr" },
            if store.releases() { "stlxr" } else { "stxr" },
        ),
        Isa::X86 | Isa::Riscv => (riscv_order(load), riscv_order(store)),
    }
}

/// The last arguments of a swap.
pub(crate) fn swap(isa: Isa, annotation: Annotation) -> String {
    let (acquires, releases) = (annotation.acquires(), annotation.releases());
    match isa {
        Isa::X86 => String::new(),
        Isa::Riscv => format!(", \"{}\"", riscv_order(annotation)),
        Isa::Arm => {
            let order = ["", "a", "l", "al"][usize::from(acquires) + 2 * usize::from(releases)];
            let load = if acquires { "ldaxr" } else { "ldxr" };
            let store = if releases { "stlxr" } else { "stxr" };
            format!(", \"{order}\", \"{load}\", \"{store}\"")
        }
    }
}

/// The argument of a fence.
pub(crate) fn fence(isa: Isa, weak: Option<WeakFence>) -> &'static str {
    match isa {
        Isa::X86 => "",
        Isa::Riscv => match weak {
            None | Some(WeakFence::Instruction | WeakFence::Unknown) => "\" rw, rw\"",
            Some(WeakFence::ReadRead) => "\" r, r\"",
            Some(WeakFence::ReadWrite) => "\" r, w\"",
            Some(WeakFence::ReadBoth) => "\" r, rw\"",
            Some(WeakFence::WriteRead) => "\" w, r\"",
            Some(WeakFence::WriteWrite) => "\" w, w\"",
            Some(WeakFence::WriteBoth) => "\" w, rw\"",
            Some(WeakFence::BothRead) => "\" rw, r\"",
            Some(WeakFence::BothWrite) => "\" rw, w\"",
            Some(WeakFence::Tso) => "\".tso\"",
        },
        Isa::Arm => match weak {
            Some(WeakFence::ReadRead | WeakFence::ReadWrite | WeakFence::ReadBoth) => {
                "\"dmb ishld\""
            }
            Some(WeakFence::WriteWrite) => "\"dmb ishst\"",
            Some(WeakFence::Instruction) => "\"isb\"",
            _ => "\"dmb ish\"",
        },
    }
}

fn riscv_order(annotation: Annotation) -> &'static str {
    match (annotation.acquires(), annotation.releases()) {
        (false, false) => "",
        (true, false) => ".aq",
        (false, true) => ".rl",
        (true, true) => ".aqrl",
    }
}
