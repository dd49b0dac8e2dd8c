//! Decodes instructions of AArch64.
//!
//! gem5 prints neither domain nor kind of a `dmb` or `dsb`, no status of a store-exclusive, and no old value of an
//! atomic operation: a line shows the last register that its instruction writes, which for these is one of gem5's
//! internal registers. The status of a store-exclusive is known from the branch that tests it. The names of registers
//! show whether arithmetic has 4 or 8 bytes, but not whether an access has.

use history::{Annotation, Gap, Kind, Side, WeakFence};

use crate::decode::action::{Action, Operation, Update, cut};
use crate::decode::arm_uses::uses;
use crate::decode::registers::{Registers, Target, Test};
use crate::flow::Edge;
use crate::instruction::{Encoded, Instruction, nth, split_name};

/// Decodes the lines of one hardware thread.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    registers: Registers,
}

/// An integer register, and whether its name is that of the lower 32 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Register {
    number: usize,
    narrow: bool,
}

/// The register that is always zero.
const ZERO: usize = 31;
/// The register that a call writes.
const LINK: usize = 30;

impl Decoder {
    /// Decodes a line, the `at`-th of the trace.
    ///
    /// # Errors
    /// Returns the part that is missing from the line.
    pub(crate) fn decode(
        &mut self,
        line: &Instruction<'_>,
        at: u64,
    ) -> Result<Action, &'static str> {
        let (name, operands) = split_name(line.body.trim_ascii_start());
        if line.class.is_none() && line.micro.is_some() {
            return Err("the operation class of the micro-operation");
        }
        self.registers.arrive(line);
        if line.class.is_none() {
            return Ok(Action::Nothing);
        }
        let action = self.action(line, name, operands);
        let uses = uses(line, name, operands, |register| self.registers.get(register));
        self.registers.flow.step(at, &uses);
        self.write_back(line, name, operands);
        self.follow_branch(line, name, operands);
        Ok(action)
    }

    /// The dependencies of lines on loads, in the order of lines.
    pub(crate) fn edges(&self) -> &[Edge] {
        self.registers.flow.edges()
    }

    /// Notes that any register may have been written.
    pub(crate) fn lose(&mut self) {
        self.registers.forget();
        self.registers.flow.lose_all();
    }

    /// Notes the possible target of a branch.
    fn follow_branch(&mut self, line: &Instruction<'_>, name: &[u8], operands: &[u8]) {
        let shown = operands.rsplit(|&byte| byte == b',').next().unwrap_or_default().trim_ascii();
        match name {
            b"b" | b"bl" | b"cbz" | b"cbnz" | b"tbz" | b"tbnz" => self.jump_to(line, shown),
            b"br" | b"blr" | b"ret" => {
                let target = register(nth(operands, 0)).map_or(LINK, |register| register.number);
                let shown = line.encoded.and_then(|encoded| encoded.operand);
                let target = shown.or_else(|| self.registers.get(target));
                self.registers.jump(target.map_or(Target::Return, Target::Address));
            }
            _ if name.starts_with(b"b.") => self.jump_to(line, shown),
            _ => {}
        }
        if matches!(name, b"bl" | b"blr") {
            let behind = line.pc.map(|pc| pc.wrapping_add(4));
            self.registers.call(behind);
            self.registers.set(LINK, behind);
        }
    }

    fn jump_to(&mut self, line: &Instruction<'_>, shown: &[u8]) {
        let symbol = shown.strip_prefix(b"<").and_then(|place| place.strip_suffix(b">"));
        let target = match (target(line, shown), symbol) {
            (Some(address), _) => Target::Address(address),
            (None, Some(symbol)) => Target::Symbol(symbol.into()),
            (None, None) => Target::None,
        };
        self.registers.jump(target);
    }

    fn action(&self, line: &Instruction<'_>, name: &[u8], operands: &[u8]) -> Action {
        match name {
            b"dmb" | b"dsb" => return barrier(name, operands.trim_ascii()),
            b"dmb.st" | b"dsb.st" => return barrier(&name[..3], b"st"),
            b"isb" => return Action::Fence(Kind::WeakFence(WeakFence::Instruction)),
            _ if name.starts_with(b"dmb") || name.starts_with(b"dsb") => {
                return Action::UnknownFence;
            }
            _ if is_prefetch(name) => return Action::Nothing,
            _ => {}
        }
        if line.is_transaction() {
            // The effects of a transaction may be undone.
            return match name {
                b"tstart" | b"tcancel" => Action::UnknownEverywhere(Gap::Write),
                _ => Action::Nothing,
            };
        }
        if let Some(unplaced) = line.without_address() {
            return unplaced;
        }
        match name {
            b"dc" if line.stores() => return Action::ZeroBlock,
            b"stzg" => return Action::Zero(16),
            b"stz2g" => return Action::Zero(32),
            _ => {}
        }
        let understood = self
            .atomic(line, name, operands)
            .or_else(|| plain(line, name))
            .or_else(|| self.exclusive(name, operands, line));
        let reads = line.loads() && (line.encoded.is_none() || !line.stores());
        let size = line.encoded.map_or(0, |encoded| encoded.size);
        match understood {
            Some(Action::Access(operation)) => Action::Access(operation.or_of_size(size)),
            Some(Action::Attempt(operation, status)) => {
                Action::Attempt(operation.or_of_size(size), status)
            }
            Some(action) => action,
            None => {
                let reach = if size == 0 { 256 } else { size.into() };
                Action::Unknown(if reads { Gap::Read } else { Gap::Write }, reach)
            }
        }
    }

    /// An atomic operation. If it returns the old value to the register that is always zero, it returns nothing, and
    /// then it does not acquire.
    fn atomic(&self, line: &Instruction<'_>, name: &[u8], operands: &[u8]) -> Option<Action> {
        let Atomic { operation, update } = atomic(name)?;
        let operation = match line.encoded {
            Some(encoded) => with_values(operation, update, line.data, &encoded),
            None => operation,
        };
        let result = nth(operands, 0);
        let is_zero = matches!(result, b"xzr" | b"wzr" | b"x31" | b"w31");
        let returns = !name.starts_with(b"st") && (name.starts_with(b"cas") || !is_zero);
        Some(Action::Access(operation.with(match operation.annotation {
            annotation if returns => annotation,
            annotation if annotation.releases() => Annotation::NoReturnRelease,
            _ => Annotation::NoReturn,
        })))
    }

    /// Load-exclusive and store-exclusive of any size and annotation.
    fn exclusive(&self, name: &[u8], operands: &[u8], line: &Instruction<'_>) -> Option<Action> {
        let (name, size) = sized(name);
        let annotation = match name {
            b"ldaxr" => Annotation::Acquire,
            b"stlxr" => Annotation::Release,
            _ => Annotation::None,
        };
        match name {
            b"ldxr" | b"ldaxr" => {
                let load = Operation::load(size, line.data).of_kind(Kind::LoadLinked);
                Some(Action::Access(load.with(annotation)))
            }
            b"stxr" | b"stlxr" => {
                let store = Operation::store(size, None).of_kind(Kind::StoreConditional);
                if line.encoded.is_some() {
                    let store = Operation { written: line.stored, ..store }.with(annotation);
                    return Some(match line.data {
                        Some(0) => Action::Access(store),
                        Some(_) => Action::Nothing,
                        None => {
                            let status = register(nth(operands, 1)).map(|status| status.number);
                            Action::Attempt(store, status.map(|status| (status, line.stored)))
                        }
                    });
                }
                // gem5 prints the data first, where an assembler has the status.
                let data = self.value(nth(operands, 0));
                let status = register(nth(operands, 1)).map(|status| (status.number, data));
                Some(Action::Attempt(store.with(annotation), status))
            }
            _ => None,
        }
    }

    fn value(&self, name: &[u8]) -> Option<u64> {
        let register = register(name)?;
        match register.number {
            ZERO => Some(0),
            number => self.registers.get(number),
        }
    }

    /// Notes the values that an instruction writes to registers.
    fn write_back(&mut self, line: &Instruction<'_>, name: &[u8], operands: &[u8]) {
        if matches!(name, b"dmb" | b"dsb" | b"isb" | b"nop" | b"clrex" | b"prfm" | b"dc") {
            return;
        }
        if matches!(name, b"b" | b"bl" | b"br" | b"blr" | b"ret")
            || name.starts_with(b"b.")
            || matches!(name, b"cbz" | b"cbnz" | b"tbz" | b"tbnz")
        {
            // The only register that a branch writes is the link register, in `follow_branch`.
            return;
        }
        let stores = line.stores() && plain(line, name).is_some();
        if stores {
            return;
        }
        let (plain_name, _) = sized(name);
        let is_known = RESULTS.contains(&name) || matches!(plain_name, b"ldxr" | b"ldaxr");
        let Some(result) = register(nth(operands, 0)).filter(|_| is_known) else {
            // A known instruction may write a register of another kind, whose value is not tracked.
            if !is_known {
                self.registers.forget();
            }
            return;
        };
        if line.data.is_none() && (line.loads() || line.stores()) {
            // The value that is loaded into a vector register is not shown as a number, and the register is named like
            // an integer register.
            return self.registers.set(result.number, None);
        }
        let value = line.data.map(|value| cut(value, if result.narrow { 4 } else { 8 }));
        self.registers.set(result.number, value);
    }

    /// The register that a branch tests; `None` for anything but such a branch.
    pub(crate) fn tests(line: &Instruction<'_>) -> Option<Test> {
        let (name, operands) = split_name(line.body.trim_ascii_start());
        let if_zero = match name {
            b"cbz" => true,
            b"cbnz" => false,
            _ => return None,
        };
        Some(Test {
            register: register(nth(operands, 0))?.number,
            if_zero,
            length: 4,
            target: target(line, nth(operands, 1)),
        })
    }

    /// Whether a line names a register among its operands, so that it may read or write the register.
    pub(crate) fn mentions(line: &Instruction<'_>, number: usize) -> bool {
        let (_, operands) = split_name(line.body.trim_ascii_start());
        operands
            .split(|byte| !byte.is_ascii_alphanumeric())
            .any(|word| register(word).is_some_and(|register| register.number == number))
    }
}

/// Number of bytes that `dc zva` sets to 0, if an instruction reads it: `dczid_el0` has the logarithm of the number of words, and a bit that
/// forbids the instruction.
pub(crate) fn zeroed(line: &Instruction<'_>) -> Option<u64> {
    let (name, operands) = split_name(line.body.trim_ascii_start());
    let reads = name == b"mrs" && nth(operands, 1) == b"dczid_el0";
    let value = line.data.filter(|value| reads && *value <= 9)?;
    Some(4 << value)
}

/// Parses the target of a branch: `0x104`, or `<f+4>` if `f` is the function that the branch itself is in.
fn target(line: &Instruction<'_>, shown: &[u8]) -> Option<u64> {
    if let Some(digits) = shown.strip_prefix(b"0x") {
        return u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    }
    let place = shown.strip_prefix(b"<")?.strip_suffix(b">")?;
    let (function, offset) = symbol(place);
    let (own, own_offset) = symbol(line.symbol?);
    (function == own).then(|| line.pc?.checked_sub(own_offset)?.checked_add(offset))?
}

/// Splits `f+4` into a symbol and the distance from it.
fn symbol(place: &[u8]) -> (&[u8], u64) {
    let offset = || {
        let at = place.iter().rposition(|&byte| byte == b'+')?;
        let digits = std::str::from_utf8(&place[at + 1..]).ok()?;
        Some((&place[..at], digits.parse().ok()?))
    };
    offset().unwrap_or((place, 0))
}

/// Instructions whose first operand receives the value that their line shows.
const RESULTS: [&[u8]; 22] = [
    b"movz", b"movn", b"mov", b"add", b"sub", b"and", b"orr", b"eor", b"ubfm", b"sbfm", b"ldr",
    b"ldrb", b"ldrh", b"ldrsw", b"ldur", b"ldurb", b"ldurh", b"ldar", b"ldarb", b"ldarh", b"ldapr",
    b"adrp",
];

/// The fence of a `dmb` or `dsb` with this operand, which gem5 may not print.
fn barrier(name: &[u8], domain: &[u8]) -> Action {
    match domain {
        b"sy" | b"ish" | b"osh" | b"nsh" => Action::Fence(Kind::Fence),
        b"ld" | b"ishld" | b"oshld" | b"nshld" => {
            Action::Fence(Kind::fence(Side::Reads, Side::Both))
        }
        b"st" | b"ishst" | b"oshst" | b"nshst" => {
            // A `dsb` completes only when the writes before it have, so it orders them before everything after it.
            let after = if name == b"dsb" { Side::Both } else { Side::Writes };
            Action::Fence(Kind::fence(Side::Writes, after))
        }
        _ => Action::UnknownFence,
    }
}

fn is_prefetch(name: &[u8]) -> bool {
    name.starts_with(b"prf")
}

/// Splits a name into the part before the letter of its size, and the size in bytes; 0 stands for 4 or 8 bytes.
pub(crate) fn sized(name: &[u8]) -> (&[u8], u8) {
    match name.split_last() {
        Some((b'b', rest)) => (rest, 1),
        Some((b'h', rest)) => (rest, 2),
        _ => (name, 0),
    }
}

/// The action of loads and stores of one register, plain or with acquire or release.
fn plain(line: &Instruction<'_>, name: &[u8]) -> Option<Action> {
    let (base, size) = match name {
        b"ldrsw" | b"ldursw" | b"ldtrsw" => {
            return Some(Action::Access(Operation::load(4, line.data)));
        }
        _ => sized(name),
    };
    let load = |annotation| Some(Action::Access(Operation::load(size, line.data).with(annotation)));
    let store =
        |annotation| Some(Action::Access(Operation::store(size, line.data).with(annotation)));
    // A size of 0 is decided later, by value and address.
    match base {
        b"ldr" | b"ldur" | b"ldtr" | b"ldrs" | b"ldurs" | b"ldtrs" => load(Annotation::None),
        b"ldar" => load(Annotation::Acquire),
        b"ldapr" | b"ldapur" => load(Annotation::AcquirePc),
        b"str" | b"stur" | b"sttr" => store(Annotation::None),
        b"stlr" | b"stlur" => store(Annotation::Release),
        // The names that `ArmWord` gives to accesses of vector registers, whose values are not tracked.
        b"ldrfp" => Some(Action::Access(Operation::load(size, None))),
        b"strfp" => Some(Action::Access(Operation::store(size, None))),
        b"ldp" | b"ldpsw" | b"ldpfp" => Some(Action::LoadPair(line.encoded?.size)),
        b"stp" | b"stpfp" => Some(Action::StorePair(line.encoded?.size)),
        _ => micro_operation(line, name),
    }
}

/// The action of the micro-operations of pair accesses and of accesses with write-back.
fn micro_operation(line: &Instruction<'_>, name: &[u8]) -> Option<Action> {
    Some(match name {
        b"ldrxi_uop" | b"ldrxr_uop" | b"ldrxl_uop" | b"ldrfpxi_uop" | b"ldrfpxr_uop"
        | b"ldrfpxl_uop" => Action::Access(Operation::load(8, line.data)),
        b"strxi_uop" | b"strxr_uop" | b"strfpxi_uop" | b"strfpxr_uop" | b"strqbfpxi_uop"
        | b"strqbfpxr_uop" | b"strqtfpxi_uop" | b"strqtfpxr_uop" => {
            Action::Access(Operation::store(8, line.data))
        }
        b"ldp_uop" | b"ldp_fp8_uop" | b"ldfp16_uop" | b"ldfp16reg_uop" | b"ldfp16_lit__uop" => {
            Action::LoadPair(8)
        }
        b"ldrduxi_uop" | b"ldrdsxi_uop" | b"ldrdfpxi_uop" => Action::LoadPair(4),
        b"strdxi_uop" | b"strdfpxi_uop" => Action::StorePair(4),
        _ => return None,
    })
}

/// An atomic operation, without its values, and how it computes what it writes; `None` for a compare-and-swap.
pub(crate) struct Atomic {
    operation: Operation,
    update: Option<Computation>,
}

/// The computation of an atomic operation.
#[derive(Clone, Copy)]
enum Computation {
    Update(Update),
    /// Clears the bits that the operand has.
    Clear,
}

/// The operations that `ld` and `st` begin, by the middle of their names.
const OPERATIONS: [(&[u8], Computation); 8] = [
    (b"add", Computation::Update(Update::Add)),
    (b"clr", Computation::Clear),
    (b"eor", Computation::Update(Update::Xor)),
    (b"set", Computation::Update(Update::Or)),
    (b"smax", Computation::Update(Update::Max)),
    (b"smin", Computation::Update(Update::Min)),
    (b"umax", Computation::Update(Update::MaxUnsigned)),
    (b"umin", Computation::Update(Update::MinUnsigned)),
];

/// Atomic operations such as `ldaddal`, `swp`, `stclrlb` and `casa`. The lines of gem5 show neither the value that they read nor whether a
/// comparison succeeded.
pub(crate) fn atomic(name: &[u8]) -> Option<Atomic> {
    let arithmetic = || {
        let rest = name.strip_prefix(b"ld").or_else(|| name.strip_prefix(b"st"))?;
        let mut known = OPERATIONS.iter();
        known.find_map(|(operation, update)| Some((rest.strip_prefix(*operation)?, *update)))
    };
    // Compare-and-swap has one name for 4 and for 8 bytes.
    let (suffix, shortest, update) = match (name.strip_prefix(b"cas"), name.strip_prefix(b"swp")) {
        (Some(suffix), _) => (suffix, 0, None),
        (None, Some(suffix)) => (suffix, 4, Some(Computation::Update(Update::Swap))),
        (None, None) => arithmetic().map(|(suffix, update)| (suffix, 4, Some(update)))?,
    };
    let (letters, mut size) = match suffix.strip_suffix(b"64") {
        Some(letters) => (letters, 8),
        None => (suffix, shortest),
    };
    let (mut acquire, mut release) = (false, false);
    for letter in letters {
        match letter {
            b'a' => acquire = true,
            b'l' => release = true,
            b'b' => size = 1,
            b'h' => size = 2,
            _ => return None,
        }
    }
    let operation = Operation::rmw(size, None, None).with(Annotation::of(acquire, release));
    Some(Atomic { operation, update })
}

/// An atomic operation with the values that a log of encodings shows: memory held `old` before.
fn with_values(
    operation: Operation,
    update: Option<Computation>,
    old: Option<u64>,
    encoded: &Encoded,
) -> Operation {
    let Encoded { size, operand, expected, .. } = *encoded;
    let [old, operand, expected] =
        [old, operand, expected].map(|value| value.map(|value| cut(value, size)));
    let (kind, written) = match (update, old.zip(expected)) {
        (Some(Computation::Update(update)), _) => (Kind::Rmw, update.written(old, operand, size)),
        (Some(Computation::Clear), _) => {
            (Kind::Rmw, old.zip(operand).map(|(old, operand)| old & !operand))
        }
        (None, Some((old, expected))) if old != expected => (Kind::FailedCas, None),
        (None, Some(_)) => (Kind::Rmw, operand),
        (None, None) => (Kind::Rmw, None),
    };
    Operation { kind, size, read: old, written, ..operation }
}

fn register(name: &[u8]) -> Option<Register> {
    let narrow = match name.first()? {
        b'x' => false,
        b'w' => true,
        _ => return None,
    };
    let number = match &name[1..] {
        b"zr" => ZERO,
        digits => std::str::from_utf8(digits).ok()?.parse().ok().filter(|&number| number < ZERO)?,
    };
    Some(Register { number, narrow })
}

#[cfg(test)]
mod tests;
