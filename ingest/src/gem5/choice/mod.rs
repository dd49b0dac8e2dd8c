//! Ends a trace: chooses the source of the history and builds it, or returns an error that says why there is none.

mod notes;

use history::{
    Gap, History, HistoryBuilder, Initial, NotUnderstood, Provenance, Source, Unfinished,
};
use instructions::Selected;

use crate::error::{Error, or_lossy};
use crate::format::Contents;
use crate::gem5::readers::completion::Leftover;
use crate::gem5::readers::gaps::Loss;
use crate::gem5::readers::reader::Reader;
use crate::input::Lines;

// The gem5 options that record each source, for messages.
const BASE: &str = "--debug-flags=ProtocolTrace,RubySequencer,RubyPort";
const EXEC: &str = "--debug-flags=Exec";
const CLIENT: &str = "--debug-flags=ProtocolTrace,RubySequencer,RubyPort and the client's own flag";

impl Reader<'_> {
    /// Builds the history after the last line.
    pub(crate) fn finish(mut self, lines: &Lines<'_>) -> Result<Contents, Error> {
        self.complete_without_lines(lines);
        let leftover = self.sequencers.finish(&mut self.sink);
        let options = self.sink.options;
        self.sink.client.finish(options);
        self.end.finish(lines.file());
        self.end = std::mem::take(&mut self.end).or(&self.surroundings.end);
        let source = self.choose(lines.file())?;
        self.check_abandoned(lines)?;
        self.check_gaps(source, lines)?;
        self.count(lines, &leftover.unfinished);
        let mut ending = self.ending(&leftover.unfinished);
        ending.missing.extend(self.cut(lines));
        let mut selected = Selected::default();
        if source == Source::Exec {
            let executed = self.exec.recording.finish();
            selected =
                executed.ok_or_else(|| Error::NotAnnounced { file: lines.file().to_owned() })?;
        }
        if let Some((line, address)) = selected.of_program
            && self.exec.recording.spaces.are_mixed(self.surroundings.full_system)
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

    /// Returns a sentence that the last steps are missing, if gem5 crashed before it finished the file that it
    /// compressed.
    fn cut(&self, lines: &Lines<'_>) -> Option<String> {
        let crashed = self.end.crash()?.tick?;
        let last = self.last_tick;
        (lines.damage().is_some() && last < crashed).then(|| {
            format!(
                "the trace ends at tick {last}, and the run crashed at tick {crashed}: gem5 did not finish the compressed file; record without .gz to \
                 see what is between"
            )
        })
    }

    /// Refuses a data line whose completion is missing, unless it is the last line of the trace.
    pub(crate) fn check_abandoned(&self, lines: &Lines<'_>) -> Result<(), Error> {
        let line = self.sequencers.abandoned();
        match line.filter(|&line| line < lines.number()) {
            // The run may have crashed between the two.
            _ if self.end.crash().is_some() => Ok(()),
            Some(line) if self.sequencers.hits > 0 && !self.sink.options.lossy => {
                Err(Error::Syntax {
                    file: lines.file().to_owned(),
                    line,
                    found: "a data line that is never completed".to_owned(),
                    expected: "`Hit callback for …` after it".to_owned(),
                    hint: or_lossy(
                        "a line is missing: record the trace again",
                        "skip the operation",
                    ),
                })
            }
            _ => Ok(()),
        }
    }

    /// Refuses a client's history that lacks an operation although later ones were printed.
    pub(crate) fn check_gaps(&self, source: Source, lines: &Lines<'_>) -> Result<(), Error> {
        match self.sink.client.gap().filter(|_| source == Source::Client) {
            Some((thread, index)) if !self.sink.options.lossy => Err(Error::Syntax {
                file: lines.file().to_owned(),
                line: lines.number(),
                found: format!("no operation {index} of thread {thread} up to the end"),
                expected: "every operation before the thread's last one that is not a store"
                    .to_owned(),
                hint: or_lossy("a line is missing: record the trace again", "go on without"),
            }),
            _ => Ok(()),
        }
    }

    pub(crate) fn has(&self, source: Source) -> bool {
        match source {
            Source::Client => {
                self.sink.client.operations > 0 || self.sink.statistics.client_operations > 0
            }
            Source::Ruby => {
                let sequencers = &self.sequencers;
                sequencers.data_lines > 0 || sequencers.hits > 0 || sequencers.accepted() > 0
            }
            Source::Exec => self.exec.lines > 0,
            Source::Axe | Source::Record => false,
        }
    }

    /// Chooses the source of the history. A run that crashed early may have shown no operation, which is no mistake of
    /// the user's: then the history is empty, and a note states the reason.
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
            Source::Ruby | Source::Axe | Source::Record => BASE,
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
            available: if others.is_empty() {
                String::new()
            } else {
                format!(" ({})", others.join(", "))
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

    /// Checks that the three debug flags were recorded that a history of Ruby needs: ProtocolTrace, RubySequencer and
    /// RubyPort.
    pub(crate) fn check_flags(&self, file: &str) -> Result<(), Error> {
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
                    hint: or_lossy(
                        "a line is missing: record the trace again",
                        "skip the operation",
                    ),
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
        let silent = self.sequencers.silent().filter(|silent| silent.bound);
        silent.for_each(|silent| lines.note_skipped(silent.line));
        let statistics = &mut self.sink.statistics;
        statistics.lines = lines.number();
        statistics.bytes = lines.bytes();
        statistics.skipped += lines.skipped() + dataless;
        statistics.first_skipped = lines.first_skipped();
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
        statistics.prefetches = self.sequencers.prefetches;
        statistics.overlapping = self.sequencers.overlapping;
        statistics.unmatched = self.sequencers.unmatched;
        statistics.weak_fences = self.exec.recording.weak_fences;
        statistics.exec_lines = self.exec.lines;
        statistics.exec_operations = self.exec.recording.accesses;
        statistics.failed_store_conditionals += self.exec.recording.failed_store_conditionals;
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
            notes.insert(0, format!("{}{why}", Provenance::NO_OPERATIONS));
        }
        if let Some(damage) = lines.damage() {
            notes.insert(0, format!("{damage}."));
        }
        notes.extend(lines.notes());
        notes.extend(self.changes.notes());
        let unfinished = match source {
            Source::Exec => std::mem::take(&mut selected.unfinished),
            _ => self.unfinished(source, leftover),
        };
        let is_exec = source == Source::Exec;
        selected.not_understood.extend(self.gaps(source, lines));
        Provenance {
            unrecorded_writes: is_exec,
            locations_found: is_exec && selected.shared_bytes.is_some(),
            isa: self.exec.recording.isa().filter(|_| is_exec),
            not_understood: std::mem::take(&mut selected.not_understood),
            unknown_fences: std::mem::take(&mut selected.unknown_fences),
            unknown_dependencies: selected.unknown_dependencies,
            split: source == Source::Ruby && self.sequencers.split,
            protocol: protocol.or_else(|| self.surroundings.protocol.clone()),
            mutant: self.mutant.take(),
            ended,
            crash: self.end.crash().cloned(),
            unfinished: self.wanted(unfinished),
            order_only: std::mem::take(&mut selected.order_only),
            notes,
            outside_writes: selected.outside_writes || self.outside_writes(source),
            ..Provenance::of(source)
        }
    }

    /// Completes requests at the end of a trace whose completions were skipped.
    pub(crate) fn complete_without_lines(&mut self, lines: &Lines<'_>) {
        if self.sink.options.lossy && self.end.crash().is_none() {
            self.sequencers.complete_without_lines(lines.number(), &mut self.sink);
        }
    }

    /// The operations that the history may lack because lines were skipped.
    pub(crate) fn gaps(&mut self, source: Source, lines: &Lines<'_>) -> Vec<NotUnderstood> {
        if !self.sink.options.lossy {
            return Vec::new();
        }
        let gaps = &mut self.gaps;
        let ruby = Loss::Of(Source::Ruby);
        if let Some(line) = self.sequencers.first_stray() {
            gaps.note(ruby, line, b"a completion of a sequencer without requests");
        }
        if let Some(line) = self.sequencers.first_unshown() {
            gaps.note(ruby, line, b"a completion without its data line");
        }
        let is_missing = self.sequencers.hits > 0 && self.end.crash().is_none();
        let abandoned = self.sequencers.abandoned().filter(|&line| line < lines.number());
        if let Some(line) = abandoned.filter(|_| is_missing) {
            gaps.note(ruby, line, b"a data line that is never completed");
        }
        if let Some((thread, index)) = self.sink.client.gap() {
            let missing = format!("no operation {index} of thread {thread}");
            gaps.note(Loss::Of(Source::Client), lines.number(), missing.as_bytes());
        }
        if let Some(line) = lines.first_lost() {
            gaps.note(Loss::Anything, line, b"what cannot be read");
        }
        gaps.of(source)
    }

    /// The requests and writes whose operations Ruby's or the client's lines do not show whole.
    pub(crate) fn unfinished(&mut self, source: Source, leftover: Leftover) -> Vec<Unfinished> {
        let unfinished = match source {
            Source::Ruby => [leftover.unfinished, leftover.lost].concat(),
            // The client's own lines show its stores, but not the loads that never completed.
            Source::Client => {
                let requests = leftover.unfinished.into_iter();
                let loads = requests.filter(|request| !request.writes);
                loads.chain(std::mem::take(&mut self.sink.client.unknown)).collect()
            }
            Source::Exec | Source::Axe | Source::Record => Vec::new(),
        };
        self.wanted(unfinished)
    }

    /// The requests to addresses that the options select.
    fn wanted(&self, mut requests: Vec<Unfinished>) -> Vec<Unfinished> {
        requests.retain(|request| self.sink.options.wants_address(request.address));
        requests
    }

    /// Whether values may come from writes that are no operations of the history.
    pub(crate) fn outside_writes(&self, source: Source) -> bool {
        let options = self.sink.options;
        options.from_tick.is_some()
            || options.to_tick.is_some()
            || self.sink.outside_writes
            // A line that was skipped may have shown a write.
            || self.sink.statistics.skipped > 0
            || (source == Source::Ruby && self.sink.statistics.other_requests > 0)
            || self.sequencers.silent().any(|s| !s.bound && s.writes > 0)
    }

    /// Refuses a history without operations, unless the run crashed before it completed any.
    fn check_not_empty(&self, source: Source, empty: bool, file: &str) -> Result<(), Error> {
        let options = self.sink.options;
        let selected =
            options.addresses.is_some() || options.from_tick.is_some() || options.to_tick.is_some();
        if !empty || self.without_history.is_some() {
            return Ok(());
        }
        if source == Source::Exec && !self.exec.recording.shows_addresses {
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
            Source::Ruby | Source::Axe | Source::Record => {
                self.sink.ruby.take().unwrap_or_default().into_builder()
            }
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
}
