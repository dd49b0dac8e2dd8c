//! The coalescers of GPUs, types that gem5's library had until June 2020.

use std::io;
use std::path::Path;

use slicc::load::{Failure, load_with};
use slicc::protocol::{BLOCK_BYTES, Protocol};

const TEXT: &str = r#"
    protocol "gpu";
    include "RubySlicc_interfaces.slicc";
    machine(MachineType:TCP, "a cache of a GPU") :
      GPUCoalescer * coalescer;
      MessageBuffer * mandatoryQueue;
    {
      state_declaration(State, default="TCP_State_I") { I, AccessPermission:Invalid; }
      enumeration(Event) { Load; }
      structure(Entry, interface="AbstractCacheEntry") { DataBlock DataBlk; }
      State getState(Entry cache_entry, Addr addr) { return State:I; }
      void setState(Entry cache_entry, Addr addr, State state) { }
      void setAccessPermission(Entry cache_entry, Addr addr, State state) { }
      AccessPermission getAccessPermission(Addr addr) { return AccessPermission:NotPresent; }
      in_port(requests_in, RubyRequest, mandatoryQueue) { }
      action(answer, "a") {
        coalescer.recordCPReadCallBack(machineID, machineID);
        coalescer.readCallback(address, MachineType:TCP, cache_entry.DataBlk);
      }
      transition(I, Load) { answer; }
    }
"#;

/// Opens the protocol, with a file of gem5's types beside it if there is a text of one.
fn open(types: Option<&str>) -> Result<Protocol, Failure> {
    let loaded = load_with(Path::new("gem5/gpu.slicc"), &mut |path| match path.to_str() {
        Some("gem5/gpu.slicc") => Ok(TEXT.as_bytes().to_vec()),
        Some("gem5/RubySlicc_Types.sm") if types.is_some() => {
            Ok(types.unwrap_or_default().as_bytes().to_vec())
        }
        _ => Err(io::ErrorKind::NotFound.into()),
    })?;
    Protocol::new(loaded, BLOCK_BYTES)
}

#[test]
fn the_library_of_then_has_them() {
    for types in [None, Some("structure (GPUCoalescer, external = \"yes\") { }")] {
        let protocol = open(types).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
        let said: Vec<_> = protocol.warnings.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(said[0], "this is the dialect of gem5 before June 2020");
    }
}

/// gem5 v20.1 still had protocols that used them, and could not translate these.
#[test]
fn a_library_beside_the_protocol_that_lacks_them_decides() {
    let failure = open(Some("structure (Sequencer, external = \"yes\") { }")).unwrap_err();
    let said: Vec<_> = failure.diagnostics.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "`GPUCoalescer` is a type of gem5's library, which gem5 had from 2016 to 2020 and which the \
          RubySlicc_Types.sm beside this protocol does not declare"
        ]
    );
}
