//! Writes operations as RISC-V instructions.

use history::{Annotation, Kind, WeakFence};

use super::Inexpressible;
use super::column::{Column, Operation, Register};

/// Number of registers that are used, from `x5` on.
const REGISTERS: usize = 27;

fn name(register: Register) -> String {
    format!("x{}", register + 5)
}

/// Adds an operation to a column.
pub(super) fn add(column: &mut Column, operation: &Operation) -> Result<(), Inexpressible> {
    if !operation.choice.is_empty() {
        return Err("depends on a choice between values".to_owned());
    }
    for &source in &operation.control {
        let label = column.label();
        column.push(format!("bne {},x0,{label}", name(source)));
        column.push(format!("{label}:"));
    }
    if let Some(fence) = fence(operation.kind)? {
        column.push(fence);
        return Ok(());
    }
    let suffix = suffix(operation.annotation)?;
    let address = address(column, operation)?;
    match operation.kind {
        Kind::Store => {
            let value = value(column, operation)?;
            column.push(format!("sw{suffix} {value},0({address})"));
        }
        Kind::Load | Kind::LoadLinked => {
            let load = if operation.kind == Kind::Load { "lw" } else { "lr.w" };
            let result = returned(column, operation, operation.read.unwrap_or_default())?;
            column.push(format!("{load}{suffix} {result},0({address})"));
        }
        Kind::StoreConditional => {
            let value = value(column, operation)?;
            let status = returned(column, operation, 0)?;
            column.push(format!("sc.w{suffix} {status},{value},0({address})"));
        }
        Kind::Rmw => {
            let value = value(column, operation)?;
            let result = returned(column, operation, operation.read.unwrap_or_default())?;
            column.push(format!("amoswap.w{suffix} {result},{value},({address})"));
        }
        other => return Err(format!("is a {}", other.name())),
    }
    Ok(())
}

fn fence(kind: Kind) -> Result<Option<String>, Inexpressible> {
    match kind {
        Kind::Fence => Ok(Some("fence rw,rw".to_owned())),
        Kind::WeakFence(WeakFence::Tso) => Ok(Some("fence.tso".to_owned())),
        Kind::WeakFence(WeakFence::Instruction) => Err("is an instruction fence of Arm".to_owned()),
        // The other weak fences are named as RISC-V names them.
        Kind::WeakFence(weak) => Ok(Some(weak.name().to_owned())),
        _ => Ok(None),
    }
}

fn suffix(annotation: Annotation) -> Result<&'static str, Inexpressible> {
    match annotation {
        Annotation::None | Annotation::NoReturn => Ok(""),
        Annotation::Acquire => Ok(".aq"),
        Annotation::Release | Annotation::NoReturnRelease => Ok(".rl"),
        Annotation::AcquireRelease => Ok(".aq.rl"),
        Annotation::AcquirePc => {
            Err("is an acquire that earlier releases need not precede".to_owned())
        }
    }
}

fn fresh(column: &mut Column) -> Result<String, Inexpressible> {
    column.register(REGISTERS).map(name)
}

/// Computes a register that is 0 and depends on others; `x0` if there are no others.
fn zero(column: &mut Column, sources: &[Register]) -> Result<String, Inexpressible> {
    let mut sum: Option<String> = None;
    for &source in sources {
        let (own, source) = (fresh(column)?, name(source));
        column.push(format!("xor {own},{source},{source}"));
        sum = Some(match sum {
            Some(sum) => {
                let both = fresh(column)?;
                column.push(format!("add {both},{sum},{own}"));
                both
            }
            None => own,
        });
    }
    Ok(sum.unwrap_or_else(|| "x0".to_owned()))
}

fn address(column: &mut Column, operation: &Operation) -> Result<String, Inexpressible> {
    let base = name(column.base(&operation.place, REGISTERS, name)?);
    if operation.address.is_empty() {
        return Ok(base);
    }
    let zero = zero(column, &operation.address)?;
    let address = fresh(column)?;
    column.push(format!("add {address},{base},{zero}"));
    Ok(address)
}

fn value(column: &mut Column, operation: &Operation) -> Result<String, Inexpressible> {
    let zero = zero(column, &operation.data)?;
    let value = fresh(column)?;
    column.push(format!("ori {value},{zero},{}", operation.value()));
    Ok(value)
}

fn returned(
    column: &mut Column,
    operation: &Operation,
    value: u64,
) -> Result<String, Inexpressible> {
    let register = column.register(REGISTERS)?;
    let name = name(register);
    column.returns(operation.op, register, &name, value);
    Ok(name)
}
