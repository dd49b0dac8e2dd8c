//! Writes operations as AArch64 instructions.

use history::{Annotation, DependencyKind, Kind, WeakFence};

use super::Inexpressible;
use super::column::{Column, Operation, Register};

/// Number of general registers, `X0` to `X30`.
const REGISTERS: usize = 31;

/// The value that a failing compare-and-swap expects. Memory never holds it, since the values of a test are small
/// numbers.
const UNEXPECTED: u64 = 65535;

fn name(register: Register) -> String {
    format!("X{register}")
}

/// Adds an operation to a column.
pub(super) fn add(column: &mut Column, operation: &Operation) -> Result<(), Inexpressible> {
    for source in &operation.control {
        let label = column.label();
        column.push(format!("CBNZ W{source},{label}"));
        column.push(format!("{label}:"));
    }
    if let Some(fence) = fence(operation.kind)? {
        column.push(fence.to_owned());
        return Ok(());
    }
    let annotation = operation.annotation;
    let unknown = || format!("has the annotation {}", annotation.name());
    let address = address(column, operation)?;
    match operation.kind {
        Kind::Store | Kind::StoreConditional => {
            let is_release = match annotation {
                Annotation::None => false,
                Annotation::Release => true,
                _ => return Err(unknown()),
            };
            let value = value(column, operation, operation.value())?;
            if operation.kind == Kind::Store {
                let store = if is_release { "STLR" } else { "STR" };
                column.push(format!("{store} W{value},[X{address}]"));
            } else {
                let store = if is_release { "STLXR" } else { "STXR" };
                let status = returned(column, operation, 0)?;
                column.push(format!("{store} W{status},W{value},[X{address}]"));
            }
        }
        Kind::Load | Kind::LoadLinked => {
            let load = match (operation.kind, annotation) {
                (Kind::Load, Annotation::None) => "LDR",
                (Kind::Load, Annotation::Acquire) => "LDAR",
                (Kind::Load, Annotation::AcquirePc) => "LDAPR",
                (_, Annotation::None) => "LDXR",
                (_, Annotation::Acquire) => "LDAXR",
                _ => return Err(unknown()),
            };
            let result = returned(column, operation, operation.read.unwrap_or_default())?;
            column.push(format!("{load} W{result},[X{address}]"));
        }
        Kind::Rmw => {
            let (suffix, returns) = match annotation {
                Annotation::None => ("", true),
                Annotation::Acquire => ("A", true),
                Annotation::Release => ("L", true),
                Annotation::AcquireRelease => ("AL", true),
                Annotation::NoReturn => ("", false),
                Annotation::NoReturnRelease => ("L", false),
                Annotation::AcquirePc => return Err(unknown()),
            };
            rmw(column, operation, address, suffix, returns)?;
        }
        Kind::FailedCas => {
            let suffix = match annotation {
                Annotation::None => "",
                Annotation::Acquire => "A",
                _ => return Err(unknown()),
            };
            let result = returned(column, operation, operation.read.unwrap_or_default())?;
            column.push(format!("MOV W{result},#{UNEXPECTED}"));
            column.push(format!("CAS{suffix} W{result},W{result},[X{address}]"));
        }
        other => return Err(format!("is a {}", other.name())),
    }
    Ok(())
}

/// Adds a read-modify-write: an exchange, or if what it writes depends on what it reads, an exclusive or, or a
/// compare-and-swap.
fn rmw(
    column: &mut Column,
    operation: &Operation,
    address: Register,
    suffix: &str,
    returns: bool,
) -> Result<(), Inexpressible> {
    let read = operation.read.unwrap_or_default();
    if operation.own == Some(DependencyKind::Choice) {
        if operation.is_used || !returns {
            return Err(
                "chooses what it writes as CAS does, whose result may carry no dependency".into()
            );
        }
        let value = value(column, operation, operation.value())?;
        let result = returned(column, operation, read)?;
        column.push(format!("MOV W{result},#{read}"));
        column.push(format!("CAS{suffix} W{result},W{value},[X{address}]"));
        return Ok(());
    }
    let (name, operand) = match operation.own {
        Some(_) => ("LDEOR", operation.value() ^ read),
        None => ("SWP", operation.value()),
    };
    let value = value(column, operation, operand)?;
    let result =
        if returns { format!("W{}", returned(column, operation, read)?) } else { "WZR".to_owned() };
    column.push(format!("{name}{suffix} W{value},{result},[X{address}]"));
    Ok(())
}

fn fence(kind: Kind) -> Result<Option<&'static str>, Inexpressible> {
    match kind {
        Kind::Fence => Ok(Some("DMB SY")),
        Kind::WeakFence(WeakFence::ReadBoth) => Ok(Some("DMB LD")),
        Kind::WeakFence(WeakFence::WriteWrite) => Ok(Some("DMB ST")),
        Kind::WeakFence(WeakFence::WriteBoth) => Ok(Some("DSB ST")),
        Kind::WeakFence(WeakFence::Instruction) => Ok(Some("ISB")),
        Kind::WeakFence(weak) => Err(format!("is a {weak}, which AArch64 does not have")),
        _ => Ok(None),
    }
}

/// Computes a register that is 0 and depends on others; `None` if there are no others.
fn zero(column: &mut Column, sources: &[Register]) -> Result<Option<Register>, Inexpressible> {
    let mut sum = None;
    for source in sources {
        let own = column.register(REGISTERS)?;
        column.push(format!("EOR W{own},W{source},W{source}"));
        sum = Some(match sum {
            Some(sum) => {
                let both = column.register(REGISTERS)?;
                column.push(format!("ADD W{both},W{sum},W{own}"));
                both
            }
            None => own,
        });
    }
    Ok(sum)
}

fn address(column: &mut Column, operation: &Operation) -> Result<Register, Inexpressible> {
    let base = column.base(&operation.place, REGISTERS, name)?;
    let Some(zero) = zero(column, &operation.address)? else {
        return Ok(base);
    };
    let address = column.register(REGISTERS)?;
    column.push(format!("ADD X{address},X{base},W{zero},SXTW"));
    Ok(address)
}

/// Computes a number in a register that depends on what the value written depends on.
fn value(
    column: &mut Column,
    operation: &Operation,
    number: u64,
) -> Result<Register, Inexpressible> {
    let zero = zero(column, &operation.data)?;
    let mut value = column.register(REGISTERS)?;
    match zero {
        Some(zero) => column.push(format!("ADD W{value},W{zero},#{number}")),
        None => column.push(format!("MOV W{value},#{number}")),
    }
    for source in &operation.choice {
        let chosen = column.register(REGISTERS)?;
        column.push(format!("CMP W{source},#0"));
        column.push(format!("CSEL W{chosen},W{value},W{value},EQ"));
        value = chosen;
    }
    Ok(value)
}

fn returned(
    column: &mut Column,
    operation: &Operation,
    value: u64,
) -> Result<Register, Inexpressible> {
    let register = column.register(REGISTERS)?;
    column.returns(operation.op, register, &name(register), value);
    Ok(register)
}

#[cfg(test)]
mod tests {
    use history::{
        Access, DependencyKind, History, HistoryBuilder, Initial, Isa, Place, Provenance,
    };

    use super::*;

    /// A thread that replaces the initial value, with a dependency of the atomic on itself, and reads a location whose
    /// address depends on the atomic if it is used.
    fn update(own: Option<DependencyKind>, is_used: bool) -> History {
        let mut builder = HistoryBuilder::new();
        let rmw = Access::new(0, Kind::Rmw, Place::Cell(0));
        builder.push(Access { read: Some(3), written: Some(5), ..rmw });
        own.into_iter().for_each(|own| builder.depend(own, 0));
        builder.push(Access { read: Some(0), ..Access::new(0, Kind::Load, Place::Cell(1)) });
        if is_used {
            builder.depend(DependencyKind::Address, 0);
        }
        let provenance = Provenance { isa: Some(Isa::Arm), ..Provenance::made() };
        builder.finish(Default::default(), &Initial::Infer, provenance).unwrap()
    }

    fn written(history: &History) -> Result<String, String> {
        let mut text = Vec::new();
        match crate::litmus::write(history, "t", "", Isa::Arm, &mut text) {
            Ok(()) => Ok(String::from_utf8(text).unwrap()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn an_update_stays_one() {
        let text = |own| written(&update(own, false)).unwrap();
        assert!(text(None).contains("SWP W"), "{}", text(None));
        let data = text(Some(DependencyKind::Data));
        assert!(data.contains("MOV W1,#1") && data.contains("LDEOR W1,"), "{data}");
        let choice = text(Some(DependencyKind::Choice));
        assert!(choice.contains("MOV W2,#0") && choice.contains("CAS W2,W1,"), "{choice}");
        // The result of a compare-and-swap may be what it expected, and then depends on nothing.
        let refused = written(&update(Some(DependencyKind::Choice), true)).unwrap_err();
        assert!(refused.contains("as CAS does"), "{refused}");
        assert!(written(&update(Some(DependencyKind::Data), true)).is_ok());
    }
}
