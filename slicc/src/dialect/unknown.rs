//! Names of older versions of gem5 that rubric does not understand.

use rustc_hash::FxHashSet;

use crate::source::{Diagnostic, Severity, Sources};

/// A name that files of older versions of gem5 use and that rubric does not understand.
struct Unknown {
    /// The name as the files have it.
    name: &'static str,
    /// The thing that it named in gem5: `a part of a GPU`.
    what: &'static str,
    /// The first and the last year in which gem5 had it.
    years: (u16, u16),
    /// The change of the files that the hint of the error suggests.
    instead: &'static str,
}

const fn row(
    name: &'static str,
    what: &'static str,
    years: (u16, u16),
    instead: &'static str,
) -> Unknown {
    Unknown { name, what, years, instead }
}

const LATENCY: &str = "a latency of gem5's global configuration";
const AS_PARAMETER: &str = "declare it as a parameter: `int NAME := 2;` before the machine's brace";
const SETTING: &str = "a setting of gem5's global configuration";
const BANKS: &str = "a function of a fixed layout of chips and banks";
const RANGE: &str = "name the machine with mapAddressToRange, as gem5 does since 2011";
/// A type that is known, but that the protocol's own gem5 does not have, so that this gem5 refuses the protocol as well.
const GONE: &str = "a type of gem5's library";
const ELSEWHERE: &str = "gem5 refuses the protocol for the same reason; GPU_VIPER-msg.sm, if the .slicc file includes it, declares the type";

/// The names that are not understood.
const UNKNOWN: &[Unknown] = &[
    row("ISSUE_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("NULL_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("CACHE_RESPONSE_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("DIRECTORY_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("DIRECTORY_CACHE_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("MEMORY_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("RECYCLE_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("L1_REQUEST_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("L1_RESPONSE_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("L2_REQUEST_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("L2_RESPONSE_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("L2_to_L1_RESPONSE_LATENCY", LATENCY, (2009, 2009), AS_PARAMETER),
    row("N_tokens", SETTING, (2009, 2010), "declare it as a parameter: `int N_tokens;`"),
    row("getRetryThreshold", SETTING, (2009, 2010), AS_PARAMETER),
    row("getFixedTimeoutLatency", SETTING, (2009, 2010), AS_PARAMETER),
    row("getDynamicTimeoutEnabled", SETTING, (2009, 2010), AS_PARAMETER),
    row("getFilteringEnabled", SETTING, (2009, 2010), AS_PARAMETER),
    row("distributedPersistentEnabled", SETTING, (2009, 2010), AS_PARAMETER),
    row("getAllPertinentL2Banks", BANKS, (2009, 2010), RANGE),
    row("getLocalL1IDs", BANKS, (2009, 2010), RANGE),
    row("getOtherLocalL1IDs", BANKS, (2009, 2010), RANGE),
    row("isLocalProcessor", BANKS, (2009, 2010), RANGE),
    row("getMultiStaticL2BankNetDest", BANKS, (2009, 2011), RANGE),
    row("map_L1CacheMachId_to_L2Cache", BANKS, (2009, 2011), RANGE),
    row("map_L2ChipId_to_L2Cache", BANKS, (2009, 2011), RANGE),
    row("L2CacheMachIDToChipID", BANKS, (2009, 2011), RANGE),
    row("L1CacheMachIDToProcessorNum", BANKS, (2009, 2009), RANGE),
    row("GPUCoalescer", GONE, (2016, 2020), ELSEWHERE),
    row("VIPERCoalescer", GONE, (2016, 2020), ELSEWHERE),
];

/// Puts one message in place of the errors about each name that is not understood.
pub fn explain(sources: &Sources, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut said = FxHashSet::default();
    let explained = diagnostics.into_iter().filter_map(|one| {
        let name = one.span.map(|span| word(sources.text(span)));
        let found = name.and_then(|name| UNKNOWN.iter().find(|row| row.name == name));
        match found.filter(|_| one.severity == Severity::Error) {
            Some(row) if said.insert(row.name) => Some(message(row, one)),
            Some(_) => None,
            None => Some(one),
        }
    });
    explained.collect()
}

/// The name at the beginning of the text that an error is about: a name in quotes, or a call.
fn word(text: &str) -> &str {
    let text = text.trim_matches('"');
    text.split('(').next().unwrap_or(text)
}

/// The message that says what a name was, which replaces an error about the name.
fn message(row: &Unknown, error: Diagnostic) -> Diagnostic {
    let (first, last) = row.years;
    let years =
        if first == last { format!("in {first}") } else { format!("from {first} to {last}") };
    let why = match row.what {
        GONE => "the RubySlicc_Types.sm beside this protocol does not declare",
        _ => "is not supported",
    };
    let message = format!("`{}` is {}, which gem5 had {years} and which {why}", row.name, row.what);
    Diagnostic { message, ..error }.hint(row.instead)
}
