//! Notes on the history of a trace: parts that were skipped, assumed or left out.

use history::Source;
use instructions::Selected;
use settings::Setting;

use crate::gem5::exec::HARDWARE_THREAD;
use crate::gem5::readers::reader::Reader;
use crate::selection;

impl Reader<'_> {
    /// Returns remarks on the history for the user, one sentence each.
    pub(crate) fn notes(&self, source: Source, selected: &Selected) -> Vec<String> {
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
            &match (self.sink.options.lossy, statistics.first_skipped) {
                (true, Some(line)) => {
                    format!("skipped ({}), the first at line {line}", Setting::Lossy)
                }
                (true, None) => format!("skipped ({})", Setting::Lossy),
                (false, _) => "skipped".to_owned(),
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
        self.add_assumptions(source, &mut notes);
        notes.extend(selection::notes(selected));
        notes
    }

    /// Adds notes on the operations that the history lacks, and on assumptions, because of the way in which its source
    /// prints them.
    fn add_assumptions(&self, source: Source, notes: &mut Vec<String>) {
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
        if source == Source::Exec && self.exec.threads.are_several {
            note(format!(
                "CPUs have several hardware threads: thread {HARDWARE_THREAD} * T + N is hardware \
                 thread T of CPU N."
            ));
        }
        if source == Source::Exec {
            self.notes_on_addresses(&mut note);
        }
        if source == Source::Exec && self.exec.recording.full_fences {
            note(
                "gem5 prints `fence.tso` as `fence rw, rw` and executes it as a full fence: a violation of TSO or \
                 PSO may rest on that."
                    .to_owned(),
            );
        }
        if source == Source::Exec {
            self.exec.threads.on_cpus().into_iter().for_each(&mut note);
        }
        if source == Source::Exec && self.exec.threads.renumbered {
            note("Several CPUs have the same number; threads were numbered anew.".to_owned());
        }
    }

    fn notes_on_addresses(&self, note: &mut impl FnMut(String)) {
        let spaces = &self.exec.recording.spaces;
        if spaces.are_mixed(self.surroundings.full_system) {
            note(format!(
                "Addresses are virtual and processes are not distinguished: a location may be that of several \
                 programs ({} chooses).",
                Setting::Addresses.to("LO-HI")
            ));
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
