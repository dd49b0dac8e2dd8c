//! The trace of a run as gem5 would print it: the lines of its debug flags, byte for byte.
//!
//! The lines are those of the flags ProtocolTrace, RubySequencer and RubyPort, optionally
//! PacketQueue (sizes) and LLSC (reservations), and those of clients. They go to a buffer, which a
//! second thread writes out (`output`). [`ingest::gem5::text`] formats them.

mod output;

use std::io;

pub use ingest::gem5::text::ClientLine;
use ingest::gem5::text::{Names, Text};
pub use output::Output;
use rustc_hash::FxHashMap;

use crate::request::{Refusal, Request, RequestKind};
use output::Writer;

/// The kind of a line that shows the data of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// The line as it was read.
    Read,
    /// The line after a store.
    Set,
    /// The line before an atomic instruction that is performed in it.
    AtomicBefore,
    /// The line after an atomic instruction that was performed in it.
    AtomicAfter,
    /// The line, as returned for an atomic operation performed elsewhere.
    AtomicReturn,
}

/// The arrangement of sequencers, which their paths show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// One for each first-level cache: `system.ruby.l1_cntrl<i>.sequencer`.
    Single,
    /// Two for each core pair: `system.cp_cntrl<p>.sequencer` and `.sequencer1`.
    Pairs,
}

impl Layout {
    /// The path of a sequencer.
    pub fn path(self, version: u32) -> String {
        match self {
            Layout::Single => format!("system.ruby.l1_cntrl{version}.sequencer"),
            Layout::Pairs if version.is_multiple_of(2) => {
                format!("system.cp_cntrl{}.sequencer", version / 2)
            }
            Layout::Pairs => format!("system.cp_cntrl{}.sequencer1", version / 2),
        }
    }
}

/// The options of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Number of sequencers. Methods with a `version` panic unless it is below this number.
    pub sequencers: u32,
    /// Number of threads whose operations clients print: those of cores, and then of DMA devices, which have no
    /// sequencers. Threads with a number below `sequencers` need not be counted.
    pub clients: u32,
    /// The arrangement of the sequencers.
    pub layout: Layout,
    /// Whether fetches have a port of their own: port 0, as with gem5's CPUs, so that data use port
    /// 1.
    pub fetch_port: bool,
    /// Whether to print sizes of accesses: the lines of the flag PacketQueue, and the sizes in the lines of clients.
    pub packets: bool,
    /// Whether to print the lines of the flag LLSC, which show reservations.
    pub links: bool,
}

impl Options {
    /// The usual flags.
    pub fn new(sequencers: u32, layout: Layout) -> Options {
        Options { sequencers, clients: 0, layout, fetch_port: false, packets: false, links: false }
    }
}

/// A transition of a controller, or a stall.
#[derive(Clone, Copy, Debug)]
pub struct Transition<'a> {
    /// The number of the controller within its type.
    pub version: u32,
    /// The type of the controller.
    pub machine: &'a str,
    /// Name of the event.
    pub event: &'a str,
    /// The state before.
    pub from: &'a str,
    /// The state after.
    pub to: &'a str,
    /// The numbers of controller, transition and state after, if the same numbers always come with the same names: then the columns of
    /// the names are spelled once.
    pub key: Option<(u32, u32, u16)>,
    /// The address of the line.
    pub address: u64,
    /// The comment of the transition, printed after the address and a space.
    pub comment: &'a str,
}

/// The trace of a run. Each method prints its lines at once. If the output fails, further lines are
/// dropped, and [`Trace::error`] returns the error.
#[derive(Debug)]
pub struct Trace {
    text: Text,
    names: Vec<Names>,
    options: Options,
    writer: Writer,
    /// The columns from the version to the state after, by [`Transition::key`].
    columns: FxHashMap<(u32, u32, u16), Box<str>>,
}

impl Trace {
    /// Creates a trace with the lines that gem5 prints while it creates ports.
    pub fn new(options: Options, output: Output) -> Trace {
        Trace::titled(options, output, None)
    }

    /// Creates a trace as [`Trace::new`] does, with a first line that says how the trace was made.
    pub fn titled(options: Options, output: Output, title: Option<&str>) -> Trace {
        let names = 0..options.sequencers.max(options.clients);
        let mut trace = Trace {
            text: Text::default(),
            names: names
                .map(|version| Names::new(&options.layout.path(version), version))
                .collect(),
            options,
            writer: Writer::new(output),
            columns: FxHashMap::default(),
        };
        if let Some(title) = title {
            trace.note(title);
        }
        trace.set_up();
        trace
    }

    /// The error of the output, if it failed. It is returned once.
    pub fn error(&mut self) -> Option<io::Error> {
        self.writer.error()
    }

    /// Writes out the rest. Returns the text if the trace was kept in memory.
    ///
    /// # Errors
    /// Fails if the output failed, now or before.
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        let text = self.text.take();
        self.writer.finish(text)
    }

    /// Prints a line that belongs to no debug flag.
    pub fn note(&mut self, line: &str) {
        self.text.put(line);
        self.end();
    }

    fn set_up(&mut self) {
        let ports = if self.options.fetch_port { 2 } else { 1 };
        for version in 0..self.options.sequencers {
            let path = self.options.layout.path(version);
            self.created(&path, ports);
        }
        self.created("system.sys_port_proxy", 1);
    }

    /// Prints the creation of an object's ports.
    fn created(&mut self, path: &str, response_ports: u32) {
        let mut line = |port: String, what: &str| {
            let line = format!("      0: {path}{port}: Created {what} {path}{port}\n");
            self.text.put(&line);
        };
        line(".pio-request-port".into(), "request pioport on sequencer");
        line(".pio-response-port".into(), "response pioport on sequencer");
        line(".mem-request-port".into(), "request memport on ruby sequencer");
        line("-mem-response-port".into(), "response memport on ruby sequencer");
        for port in 0..response_ports {
            let port = format!(".response_ports{port}");
            line(port, "response memport on ruby sequencer");
        }
    }

    /// Ends a line.
    fn end(&mut self) {
        self.text.put("\n");
        self.hand_over();
    }

    /// Hands the text over to the writer, if there is enough of it.
    fn hand_over(&mut self) {
        if self.text.is_long() {
            self.writer.write(&mut self.text);
        }
    }

    fn port_of(&self, kind: RequestKind) -> usize {
        usize::from(self.options.fetch_port && kind != RequestKind::Ifetch)
    }

    fn sequencer(&mut self, now: u64, version: u32) {
        self.text.sequencer(&self.names[version as usize], now);
    }

    /// Prints that a core offers a request.
    pub fn timing_request(&mut self, now: u64, version: u32, kind: RequestKind, address: u64) {
        let port = self.port_of(kind);
        self.text.timing_request(&self.names[version as usize], now, port, address);
        self.hand_over();
    }

    /// Prints that a core makes a functional access.
    pub fn functional_access(&mut self, now: u64, version: u32, address: u64) {
        let port = self.port_of(RequestKind::Load);
        self.text.functional_access(&self.names[version as usize], now, port, address);
        self.hand_over();
    }

    /// Prints whether the functional access of a core has succeeded.
    pub fn functional_end(&mut self, now: u64, version: u32, has_succeeded: bool) {
        let port = self.port_of(RequestKind::Load);
        self.text.functional_end(&self.names[version as usize], now, port, has_succeeded);
        self.hand_over();
    }

    /// Prints the sequencer's line about requests that are more than a load or a store.
    pub fn issuing(&mut self, now: u64, version: u32, kind: RequestKind) {
        let words = match kind {
            RequestKind::LoadLinked => "Issuing LL",
            RequestKind::StoreConditional => "Issuing SC",
            RequestKind::LockedRead => "Issuing Locked RMW Read",
            RequestKind::LockedWrite => "Issuing Locked RMW Write",
            _ => return,
        };
        self.sequencer(now, version);
        self.text.put(words);
        self.end();
    }

    /// Prints that a request enters the mandatory queue; `name` is its type there.
    pub fn begin(&mut self, now: u64, version: u32, address: u64, line: u64, name: &str) {
        self.text.begin(&self.names[version as usize], now, (address, line), name);
        self.hand_over();
    }

    /// Prints that a request is accepted.
    pub fn issued(&mut self, now: u64, version: u32, kind: RequestKind, address: u64) {
        let request = (kind.command(), address);
        let port = self.port_of(kind);
        self.text.issued(&self.names[version as usize], now, port, request);
        self.hand_over();
    }

    /// Prints that a request is refused.
    pub fn refused(
        &mut self,
        now: u64,
        version: u32,
        kind: RequestKind,
        address: u64,
        refusal: Refusal,
    ) {
        let request = (kind.command(), address);
        let port = self.port_of(kind);
        self.text.refused(&self.names[version as usize], now, port, request, refusal.name());
        self.hand_over();
    }

    /// Prints that the request that went to the protocol completes; a store-conditional may have
    /// failed.
    pub fn done(
        &mut self,
        now: u64,
        version: u32,
        address: u64,
        line: u64,
        cycles: u64,
        success: bool,
    ) {
        self.text.done(&self.names[version as usize], now, (address, line), cycles, success);
        self.hand_over();
    }

    /// Prints the block of a request that completes.
    pub fn data(&mut self, now: u64, version: u32, data: Data, block: &[u64]) {
        let words = match data {
            Data::Read => "read data ",
            Data::Set => "set data ",
            Data::AtomicBefore => "AMO original data ",
            Data::AtomicAfter => "AMO new data ",
            Data::AtomicReturn => "ATOMIC RETURN data ",
        };
        self.text.data(&self.names[version as usize], now, words, block);
        self.hand_over();
    }

    /// Prints that a request completes and its response goes to the port.
    pub fn hit(&mut self, now: u64, version: u32, request: &Request, success: bool) {
        let (kind, address) = (request.kind, request.address);
        let port = self.port_of(kind);
        let (text, names) = (&mut self.text, &self.names[version as usize]);
        text.hit(names, now, kind.command(), address);
        if kind.is_answered() {
            text.port_line(names, now, port, "Hit callback needs response 1");
            text.port_line(names, now, port, "Sending packet back over port");
        } else {
            text.port_line(names, now, port, "Hit callback needs response 0");
        }
        if kind.is_answered() && self.options.packets {
            text.packet(names, now, port, (kind.answer(success), address), request.size);
        }
        text.port_line(names, now, port, "Hit callback done!");
        self.hand_over();
    }

    /// Prints that a core makes a request about translations, named as protocols know it. Only those of its own are inserted
    /// into a table, and not its answers to other cores.
    pub fn unaddressed(&mut self, now: u64, version: u32, name: &str, id: u64, is_own: bool) {
        self.timing_request(now, version, RequestKind::Load, 0);
        self.sequencer_line(now, version, "Issuing TLBI");
        if is_own {
            self.sequencer_line(now, version, &format!("Inserting TLBI request {id:016x}"));
        }
        self.text.begin_unaddressed(&self.names[version as usize], now, name);
        self.sequencer_line(now, version, &format!("Issuing TLBI {id:016x}"));
        self.issued(now, version, RequestKind::Load, 0);
    }

    /// Prints that a request about translations is refused.
    pub fn unaddressed_refused(&mut self, now: u64, version: u32, refusal: Refusal) {
        self.timing_request(now, version, RequestKind::Load, 0);
        self.refused(now, version, RequestKind::Load, 0, refusal);
    }

    /// Prints that the protocol calls back about a transaction without an address.
    pub fn unaddressed_callback(&mut self, now: u64, version: u32, id: u64, name: &str) {
        let words = format!("unaddressedCallback ID:{id:08x} type:{name}");
        self.sequencer_line(now, version, &words);
    }

    /// Prints that a request about translations has completed.
    pub fn unaddressed_end(&mut self, now: u64, version: u32) {
        self.sequencer_line(now, version, "Unaddressed callback for ReadReq");
        let port = self.port_of(RequestKind::Load);
        let (text, names) = (&mut self.text, &self.names[version as usize]);
        text.port_line(names, now, port, "Hit callback needs response 1");
        text.port_line(names, now, port, "Sending packet back over port");
        text.port_line(names, now, port, "Hit callback done!");
        self.hand_over();
    }

    /// Prints that a core is told of another core's sync.
    pub fn stale_translations(&mut self, now: u64, version: u32) {
        self.sequencer_line(now, version, "Stale Translation Callback");
    }

    fn sequencer_line(&mut self, now: u64, version: u32, words: &str) {
        self.sequencer(now, version);
        self.text.put(words);
        self.end();
    }

    /// Prints that a core that was refused may try again.
    pub fn retry(&mut self, now: u64, version: u32) {
        let port = usize::from(self.options.fetch_port);
        self.sequencer(now, version);
        self.text.put("Sequencer may now be free. SendRetry to port ");
        self.text.put(self.names[version as usize].port(port));
        self.end();
    }

    /// Prints that a core is told that a line leaves its cache.
    pub fn evicted(&mut self, now: u64, version: u32) {
        self.sequencer(now, version);
        self.text.put("Sending invalidations.");
        self.end();
    }

    /// Prints a change of a reservation.
    pub fn link(&mut self, now: u64, version: u32, line: u64, what: &str) {
        if !self.options.links {
            return;
        }
        self.sequencer(now, version);
        self.text.put("LLSC Monitor - ");
        self.text.put(what);
        self.text.put(" - addr=");
        self.text.prefixed(line);
        self.text.put(" - cpu=");
        self.text.decimal(u64::from(version), 0);
        self.end();
    }

    /// Prints a transition of a controller.
    pub fn transition(&mut self, now: u64, transition: &Transition<'_>) {
        self.controller(now, transition);
        self.text.put(transition.comment);
        self.end();
    }

    /// Prints that a controller lacks room for a transition; `to` is the state to which it would
    /// have led.
    pub fn resource_stall(&mut self, now: u64, transition: &Transition<'_>) {
        self.controller(now, transition);
        self.text.put("Resource Stall");
        self.end();
    }

    /// Prints that the protocol stalls a transition.
    pub fn protocol_stall(&mut self, now: u64, transition: &Transition<'_>) {
        self.controller(now, transition);
        self.text.put("Protocol Stall");
        self.end();
    }

    /// Prints the line of a controller, up to the space after the address.
    fn controller(&mut self, now: u64, transition: &Transition<'_>) {
        self.text.decimal(now, 15);
        match transition.key {
            Some(key) => {
                let spelled = self.columns.entry(key).or_insert_with(|| columns(transition));
                self.text.put(spelled);
            }
            None => self.text.put(&columns(transition)),
        }
        self.text.bracket(transition.address, transition.address);
    }

    /// Prints an operation of a client.
    pub fn client(&mut self, now: u64, line: &ClientLine) {
        let shows_size = self.options.packets;
        self.text.client(&self.names[line.thread as usize], now, line, shows_size);
        self.hand_over();
    }
}

/// The columns of a controller's line from the version to the state after. Longer names push what follows.
fn columns(transition: &Transition<'_>) -> Box<str> {
    let Transition { version, machine, event, from, to, .. } = transition;
    format!(" {version:>3} {machine:>10}{event:>20} {from:>6}>{to:<6} ").into()
}

#[cfg(test)]
mod tests;
