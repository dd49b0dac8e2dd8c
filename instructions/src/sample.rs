//! Instructions for unit tests, written as gem5 prints them.

use crate::instruction::{Class, Instruction};

/// The instruction of a well-formed line: `<pc> @<symbol>. <micro> : <disassembly> : <class> : D=<data> A=<address>`. Without
/// class and results it announces micro-operations.
pub(crate) fn instruction(text: &str) -> Instruction<'_> {
    let (place, rest) = text.split_once(" : ").unwrap();
    let (place, micro) = match place.trim_end().rsplit_once(". ") {
        Some((place, micro)) => (place, micro.parse().ok()),
        None => (place.trim_end(), None),
    };
    let (pc, symbol) = match place.split_once(" @") {
        Some((pc, symbol)) => (pc, Some(symbol)),
        None => (place, None),
    };
    let function = symbol.map(|symbol| symbol.split('+').next().unwrap().as_bytes());
    let announced = Instruction {
        pc: number(pc),
        micro,
        function,
        symbol: symbol.filter(|_| micro.is_none()).map(str::as_bytes),
        body: rest.trim_end().as_bytes(),
        ..Instruction::default()
    };
    let Some((before, results)) = rest.rsplit_once(" : ") else { return announced };
    let Some((body, class)) = before.rsplit_once(" : ") else { return announced };
    let shown = |name: &str| results.split(' ').find_map(|word| number(word.strip_prefix(name)?));
    let reads = class.ends_with("MemRead") || class.ends_with("Load");
    let writes = class.ends_with("MemWrite") || class.ends_with("Store");
    Instruction {
        body: body.trim_end().as_bytes(),
        class: Some(Class { reads, writes }),
        data: shown("D="),
        address: shown("A="),
        ..announced
    }
}

fn number(word: &str) -> Option<u64> {
    u64::from_str_radix(word.trim().strip_prefix("0x")?, 16).ok()
}
