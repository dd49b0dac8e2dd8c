//! The options of every command that reads a trace.

use std::ops::Range;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use history::{AssumedSize, Isa, Source};
use ingest::Addresses;

use crate::error::Error;
use crate::initial;
use crate::number;
use crate::words;

/// The form in which a command prints its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Human-readable text
    Text,
    /// JSON Lines
    Json,
}

/// Options of how a trace is read.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Reading the trace")]
pub(crate) struct TraceOptions {
    /// Lines that the history is made of: requests at Ruby's sequencers, lines that a client printed, or
    /// instructions that CPUs executed [default: client where there are such lines, else ruby, else exec]
    #[arg(long, value_parser = source_parser())]
    pub source: Option<Source>,

    /// Size in bytes of accesses whose size was not recorded [default: the largest up to 8 with which no
    /// two accesses overlap in part]
    #[arg(long, value_name = "BYTES", value_parser = size_parser())]
    pub access_size: Option<u8>,

    /// Keep only accesses to this range, its end excluded, hexadecimal (0x…) or decimal. With auto, of executed
    /// instructions, the shared variables that a program of `rubric generate c` announces
    #[arg(long, value_name = "LO-HI|auto", value_parser = parse_addresses)]
    pub addresses: Option<Addresses>,

    /// Keep only operations that completed at this tick or later
    #[arg(long, value_name = "TICK")]
    pub from_tick: Option<u64>,

    /// Keep only operations that completed before this tick
    #[arg(long, value_name = "TICK")]
    pub to_tick: Option<u64>,

    /// Initial values of memory: zero, infer (the one unwritten value read at a location), or a file
    /// of lines `ADDRESS VALUE` [default: zero; infer for executed instructions]
    #[arg(long, value_name = "zero|infer|FILE")]
    pub initial: Option<String>,

    /// Instruction set of executed instructions [default: as the lines or config.json show]
    #[arg(long, value_name = "x86|riscv|arm", value_parser = isa_parser())]
    pub isa: Option<Isa>,

    /// Skip and count damaged lines instead of refusing the trace. A value that no operation wrote may come from a skipped line, so
    /// reading it is no violation; otherwise verdicts are about the remaining lines
    #[arg(long)]
    pub lossy: bool,

    /// Keep instruction fetches, as loads
    #[arg(long)]
    pub fetches: bool,

    /// Print only errors on standard error
    #[arg(long, short)]
    pub quiet: bool,
}

impl TraceOptions {
    /// Translates the options for the readers, and reads the file of initial values.
    ///
    /// # Errors
    /// Returns an error if the range of ticks is empty or the file of initial values cannot be read.
    pub(crate) fn for_reading(&self) -> Result<ingest::Options, Error> {
        if let (Some(from), Some(to)) = (self.from_tick, self.to_tick)
            && from >= to
        {
            return Err(Error::Usage(format!(
                "--from-tick {from} is not before --to-tick {to}: nothing is left to read"
            )));
        }
        Ok(ingest::Options {
            source: self.source,
            access_size: self.access_size.map_or(AssumedSize::default(), AssumedSize::Exactly),
            addresses: self.addresses.clone(),
            from_tick: self.from_tick,
            to_tick: self.to_tick,
            initial: self.initial.as_deref().map(initial::parse).transpose()?,
            isa: self.isa,
            lossy: self.lossy,
            fetches: self.fetches,
            transitions: false,
        })
    }
}

impl TraceOptions {
    /// These options; those that are not given are taken from `other`.
    pub(crate) fn or(&self, other: &TraceOptions) -> TraceOptions {
        TraceOptions {
            source: self.source.or(other.source),
            access_size: self.access_size.or(other.access_size),
            addresses: self.addresses.clone().or_else(|| other.addresses.clone()),
            from_tick: self.from_tick.or(other.from_tick),
            to_tick: self.to_tick.or(other.to_tick),
            initial: self.initial.clone().or_else(|| other.initial.clone()),
            isa: self.isa.or(other.isa),
            lossy: self.lossy || other.lossy,
            fetches: self.fetches || other.fetches,
            quiet: self.quiet || other.quiet,
        }
    }
}

fn isa_parser() -> impl TypedValueParser<Value = Isa> {
    words::one_of(&Isa::ALL, Isa::name)
}

fn source_parser() -> impl TypedValueParser<Value = Source> {
    words::one_of(&Source::IN_TRACES, Source::name)
}

fn size_parser() -> impl TypedValueParser<Value = u8> {
    PossibleValuesParser::new(["1", "2", "4", "8"]).try_map(|size| size.parse::<u8>())
}

fn parse_addresses(text: &str) -> Result<Addresses, String> {
    if text == "auto" { Ok(Addresses::Announced) } else { parse_range(text).map(Addresses::Range) }
}

fn parse_range(text: &str) -> Result<Range<u64>, String> {
    let expected =
        "LO-HI with both numbers hexadecimal (0x1000-0x2000) or decimal, or auto, was expected";
    let (low, high) = text.split_once('-').ok_or(expected)?;
    let low = number::parse(low.trim()).ok_or(expected)?;
    let high = number::parse(high.trim()).ok_or(expected)?;
    if low >= high {
        return Err("the end, which is excluded, must be above the start".to_owned());
    }
    Ok(low..high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_exclude_their_end() {
        assert_eq!(parse_range("0x10-0x20"), Ok(16..32));
        assert_eq!(parse_range("16-32"), Ok(16..32));
        for bad in ["16", "16-", "-16", "32-16", "16-16", "a-b"] {
            assert!(parse_range(bad).is_err(), "{bad}");
        }
    }
}
