//! The end of a trace: which history it is, or why there is none.

use history::{
    Gap, History, HistoryBuilder, Initial, NotUnderstood, Provenance, Source, Unfinished,
};

use crate::error::Error;
use crate::format::Contents;
use crate::gem5::Reader;
use crate::gem5::completion::Leftover;
use crate::gem5::exec::{HARDWARE_THREAD, Selected};
use crate::input::Lines;

const BASE: &str = "--debug-flags=ProtocolTrace,RubySequencer,RubyPort";
const EXEC: &str = "--debug-flags=Exec";
const CLIENT: &str = "--debug-flags=ProtocolTrace,RubySequencer,RubyPort and the client's own flag";

impl Reader<'_> {
    /// Everything was read.
    pub(super) fn finish(mut self, lines: &Lines<'_>) -> Result<Contents, Error> {
        let leftover = self.sequencers.finish(&mut self.sink);
        let options = self.sink.options;
        self.sink.client.finish(options);
        self.end.finish(lines.file());
        self.end = std::mem::take(&mut self.end).or(&self.surroundings.end);
        let source = self.choose(lines.file())?;
        self.check_abandoned(lines)?;
        self.check_gaps(source, lines)?;
        self.count(lines, &leftover.unfinished);
        let ending = self.ending(&leftover.unfinished);
        let mut selected = Selected::default();
        if source == Source::Exec {
            selected = self.exec.finish(options);
        }
        if let Some((line, address)) = selected.of_program
            && self.exec.spaces.are_mixed(self.surroundings.full_system)
        {
            selected.not_understood.push(NotUnderstood {
                gap: Gap::Process,
                line,
                instruction: format!("{address:#x}"),
                doubt: None,
            });
        }
        let provenance = self.provenance(source, leftover, &mut selected, lines);
        let history = self.build(source, provenance, selected.builder, lines.file())?;
        let mut statistics = self.sink.statistics;
        statistics.protocol.clone_from(&history.provenance.protocol);
        statistics.ended.clone_from(&history.provenance.ended);
        Ok(Contents {
            histories: vec![history],
            transitions: self.raw.transitions,
            ending,
            statistics,
        })
    }

    /// A data line whose completion is missing; the last line of all may be such a one.
    pub(super) fn check_abandoned(&self, lines: &Lines<'_>) -> Result<(), Error> {
        let line = self.sequencers.abandoned();
        match line.filter(|&line| line < lines.number()) {
            // A crash may come between the two.
            _ if self.end.crash().is_some() => Ok(()),
            Some(line) if self.sequencers.hits > 0 && !self.sink.options.lossy => {
                Err(Error::Syntax {
                    file: lines.file().to_owned(),
                    line,
                    found: "a data line that is never completed".to_owned(),
                    expected: "`Hit callback for …` behind it".to_owned(),
                    hint: "a line is missing: record the trace again, or use --lossy to skip the operation"
                        .to_owned(),
                })
            }
            _ => Ok(()),
        }
    }

    /// An operation of the client that was not printed, although later ones were.
    pub(super) fn check_gaps(&self, source: Source, lines: &Lines<'_>) -> Result<(), Error> {
        match self.sink.client.gap().filter(|_| source == Source::Client) {
            Some((thread, index)) if !self.sink.options.lossy => Err(Error::Syntax {
                file: lines.file().to_owned(),
                line: lines.number(),
                found: format!("no operation {index} of thread {thread} up to the end"),
                expected: "every operation before the thread's last one that is no store"
                    .to_owned(),
                hint: "a line is missing: record the trace again, or use --lossy to go on without"
                    .to_owned(),
            }),
            _ => Ok(()),
        }
    }

    pub(super) fn has(&self, source: Source) -> bool {
        match source {
            Source::Client => {
                self.sink.client.operations > 0 || self.sink.statistics.client_operations > 0
            }
            Source::Ruby => {
                let sequencers = &self.sequencers;
                sequencers.data_lines > 0 || sequencers.hits > 0 || sequencers.accepted() > 0
            }
            Source::Exec => self.exec.lines > 0,
            Source::Axe => false,
        }
    }

    /// The source of the history. A run that crashed early may not have shown any operation, and that is no mistake of the user's:
    /// its history is empty, and the reason becomes a note.
    fn choose(&mut self, file: &str) -> Result<Source, Error> {
        match self.source(file) {
            Err(error) if self.end.crash().is_some() => {
                self.without_history = Some(error.to_string());
                Ok(self.sink.options.source.unwrap_or(Source::Ruby))
            }
            source => source,
        }
    }

    fn source(&self, file: &str) -> Result<Source, Error> {
        if let Some(source) = self.sink.options.source {
            if source == Source::Ruby {
                self.check_flags(file)?;
            }
            return if self.has(source) { Ok(source) } else { Err(self.no_source(file, source)) };
        }
        if self.has(Source::Client) {
            return Ok(Source::Client);
        }
        if self.has(Source::Exec) && self.sequencers.data_lines == 0 {
            return Ok(Source::Exec);
        }
        self.check_flags(file)?;
        if self.has(Source::Ruby) {
            return Ok(Source::Ruby);
        }
        Err(self.no_operations(file))
    }

    fn no_source(&self, file: &str, source: Source) -> Error {
        let flags = match source {
            Source::Client => CLIENT,
            Source::Exec => EXEC,
            Source::Ruby | Source::Axe => BASE,
        };
        let others: Vec<&str> = [Source::Client, Source::Ruby, Source::Exec]
            .into_iter()
            .filter(|&other| other != source && self.has(other))
            .map(Source::name)
            .collect();
        Error::NoSource {
            file: file.to_owned(),
            source_asked: source,
            flags: flags.to_owned(),
            available: match others.is_empty() {
                true => String::new(),
                false => format!(" ({})", others.join(", ")),
            },
        }
    }

    fn no_operations(&self, file: &str) -> Error {
        let found = if self.raw.coalescers > 0 {
            "only requests of GPU coalescers, which print no values"
        } else if self.raw.requests + self.raw.controllers > 0 {
            "only lines of ProtocolTrace, which show no values"
        } else if self.ticks {
            "only lines of other debug flags"
        } else {
            "only what gem5 prints without debug flags"
        };
        Error::NoOperations {
            file: file.to_owned(),
            found: found.to_owned(),
            flags: BASE.to_owned(),
        }
    }

    /// Whether the three flags were recorded that a history of Ruby needs.
    pub(super) fn check_flags(&self, file: &str) -> Result<(), Error> {
        let sequencers = &self.sequencers;
        let raw = self.raw.requests > 0;
        let (data, port) = (sequencers.data_lines > 0, sequencers.hits + sequencers.accepted() > 0);
        let silent = sequencers.silent().find(|s| s.bound || !raw);
        let flags = |missing: &str, found: &str| {
            Err(Error::MissingFlag {
                file: file.to_owned(),
                missing: missing.to_owned(),
                found: found.to_owned(),
                flags: BASE.to_owned(),
            })
        };
        match (raw, data, port) {
            (false, true, true) => flags(
                "ProtocolTrace",
                "there are completions and no `Seq` lines, so threads are not known",
            ),
            (false, false, true) => flags(
                "ProtocolTrace and RubySequencer",
                "there are requests, but neither `Seq` lines nor data lines, so threads and values are \
                 not known",
            ),
            (false, true, false) => flags(
                "ProtocolTrace and RubyPort",
                "there are data lines, but neither `Seq` lines nor `Hit callback` lines, so threads and \
                 addresses are not known",
            ),
            (true, true, _) if sequencers.hits == 0 => flags(
                "RubyPort",
                "there are data lines and no `Hit callback` lines, so addresses are not known",
            ),
            (true, false, false) => flags(
                "RubySequencer and RubyPort",
                "there are `Seq` lines, but neither data lines nor `Hit callback` lines, so values are \
                 not known",
            ),
            (true, false, true) if silent.is_some() => flags(
                "RubySequencer",
                "there are `Hit callback` lines and no data lines, so values are not known",
            ),
            _ => match silent {
                Some(silent) if silent.bound && !self.sink.options.lossy => Err(Error::Syntax {
                    file: file.to_owned(),
                    line: silent.line,
                    found: format!("a completion of {} without its data line", silent.path),
                    expected: "`read data […]`, `set data […]` or the like before it".to_owned(),
                    hint: "a line is missing: record the trace again, or use --lossy to skip the operation"
                        .to_owned(),
                }),
                _ => Ok(()),
            },
        }
    }

    fn count(&mut self, lines: &Lines<'_>, unfinished: &[Unfinished]) {
        let devices = |bound| -> u64 {
            let silent = self.sequencers.silent().filter(|s| s.bound == bound);
            silent.map(|s| s.requests).sum()
        };
        let device_requests = devices(false);
        let dataless = devices(true);
        let statistics = &mut self.sink.statistics;
        statistics.lines = lines.number();
        statistics.bytes = lines.bytes();
        statistics.skipped += lines.skipped() + dataless;
        statistics.first_tick = self.ticks.then_some(self.first_tick);
        statistics.last_tick = self.ticks.then_some(self.last_tick);
        let block_size = self.sequencers.block_size;
        statistics.block_size =
            block_size.and_then(|size| u32::try_from(size).ok()).or(self.surroundings.block_size);
        statistics.configured_sequencers = self.surroundings.sequencers;
        statistics.sequencers = self.sequencers.active();
        statistics.transitions = self.raw.counts();
        statistics.stalls = self.raw.stalls;
        statistics.unfinished_stores = unfinished.iter().filter(|u| u.writes).count() as u64;
        statistics.unfinished_loads = unfinished.len() as u64 - statistics.unfinished_stores;
        statistics.device_requests = device_requests;
        statistics.refused = self.sequencers.refused;
        statistics.overlapping = self.sequencers.overlapping;
        statistics.unmatched = self.sequencers.unmatched;
        statistics.weak_fences = self.exec.weak_fences;
        statistics.exec_lines = self.exec.lines;
        statistics.exec_operations = self.exec.accesses;
        statistics.failed_store_conditionals += self.exec.failed_store_conditionals;
        statistics.client_operations += self.sink.client.operations;
        statistics.forwarded_loads = self.sink.client.forwarded;
        statistics.uncommitted_stores = self.sink.client.uncommitted;
    }

    fn provenance(
        &mut self,
        source: Source,
        leftover: Leftover,
        selected: &mut Selected,
        lines: &Lines<'_>,
    ) -> Provenance {
        let requests = self.sequencers.accepted() > 0;
        let last_tick = self.sink.statistics.last_tick;
        let ended = self.end.describe(&leftover.unfinished, last_tick, requests);
        let protocol = self.raw.protocol().map(str::to_owned);
        let mut notes = self.notes(source, selected);
        if let Some(why) = &self.without_history {
            notes.insert(0, format!("no operations: {why}"));
        }
        if let Some(damage) = lines.damage() {
            notes.insert(0, format!("{damage}."));
        }
        let options = self.sink.options;
        let unfinished = match source {
            Source::Ruby => [leftover.unfinished, leftover.lost].concat(),
            // The client's own lines have its stores; a load that never came back is none of them.
            Source::Client => {
                let requests = leftover.unfinished.into_iter();
                let loads = requests.filter(|request| !request.writes);
                loads.chain(std::mem::take(&mut self.sink.client.unknown)).collect()
            }
            Source::Exec => std::mem::take(&mut selected.unfinished),
            Source::Axe => Vec::new(),
        };
        let is_exec = source == Source::Exec;
        Provenance {
            source,
            unrecorded_writes: is_exec,
            locations_found: is_exec && selected.shared_bytes.is_some(),
            isa: self.exec.isa().filter(|_| is_exec),
            not_understood: std::mem::take(&mut selected.not_understood),
            unknown_fences: std::mem::take(&mut selected.unknown_fences),
            split: source == Source::Ruby && self.sequencers.split,
            protocol: protocol.or_else(|| self.surroundings.protocol.clone()),
            ended,
            crash: self.end.crash().cloned(),
            unfinished: unfinished
                .into_iter()
                .filter(|request| options.wants_address(request.address))
                .collect(),
            notes,
            outside_writes: selected.outside_writes || self.outside_writes(source),
            ..Provenance::default()
        }
    }

    /// Whether values may come from writes that are no operations of the history.
    fn outside_writes(&self, source: Source) -> bool {
        let options = self.sink.options;
        options.from_tick.is_some()
            || options.to_tick.is_some()
            || self.sink.outside_writes
            || (source == Source::Ruby && self.sink.statistics.other_requests > 0)
            || self.sequencers.silent().any(|s| !s.bound && s.writes > 0)
    }

    /// A history without operations says nothing, unless the run itself never completed any.
    fn check_not_empty(&self, source: Source, empty: bool, file: &str) -> Result<(), Error> {
        let options = self.sink.options;
        let selected =
            options.addresses.is_some() || options.from_tick.is_some() || options.to_tick.is_some();
        if !empty || self.without_history.is_some() {
            return Ok(());
        }
        if source == Source::Exec && !self.exec.shows_addresses {
            return Err(Error::MissingFlag {
                file: file.to_owned(),
                missing: "ExecResult or ExecEffAddr (both are part of Exec)".to_owned(),
                found: "no instruction shows an address".to_owned(),
                flags: EXEC.to_owned(),
            });
        }
        if selected {
            return Err(Error::NothingSelected { file: file.to_owned() });
        }
        Ok(())
    }

    fn build(
        &mut self,
        source: Source,
        provenance: Provenance,
        executed: HistoryBuilder,
        file: &str,
    ) -> Result<History, Error> {
        let builder = match source {
            _ if self.without_history.is_some() => HistoryBuilder::new(),
            Source::Client => std::mem::take(&mut self.sink.client.collected).into_builder(),
            Source::Exec => executed,
            Source::Ruby | Source::Axe => self.sink.ruby.take().unwrap_or_default().into_builder(),
        };
        self.check_not_empty(source, builder.is_empty(), file)?;
        let options = self.sink.options;
        let usual = match source {
            Source::Exec => Initial::Infer,
            _ => Initial::Zero,
        };
        let initial = options.initial.as_ref().unwrap_or(&usual);
        builder
            .finish(options.access_size, initial, provenance)
            .map_err(|error| Error::Build { file: file.to_owned(), error })
    }

    /// What a user should know about the history, one sentence each.
    fn notes(&self, source: Source, selected: &Selected) -> Vec<String> {
        let statistics = &self.sink.statistics;
        let mut notes = Vec::new();
        let mut note = |count: u64, one: &str, many: &str, rest: &str| match count {
            0 => {}
            1 => notes.push(format!("1 {one} {rest}.")),
            _ => notes.push(format!("{count} {many} {rest}.")),
        };
        note(
            statistics.skipped,
            "damaged line or operation was",
            "damaged lines or operations were",
            match self.sink.options.lossy {
                true => "skipped (--lossy)",
                false => "skipped",
            },
        );
        if source == Source::Ruby {
            note(
                statistics.overlapping,
                "request of a sequencer",
                "requests of one sequencer",
                "overlapped in time; the order in which they were accepted is taken as program order, \
                 which is an assumption about the core",
            );
            note(
                statistics.other_requests,
                "request with a command that is not understood is",
                "requests with commands that are not understood are",
                "not part of the history",
            );
        }
        if source == Source::Client {
            note(
                statistics.uncommitted_stores,
                "store of the client was",
                "stores of the client were",
                "never seen to reach memory",
            );
            note(
                self.sink.client.unknown.len() as u64,
                "store",
                "stores",
                "reached memory that the client did not print",
            );
        }
        self.more_notes(source, &mut notes);
        if let Some(bytes) = selected.shared_bytes {
            notes.push(found(bytes, selected.left_out));
        }
        notes
    }

    fn more_notes(&self, source: Source, notes: &mut Vec<String>) {
        let mut note = |words: String| notes.push(words);
        let devices: Vec<_> = self.sequencers.silent().filter(|s| !s.bound).collect();
        if source == Source::Ruby
            && let Some(first) = devices.iter().find(|device| device.writes > 0)
        {
            let writes: u64 = devices.iter().map(|device| device.writes).sum();
            note(format!(
                "Writes of devices such as {} ({writes}) show no values and are not part of the history.",
                first.path
            ));
        }
        if source == Source::Ruby && self.sequencers.shared_versions {
            note(
                "Several sequencers print the same version; threads were numbered anew.".to_owned(),
            );
        }
        if source == Source::Exec && self.exec.hardware_threads {
            note(format!(
                "CPUs have several hardware threads: thread {HARDWARE_THREAD} * T + N is hardware \
                 thread T of CPU N."
            ));
        }
        if source == Source::Exec {
            self.notes_on_addresses(&mut note);
        }
        if source == Source::Exec && self.exec.full_fences {
            note(
                "gem5 prints `fence.tso` as `fence rw, rw` and executes it as a full fence: a violation of TSO or \
                 PSO may rest on that."
                    .to_owned(),
            );
        }
        if source == Source::Exec && self.exec.renumbered {
            note("Several CPUs have the same number; threads were numbered anew.".to_owned());
        }
    }
}

impl Reader<'_> {
    fn notes_on_addresses(&self, note: &mut impl FnMut(String)) {
        let spaces = &self.exec.spaces;
        if spaces.are_mixed(self.surroundings.full_system) {
            note(
                "Addresses are virtual and processes are not distinguished: a location may be that of several \
                 programs (--addresses LO-HI chooses)."
                    .to_owned(),
            );
        }
        let told_apart = spaces.told_apart();
        if !told_apart.is_empty() {
            note(format!(
                "{} address spaces are distinguished: addresses of programs in the N-th, from 0, are shown as \
                 N * 0x1000000000000 + address. Memory that processes share is not recognised.",
                told_apart.len()
            ));
        }
    }
}

/// Which locations make the history, where the user chose none.
fn found(bytes: u64, left_out: u64) -> String {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    if bytes == 0 {
        return format!(
            "{left_out} access{} read, none of memory that one thread writes and another accesses \
             (--addresses LO-HI chooses).",
            if left_out == 1 { " was" } else { "es were" },
        );
    }
    format!(
        "Checked: {bytes} byte{} of memory that one thread writes and another accesses; {left_out} other \
         access{} left out (--addresses LO-HI chooses).",
        plural(bytes),
        if left_out == 1 { " is" } else { "es are" },
    )
}
