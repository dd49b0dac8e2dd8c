//! Traces written by hand, line by line, as gem5 prints them.
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use history::{History, Kind};
use ingest::{Error, Options, Trace};

/// Bytes of a cache line in these traces.
pub(crate) const BLOCK: u64 = 16;

/// A trace being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    pub text: String,
    pub tick: u64,
}

impl Script {
    pub(crate) fn new() -> Script {
        Script::default()
    }

    pub(crate) fn line(&mut self, line: impl AsRef<str>) -> &mut Self {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
        self
    }

    /// Adds a line of the sequencer of a thread.
    pub(crate) fn sequencer(&mut self, thread: u32, message: &str) -> &mut Self {
        let tick = self.tick;
        self.line(format!("{tick:7}: system.ruby.l1_cntrl{thread}.sequencer: {message}"))
    }

    pub(crate) fn port(&mut self, thread: u32, port: u32, message: &str) -> &mut Self {
        let tick = self.tick;
        self.line(format!(
            "{tick:7}: system.ruby.l1_cntrl{thread}.sequencer.response_ports{port}: {message}"
        ))
    }

    /// Adds a line of ProtocolTrace.
    pub(crate) fn raw(
        &mut self,
        version: u32,
        machine: &str,
        event: &str,
        states: (&str, &str),
        address: u64,
        rest: &str,
    ) -> &mut Self {
        let tick = self.tick;
        let line = address - address % BLOCK;
        let (state, next) = states;
        self.line(format!(
            "{tick:15} {version:3} {machine:>10}{event:>20} {state:>6}>{next:<6} [{address:#x}, line {line:#x}]{rest}"
        ))
    }

    pub(crate) fn seq(&mut self, version: u32, event: &str, address: u64, rest: &str) -> &mut Self {
        self.raw(version, "Seq", event, ("", ""), address, rest)
    }

    /// Adds the lines of a request that a sequencer accepts. `begin` is the type with which it enters the protocol,
    /// `None` if it is coalesced.
    pub(crate) fn request(
        &mut self,
        (thread, port): (u32, u32),
        command: &str,
        address: u64,
        begin: Option<&str>,
    ) -> &mut Self {
        self.tick += 1;
        self.port(thread, port, &format!("Timing request for address {address:#x} on port {port}"));
        let issuing = match command {
            "LoadLockedReq" => Some("Issuing LL"),
            "StoreCondReq" => Some("Issuing SC"),
            "LockedRMWReadReq" => Some("Issuing Locked RMW Read"),
            "LockedRMWWriteReq" => Some("Issuing Locked RMW Write"),
            _ => None,
        };
        if let Some(issuing) = issuing {
            self.sequencer(thread, issuing);
        }
        if let Some(begin) = begin {
            self.seq(thread, "Begin", address, &format!(" {begin}"));
        }
        self.port(thread, port, &format!("Request {command} {address:#x} issued"))
    }

    /// Adds the lines of a completion. `done` is the event of the raw line, `data` are the data lines.
    pub(crate) fn complete(
        &mut self,
        (thread, port): (u32, u32),
        command: &str,
        address: u64,
        done: Option<&str>,
        data: &[(&str, &[u8])],
    ) -> &mut Self {
        self.tick += 1;
        if let Some(done) = done {
            self.seq(thread, done, address, " 36 cycles");
        }
        for (kind, bytes) in data {
            let block = block(bytes);
            self.sequencer(thread, &format!("{kind} data {block}"));
        }
        self.sequencer(thread, &format!("Hit callback for {command} {address:#x}"));
        self.port(thread, port, "Hit callback needs response 1");
        self.port(thread, port, "Sending packet back over port");
        self.port(thread, port, "Hit callback done!")
    }

    /// Adds the line of the flag PacketQueue that shows the size of the operation that completed before it.
    pub(crate) fn response(
        &mut self,
        (thread, port): (u32, u32),
        address: u64,
        size: u64,
    ) -> &mut Self {
        let tick = self.tick;
        let when = tick + 1;
        let line = format!(
            "{tick:7}: system.ruby.l1_cntrl{thread}.sequencer.response_ports{port}-RespPacketQueue: \
             schedSendTiming for ReadResp address {address:x} size {size} when {when} ord: 0"
        );
        // gem5 prints this line before `Hit callback done!`.
        let done = self.text.trim_end().rfind('\n').map_or(0, |at| at + 1);
        self.text.insert_str(done, &format!("{line}\n"));
        self
    }

    pub(crate) fn load(&mut self, thread: u32, address: u64, bytes: &[u8]) -> &mut Self {
        let at = (thread, 0);
        self.request(at, "ReadReq", address, Some("LD"));
        self.complete(at, "ReadReq", address, Some("Done"), &[("read", bytes)])
    }

    pub(crate) fn store(&mut self, thread: u32, address: u64, bytes: &[u8]) -> &mut Self {
        let at = (thread, 0);
        self.request(at, "WriteReq", address, Some("ST"));
        self.complete(at, "WriteReq", address, Some("Done"), &[("set", bytes)])
    }

    pub(crate) fn read(&self) -> Trace {
        self.read_with(&Options::default())
    }

    pub(crate) fn read_with(&self, options: &Options) -> Trace {
        read(&self.text, options).unwrap_or_else(|error| panic!("{error}\n{}", self.text))
    }

    pub(crate) fn error(&self) -> Error {
        error(&self.text)
    }
}

pub(crate) fn read(text: &str, options: &Options) -> Result<Trace, Error> {
    ingest::read(text.as_bytes(), "t", options)
}

pub(crate) fn error(text: &str) -> Error {
    match read(text, &Options::default()) {
        Err(error) => error,
        Ok(trace) => panic!("read {} operations of\n{text}", operations(&trace).len()),
    }
}

/// The text of a data block that begins with these bytes; the others are 0.
pub(crate) fn block(bytes: &[u8]) -> String {
    let mut text = "[ ".to_owned();
    for at in 0..BLOCK as usize {
        let byte = bytes.get(at).copied().unwrap_or(0);
        write!(text, "0x{byte:x} ").unwrap();
    }
    text + "]"
}

/// The operations of the only history, each as its thread and its description.
pub(crate) fn operations(trace: &Trace) -> Vec<String> {
    assert_eq!(trace.histories.len(), 1);
    let history = &trace.histories[0];
    history
        .ops()
        .map(|op| format!("{}: {}", history.operation(op).thread, history.describe(op)))
        .collect()
}

pub(crate) fn kinds(history: &History) -> Vec<Kind> {
    history.ops().map(|op| history.kind(op)).collect()
}

pub(crate) fn lossy() -> Options {
    Options { lossy: true, ..Options::default() }
}

pub(crate) fn compressed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A recorded trace of this repository.
pub(crate) fn fixture(name: &str) -> PathBuf {
    workspace().join("fixtures/traces").join(name)
}

/// A file that is shared beside the repository. Tests that need one are ignored where it is absent
/// (see the Makefile).
pub(crate) fn shared(path: &str) -> PathBuf {
    workspace().join("../shared").join(path)
}
