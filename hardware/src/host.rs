//! [`Host`]: what a program that records itself runs on, and how it gives its record away.

use std::fmt;

/// What a program runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Host {
    /// An operating system with threads: the record goes to standard output.
    #[default]
    System,
    /// Nothing: the program is all that there is, on the harts of a RISC-V processor in machine mode.
    Freestanding {
        /// Where the record goes.
        console: Console,
        /// The first byte of memory, where the program begins.
        memory: u64,
    },
}

/// Where a program without an operating system writes its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Console {
    /// The host-target interface of Spike and testbenches (`tohost`).
    Htif,
    /// A UART like the 16550 at this address.
    Uart(u64),
    /// Memory at this address: 8 bytes with the length of the record, written at last, and the record.
    Memory(u64),
}

impl std::str::FromStr for Console {
    type Err = String;

    fn from_str(text: &str) -> Result<Console, String> {
        let expected =
            || "htif, uart:ADDRESS or memory:ADDRESS was expected, such as uart:0x10000000";
        if text == "htif" {
            return Ok(Console::Htif);
        }
        let (kind, address) = text.split_once(':').ok_or_else(expected)?;
        let digits = address.strip_prefix("0x").ok_or_else(expected)?;
        let address = u64::from_str_radix(digits, 16).map_err(|_| expected())?;
        match kind {
            "uart" => Ok(Console::Uart(address)),
            "memory" => Ok(Console::Memory(address)),
            _ => Err(expected().to_owned()),
        }
    }
}

impl fmt::Display for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Console::Htif => f.write_str("htif"),
            Console::Uart(address) => write!(f, "uart:{address:#x}"),
            Console::Memory(address) => write!(f, "memory:{address:#x}"),
        }
    }
}

impl Console {
    /// The C that writes to it.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Console::Htif => include_str!("c/console_htif.c"),
            Console::Uart(_) => include_str!("c/console_uart.c"),
            Console::Memory(_) => include_str!("c/console_memory.c"),
        }
    }

    /// Its address; 0 if it has none.
    pub(crate) fn address(self) -> u64 {
        match self {
            Console::Htif => 0,
            Console::Uart(address) | Console::Memory(address) => address,
        }
    }
}

/// The linker script of programs that begin at this address.
pub fn linker_script(memory: u64) -> String {
    include_str!("c/freestanding.ld").replace("MEMORY_START", &format!("{memory:#x}"))
}
