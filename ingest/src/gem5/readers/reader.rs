//! [`Reader`]: reads a trace line by line, and passes each line to those that may need it.

use history::Source;
use memchr::memmem;
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::format::Contents;
use crate::formats;
use crate::gem5::crash::end::End;
use crate::gem5::exec::{CpuName, Exec, LineContext};
use crate::gem5::lines::alike::{self, Alike};
use crate::gem5::lines::changes::Changes;
use crate::gem5::lines::fault::Fault;
use crate::gem5::lines::layout::{self, Change};
use crate::gem5::lines::line::{Columns, Shape};
use crate::gem5::lines::message::Message;
use crate::gem5::lines::parsed::ParsedLine;
use crate::gem5::lines::raw::{Event, RawLines};
use crate::gem5::lines::shaped::{ShapedLine, check_text};
use crate::gem5::lines::{command, grammar, wrapped};
use crate::gem5::readers::collector::Collector;
use crate::gem5::readers::gaps::{Gaps, Loss};
use crate::gem5::readers::matching::Sequencers;
use crate::gem5::readers::sink::Sink;
use crate::gem5::run::RunProperties;
use crate::input::{LineReader, Lines, read_lines};
use crate::options::Options;
use crate::statistics::Statistics;

/// Reads a trace to its end; `surroundings` are the properties of its run that other files show.
pub(crate) fn read(
    lines: &mut Lines<'_>,
    options: &Options,
    surroundings: &RunProperties,
) -> Result<Contents, Error> {
    let mut reader = Reader::new(options, surroundings);
    let wrap = wrapped::wrap(lines.head());
    lines.set_wrap(wrap);
    read_lines(lines, &mut reader)?;
    reader.finish(lines)
}

/// The role of an object, as its path and its messages show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Object {
    Unknown,
    Sequencer(usize),
    Port { sequencer: usize, port: u16 },
    Queue { sequencer: usize },
}

/// Reads a trace line by line.
pub(crate) struct Reader<'o> {
    pub surroundings: &'o RunProperties,
    pub sink: Sink<'o>,
    pub raw: RawLines,
    pub sequencers: Sequencers,
    pub exec: Exec,
    pub end: End,
    objects: Vec<Object>,
    pub ids: FxHashMap<Box<[u8]>, u32>,
    /// Path and number of the object of the last line; the next line is often about the same object.
    pub last_object: (Vec<u8>, usize),
    pub first_tick: u64,
    pub last_tick: u64,
    pub ticks: bool,
    /// The lines that were changed on their way.
    pub changes: Changes,
    /// The lines that were skipped.
    pub gaps: Gaps,
    /// Whether the first line says that `rubric simulate` made the trace.
    pub is_simulated: bool,
    /// The mutant that the command line of `rubric simulate` names.
    pub mutant: Option<String>,
    /// The reason why there is no history, if the run crashed before it showed one.
    pub without_history: Option<String>,
}

impl<'o> Reader<'o> {
    pub(crate) fn new(options: &'o Options, surroundings: &'o RunProperties) -> Reader<'o> {
        let wants_ruby = matches!(options.source, None | Some(Source::Ruby));
        Reader {
            surroundings,
            sink: Sink {
                options,
                statistics: Statistics::default(),
                ruby: wants_ruby.then(Collector::default),
                client: Default::default(),
                outside_writes: false,
            },
            raw: RawLines::new(options.transitions),
            sequencers: Sequencers::default(),
            exec: Exec::new(instructions::Options {
                is_of_commits: false,
                isa: options.isa,
                configured_isa: surroundings.isa,
                cache_line: surroundings.block_size.map_or(64, u64::from),
                addresses: options.addresses.clone(),
                from_tick: options.from_tick,
                to_tick: options.to_tick,
            }),
            end: End::default(),
            objects: Vec::new(),
            ids: FxHashMap::default(),
            last_object: (Vec::new(), 0),
            first_tick: u64::MAX,
            last_tick: 0,
            ticks: false,
            changes: Changes::default(),
            gaps: Gaps::default(),
            is_simulated: false,
            mutant: None,
            without_history: None,
        }
    }

    /// Takes in the line that `lines` is at. A line of which only the blanks were changed, or that a mail quotes, is read as
    /// gem5 printed it.
    pub(crate) fn take(&mut self, lines: &Lines<'_>) -> Result<(), Fault> {
        let (text, number, is_complete) = (lines.line(), lines.number(), lines.complete());
        let line = ShapedLine::of(text);
        if is_complete && line.is_changed(lines.is_odd()) {
            if let Some((restored, change)) = layout::restore(text) {
                self.changes.note(change, number);
                return self.take_shape(ShapedLine::of(&restored), number, true);
            }
            if let Some(inner) = layout::quoted(text).filter(|_| self.changes.is_quoted()) {
                return self.take_shape(ShapedLine::of(inner), number, true);
            }
        }
        // Movements of a terminal's cursor may be anywhere in a line, even in the path of an object.
        if lines.is_odd()
            && text.contains(&0x1b)
            && !self.end.is_crash()
            && let Alike::Part(fault) = alike::of_chatter(text)
        {
            return Err(fault);
        }
        self.take_shape(line, number, is_complete)
    }

    /// Takes in a line. After the message of a crash come backtraces and other output, so a line there that is not one of a
    /// trace does not count as damaged.
    fn take_shape(
        &mut self,
        line: ShapedLine<'_>,
        number: u64,
        is_complete: bool,
    ) -> Result<(), Fault> {
        let ShapedLine { text, shape, message } = line;
        let is_chatter = matches!(shape, Ok(Shape::Chatter));
        if !is_complete && is_chatter {
            self.end.scan(text, number, true);
        }
        let is_over = self.end.is_crash() && (is_chatter || shape.is_err());
        match shape {
            // gem5 may have crashed before it finished the line.
            _ if !is_complete && (is_over || self.surroundings.end.is_crash()) => Ok(()),
            _ if !is_complete => Err(Fault::Cut("a line end")),
            Err(_) if is_over => {
                self.sink.statistics.ignored += 1;
                Ok(())
            }
            shape => {
                let shape = shape.map_err(|fault| match alike::of_chatter(text) {
                    // `grep -n` puts a number in front, which looks like a tick.
                    Alike::Part(cause) => cause,
                    Alike::Similar | Alike::Nothing => fault,
                })?;
                self.tick(shape.tick());
                let message = message?;
                if alike::is_unread(&shape, message) {
                    self.changes.unread(text, number);
                }
                if let Some(fault) = self.behind_a_name(&shape, message, text) {
                    return Err(fault);
                }
                self.shaped(&shape, message, text, number)
            }
        }
    }

    /// The fault of a line of a debug flag after a word and a colon, such as the name of the file that `grep` puts there.
    /// Without a tick, the word looks like the path of an object.
    fn behind_a_name(&self, shape: &Shape<'_>, message: Message, text: &[u8]) -> Option<Fault> {
        let is_untimed = matches!(shape, Shape::Named { tick: None, .. });
        if !is_untimed || message != Message::Unknown || self.end.is_crash() {
            return None;
        }
        match alike::of_chatter(text) {
            Alike::Part(fault) => Some(fault),
            Alike::Similar | Alike::Nothing => None,
        }
    }

    /// Takes in a line that was parsed.
    pub(crate) fn shaped(
        &mut self,
        shape: &Shape<'_>,
        message: Message,
        text: &[u8],
        number: u64,
    ) -> Result<(), Fault> {
        match shape {
            Shape::Raw(columns) => self.raw_line(columns, number),
            Shape::Named { tick, path, text } => self.named(*tick, path, text, message, number),
            Shape::Blank => {
                self.sink.statistics.ignored += 1;
                Ok(())
            }
            Shape::Chatter => self.chatter(text, number),
        }
    }

    /// The result of a line: a fault is an error, or if damaged lines are to be skipped, the line is counted.
    pub(crate) fn result(
        &mut self,
        taken: Result<(), Fault>,
        lines: &Lines<'_>,
    ) -> Result<(), Error> {
        match taken {
            Err(Fault::Cut(_)) if !self.sink.options.lossy && wrapped::rest_follows(lines) => {
                let next = lines.number() + 1;
                Err(lines.syntax(
                    format!("the beginning of a line, of which line {next} seems to be the rest"),
                    "each line of the trace on one line: this text was wrapped",
                    "copy the file of the trace itself instead of what a terminal or a mail shows",
                ))
            }
            Err(fault) if !self.sink.options.lossy => {
                Err(fault.at(lines.file(), lines.number(), lines.line()))
            }
            Err(_) => {
                self.sink.statistics.skipped += 1;
                lines.note_skipped(lines.number());
                self.skip(lines);
                Ok(())
            }
            Ok(()) => {
                if self.sequencers.take_made_up() {
                    // If damage were refused, the error would name this line.
                    lines.note_skipped(lines.number());
                }
                Ok(())
            }
        }
    }

    /// Takes in that the current line is skipped.
    fn skip(&mut self, lines: &Lines<'_>) {
        let text = lines.line();
        let loss = if self.sequencers.take_earlier() || self.is_made_up_for(lines) {
            Loss::Nothing
        } else {
            Loss::of(text, !lines.complete())
        };
        let line = self.sequencers.take_lost().unwrap_or(lines.number());
        self.gaps.note(loss, line, text);
        if self.sequencers.take_mixed_up() {
            self.gaps.note_mixed_up(lines.number(), text);
        }
        if loss.is_of_ruby() {
            self.sequencers.interrupt();
        }
        if loss.is_of_cpus() {
            self.exec.recording.interrupt();
        }
    }

    /// Whether a line that is skipped is a completion of which other lines show all that matters, or the data of a store, which then has an
    /// unknown value.
    fn is_made_up_for(&mut self, lines: &Lines<'_>) -> bool {
        let line = ShapedLine::of(lines.line());
        let (Ok(Shape::Named { path, text, .. }), Err(_)) = (line.shape, line.message) else {
            return false;
        };
        let Some(&object) = self.ids.get(path) else { return false };
        let Object::Sequencer(at) = self.objects[object as usize] else { return false };
        if text.starts_with(b"set data ") {
            self.sequencers.hide_store(at, lines.number());
            return true;
        }
        let is_made_up = text.starts_with(b"Hit callback for")
            && self.sequencers.complete_without_line(at, &mut self.sink);
        // The line was counted already.
        self.sink.statistics.skipped -= u64::from(is_made_up);
        is_made_up
    }

    pub(crate) fn tick(&mut self, tick: Option<u64>) {
        if let Some(tick) = tick {
            self.ticks = true;
            self.first_tick = self.first_tick.min(tick);
            self.last_tick = self.last_tick.max(tick);
        }
    }

    /// Takes in a line that no debug flag printed.
    fn chatter(&mut self, text: &[u8], number: u64) -> Result<(), Fault> {
        check_text(text)?;
        if let Some(other) = formats::certain(text) {
            return Err(Fault::Mixed(other.title()));
        }
        self.end.scan(text, number, false);
        if !self.end.is_crash() {
            match alike::of_chatter(text) {
                Alike::Nothing => {}
                Alike::Similar => self.changes.unread(text, number),
                Alike::Part(fault) => return Err(fault),
            }
        }
        self.sink.statistics.ignored += 1;
        if let Some(arguments) = command::simulate(text) {
            self.is_simulated = true;
            self.mutant = command::mutant(arguments);
        }
        if memmem::find(text, b"BEGIN LIBC BACKTRACE").is_some() && !self.end.is_crash() {
            return Err(Fault::broken(
                "a stack trace",
                "lines of debug flags alone",
                "record again without the flag FmtStackTrace",
            ));
        }
        Ok(())
    }

    fn raw_line(&mut self, columns: &Columns<'_>, number: u64) -> Result<(), Fault> {
        if columns.lost_blanks {
            self.changes.note(Change::Blanks, number);
        }
        let event = self.raw.line(columns, number)?;
        if self.sink.options.source == Some(Source::Exec) {
            return Ok(());
        }
        match event {
            Event::RequestType { address, begin } => {
                let version = columns.version;
                let tick = columns.tick;
                self.sequencers.begin(version, address, begin, tick, &mut self.sink)
            }
            Event::Done { address, is_failed } => {
                self.sequencers.done(columns.version, address, is_failed);
                Ok(())
            }
            Event::Unaddressed => {
                self.sequencers.unaddressed();
                Ok(())
            }
            Event::None => {
                self.sequencers.transition();
                Ok(())
            }
        }
    }

    fn named(
        &mut self,
        tick: Option<u64>,
        path: &[u8],
        text: &[u8],
        message: Message,
        line: u64,
    ) -> Result<(), Fault> {
        if message == Message::Unknown {
            check_text(text)?;
            self.unknown(tick, path, text, line);
            self.sink.statistics.ignored += 1;
            return Ok(());
        }

        let object = self.object(path);
        match message {
            Message::Exec { space, thread, instruction } => {
                self.executed((object, path), (space, thread), &text[instruction..], tick, line)
            }
            Message::Client(op) => {
                let wanted = self.sink.options.source;
                if matches!(wanted, None | Some(Source::Client)) {
                    // The client's history takes precedence, so Ruby's is not needed any more.
                    self.sink.ruby = None;
                    let options = self.sink.options;
                    return self.sink.client.operation(op, tick, line, options);
                }
                self.sink.statistics.client_operations += 1;
                Ok(())
            }
            _ if self.sink.options.source == Some(Source::Exec) => {
                self.seen(message);
                Ok(())
            }
            message => self.ruby(object, message, text, tick, line, path),
        }
    }

    /// Takes in a named line that is not about operations: a message that enters a buffer, or other output that looks
    /// like a named line.
    fn unknown(&mut self, tick: Option<u64>, path: &[u8], text: &[u8], line: u64) {
        match tick {
            // Each switch on the way of a message has a buffer, which is not of interest.
            Some(_) if memmem::find(path, b".network.").is_some() => {}
            Some(tick) => {
                if let Some((address, message)) = grammar::enqueued(text) {
                    let buffer = String::from_utf8_lossy(path);
                    let at = (tick, line);
                    self.raw.last_steps.message(at, address, &buffer, &message);
                }
            }
            // A failed assertion looks like a named line: it begins with the name of the program.
            None => self.end.scan(&[path, b": ", text].concat(), line, false),
        }
    }

    /// Counts the lines of a source that was not requested.
    fn seen(&mut self, message: Message) {
        match message {
            Message::Data { .. } => self.sequencers.data_lines += 1,
            Message::Hit { .. } => self.sequencers.hits += 1,
            _ => {}
        }
    }

    fn executed(
        &mut self,
        (object, path): (usize, &[u8]),
        (space, thread): (Option<u64>, u32),
        text: &[u8],
        tick: Option<u64>,
        line: u64,
    ) -> Result<(), Fault> {
        let wanted = self.sink.options.source;
        if !matches!(wanted, None | Some(Source::Exec)) {
            self.exec.lines += 1;
            return Ok(());
        }
        let cpu = CpuName { object, path, configured: &self.surroundings.cpus };
        self.exec.line(cpu, thread, text, LineContext { line, tick, space })
    }

    /// Takes in a message of a sequencer, of one of its ports, or of the queue behind a port.
    fn ruby(
        &mut self,
        object: usize,
        message: Message,
        text: &[u8],
        tick: Option<u64>,
        line: u64,
        path: &[u8],
    ) -> Result<(), Fault> {
        let sequencers = &mut self.sequencers;
        match (message, self.objects[object]) {
            (Message::Timing { port }, known) => {
                let sequencer = match known {
                    Object::Port { sequencer, .. } => sequencer,
                    _ => self.port(object, path, port),
                };
                self.sequencers.timing(sequencer, port, tick, line);
            }
            (Message::Issued { command, address }, Object::Port { sequencer, port }) => {
                sequencers.issued(sequencer, port, command, address, tick, line);
            }
            (Message::Refused, _) => sequencers.dropped(true),
            (Message::Pio, _) => sequencers.dropped(false),
            (Message::IssuingAtomic { returns }, _) => sequencers.atomic(returns),
            (Message::Data { kind, block }, _) => {
                let sequencer = self.sequencer(object, path);
                self.sequencers.data(sequencer, kind, &text[block..], line, &mut self.sink)?;
            }
            (Message::Hit { command, address }, _) => {
                let sequencer = self.sequencer(object, path);
                self.sequencers.hit(sequencer, command, address, tick, line, &mut self.sink)?;
            }
            (Message::Response { address, size }, Object::Queue { sequencer }) => {
                sequencers.response(sequencer, address, size, &mut self.sink)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The sequencer of an object that is one.
    fn sequencer(&mut self, object: usize, path: &[u8]) -> usize {
        if let Object::Sequencer(sequencer) = self.objects[object] {
            return sequencer;
        }
        let sequencer = self.sequencers.add(&String::from_utf8_lossy(path));
        self.objects[object] = Object::Sequencer(sequencer);
        sequencer
    }

    /// The sequencer of an object that turned out to be a port; its path is that of the sequencer
    /// and a name.
    fn port(&mut self, object: usize, path: &[u8], port: u16) -> usize {
        let parent = path.iter().rposition(|&byte| byte == b'.').unwrap_or(0);
        let parent = &path[..parent];
        let of = self.object(parent);
        let sequencer = self.sequencer(of, parent);
        self.objects[object] = Object::Port { sequencer, port };
        sequencer
    }

    /// The number of an object, by its path.
    fn object(&mut self, path: &[u8]) -> usize {
        let (last, id) = &mut self.last_object;
        if !last.is_empty() && last == path {
            return *id;
        }
        if let Some(&known) = self.ids.get(path) {
            last.clear();
            last.extend_from_slice(path);
            *id = known as usize;
            return *id;
        }
        let object = self.role(path);
        self.objects.push(object);
        let id = self.objects.len() - 1;
        self.ids.insert(path.into(), id as u32);
        id
    }

    /// The role of an object by its path: ports and their queues are named after their sequencer.
    fn role(&mut self, path: &[u8]) -> Object {
        let Ok(text) = std::str::from_utf8(path) else {
            return Object::Unknown;
        };
        let (text, is_queue) = match text.strip_suffix("-RespPacketQueue") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let Some((parent, number)) = text.rsplit_once(".response_ports") else {
            return Object::Unknown;
        };
        let Ok(port) = number.parse() else {
            return Object::Unknown;
        };
        let of = self.object(parent.as_bytes());
        let sequencer = self.sequencer(of, parent.as_bytes());
        if is_queue { Object::Queue { sequencer } } else { Object::Port { sequencer, port } }
    }
}

impl LineReader for Reader<'_> {
    type Parsed = ParsedLine;

    fn parse(line: &[u8]) -> Option<ParsedLine> {
        ParsedLine::of(line)
    }

    fn parsed(&mut self, parsed: ParsedLine, lines: &Lines<'_>) -> Result<(), Error> {
        let (text, number) = (lines.line(), lines.number());
        let (shape, message) = parsed.in_line(text);
        self.tick(shape.tick());
        let taken = self.shaped(&shape, message, text, number);
        self.result(taken, lines)
    }

    fn line(&mut self, lines: &Lines<'_>) -> Result<(), Error> {
        let taken = self.take(lines);
        self.result(taken, lines)
    }
}
