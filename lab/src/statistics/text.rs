//! The numbers of `rubric stats` as human-readable text.

use std::io::{self, Write};

use crate::text::tame;

use super::{HistorySummary, Kinds, Summary, TraceSummary};

/// Prints a summary: the trace, its histories, its controllers.
pub fn write(summary: &Summary<'_>, out: &mut dyn Write) -> io::Result<()> {
    field(out, "trace", format_args!("{}", summary.file))?;
    field(out, "format", format_args!("{}", summary.format))?;
    if let [history] = &summary.histories[..] {
        print_history(history, out)?;
    } else {
        print_histories(&summary.histories, out)?;
    }
    print_trace(&summary.trace, out)
}

/// Prints a line, without the control characters that a name in the trace may have.
fn field(out: &mut dyn Write, name: &str, value: std::fmt::Arguments<'_>) -> io::Result<()> {
    writeln!(out, "{name:<14}{}", tame(&value.to_string()))
}

fn print_history(history: &HistorySummary<'_>, out: &mut dyn Write) -> io::Result<()> {
    if let Some(name) = history.name {
        field(out, "name", format_args!("{name}"))?;
    }
    field(out, "source", format_args!("{}", history.source))?;
    if let Some(isa) = history.isa {
        field(out, "isa", format_args!("{isa}"))?;
    }
    if let Some(protocol) = history.protocol {
        field(out, "protocol", format_args!("{protocol}"))?;
    }
    if let Some(ended) = history.ended {
        field(out, "ended", format_args!("{ended}"))?;
    }
    field(out, "threads", format_args!("{}", history.threads.len()))?;
    let operations = in_words(history.operations, &history.kinds);
    field(out, "operations", format_args!("{operations}"))?;
    for thread in &history.threads {
        let operations = in_words(thread.operations, &thread.kinds);
        let name = format!("  thread {}", thread.thread);
        field(out, &name, format_args!("{operations}"))?;
    }
    print_locations(history, out)?;
    if let Some((first, last)) = history.ticks {
        field(out, "ticks", format_args!("{first} to {last}"))?;
    }
    if history.source != "axe" {
        let (loads, stores) = (history.unfinished_loads, history.unfinished_stores);
        field(out, "unfinished", format_args!("{loads} reads, {stores} writes"))?;
    }
    for assumption in &history.assumptions {
        field(out, "note", format_args!("{assumption}"))?;
    }
    Ok(())
}

fn print_locations(history: &HistorySummary<'_>, out: &mut dyn Write) -> io::Result<()> {
    let count = history.locations;
    match history.addresses {
        Some((low, high)) if history.sizes == "cells" => {
            field(out, "locations", format_args!("{count}, M[{low}] to M[{high}]"))
        }
        Some((low, high)) => {
            let sizes = &history.sizes;
            field(out, "locations", format_args!("{count}, {low:#x} to {high:#x}, sizes {sizes}"))
        }
        None => field(out, "locations", format_args!("{count}")),
    }
}

/// Prints a line for each history.
fn print_histories(histories: &[HistorySummary<'_>], out: &mut dyn Write) -> io::Result<()> {
    let operations: usize = histories.iter().map(|history| history.operations).sum();
    field(out, "histories", format_args!("{}", histories.len()))?;
    field(out, "operations", format_args!("{operations}"))?;
    for (number, history) in histories.iter().enumerate() {
        let name = history.name.map_or_else(|| number.to_string(), str::to_owned);
        let threads = history.threads.len();
        let operations = in_words(history.operations, &history.kinds);
        writeln!(out, "  {}: {threads} threads, {operations}", tame(&name))?;
    }
    Ok(())
}

fn print_trace(trace: &TraceSummary<'_>, out: &mut dyn Write) -> io::Result<()> {
    if let (Some(first), Some(last)) = (trace.first_tick, trace.last_tick) {
        field(out, "trace ticks", format_args!("{first} to {last}"))?;
    }
    for (name, count) in &trace.counts {
        let name = name.replace('_', " ");
        writeln!(out, "{name:<27} {count:>11}")?;
    }
    for machine in &trace.machines {
        let name = tame(&format!("transitions of {}", machine.machine));
        let (count, different) = (machine.transitions, machine.different);
        writeln!(out, "{name:<27} {count:>11}, {different} different")?;
    }
    Ok(())
}

/// The operations in words: `100: 48 load, 52 store`.
fn in_words(operations: usize, kinds: &Kinds) -> String {
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    match kinds.len() {
        0 => operations.to_string(),
        _ => format!("{operations}: {}", kinds.join(", ")),
    }
}
