//! Types of the machines to which messages go.

use super::{TableEntry, Why, World, edited, reachable, why_not_in_any};

/// Why the directory never gets GETS while it reads memory for a device, if the cache's request is a GETS to these destinations.
fn why_not(destination: &str) -> Option<String> {
    let kind = "out_msg.Type := CoherenceRequestType:GETX;\n      out_msg.Requestor := machineID;\n      out_msg.Destination.add(mapAddressToMachine(address, MachineType:Directory));";
    let other = format!(
        "out_msg.Type := CoherenceRequestType:GETS; out_msg.Requestor := machineID; {destination}"
    );
    let protocol = edited("MI_example", &[(kind, &other)]);
    why_not_in_any(&protocol, ("Directory", "ID", "GETS"))
}

const ELSEWHERE: &str = "event GETS never comes up: nothing that can happen sends CoherenceRequestType:GETS to Directory through requestToDir";

#[test]
fn messages_arrive_at_machines_of_the_types_of_their_destinations() {
    for to_others in [
        "out_msg.Destination.add(machineID);",
        "out_msg.Destination.add(out_msg.Requestor);",
        "out_msg.Destination.broadcast(MachineType:L1Cache); out_msg.Destination.remove(machineID);",
        "out_msg.Destination.broadcast(MachineType:Directory); out_msg.Destination.clear();",
        "MachineID to := createMachineID(MachineType:DMA, intToID(0)); out_msg.Destination.add(to);",
        "NetDest all := broadcast(MachineType:DMA); out_msg.Destination := all;",
        "NetDest all; all.broadcast(MachineType:Directory); out_msg.Destination.add(machineID);",
    ] {
        assert_eq!(why_not(to_others).as_deref(), Some(ELSEWHERE), "{to_others}");
    }
    for to_directory in [
        "out_msg.Destination.broadcast();",
        "out_msg.Destination.broadcast(MachineType:Directory); out_msg.Destination.remove(machineID);",
        "NetDest all; all.broadcast(MachineType:Directory); out_msg.Destination.addNetDest(all);",
        "NetDest all; all.broadcast(MachineType:Directory); out_msg.Destination := all.OR(out_msg.Destination);",
        "MachineID to := machineID; if (is_valid(tbe)) { to := mapAddressToMachine(address, MachineType:Directory); } out_msg.Destination.add(to);",
        "out_msg.Destination.add(createMachineID(machineIDToMachineType(mapAddressToMachine(address, MachineType:Directory)), intToID(0)));",
    ] {
        assert_eq!(why_not(to_directory), None, "{to_directory}");
    }
}

/// Why the directory never gets GETS if the cache's request becomes one under a condition. The request goes to the directory.
fn why_not_if(condition: &str) -> Option<String> {
    let kind = "out_msg.Type := CoherenceRequestType:GETX;\n      out_msg.Requestor := machineID;";
    let other = format!(
        "out_msg.Requestor := machineID; MachineID nobody; NetDest nowhere; MachineID other := mapAddressToMachine(address, MachineType:Directory); \
         out_msg.Type := CoherenceRequestType:GETX; if ({condition}) {{ out_msg.Type := CoherenceRequestType:GETS; }}"
    );
    let protocol = edited("MI_example", &[(kind, &other)]);
    why_not_in_any(&protocol, ("Directory", "ID", "GETS"))
}

#[test]
fn comparisons_of_machines_are_decided_by_their_types() {
    for never in [
        "out_msg.Requestor == other",
        "machineIDToMachineType(other) == MachineType:L1Cache",
        "nowhere.isElement(machineID)",
        "nowhere.count() > 0",
        "nowhere.isEmpty() == false",
        "machineIDToMachineType(nobody) == MachineType:Directory",
    ] {
        assert!(why_not_if(never).is_some(), "{never}");
    }
    for maybe in [
        "out_msg.Requestor == machineID",
        "out_msg.Requestor != machineID",
        "nobody == machineID || nobody != machineID",
        "machineIDToMachineType(other) != MachineType:L1Cache",
        "machineIDToMachineType(nobody) != MachineType:Directory",
        "nowhere.isEmpty()",
        "nowhere.count() == 0",
    ] {
        assert_eq!(why_not_if(maybe), None, "{maybe}");
    }
}

/// The same in systems with one directory for a line.
fn why_not_with_one(condition: &str) -> Option<String> {
    let kind = "out_msg.Type := CoherenceRequestType:GETX;\n      out_msg.Requestor := machineID;";
    let other = format!(
        "out_msg.Requestor := machineID; MachineID one := mapAddressToMachine(address, MachineType:Directory); NetDest all; all.add(one); \
         MachineID two := mapAddressToMachine(address, MachineType:Directory); \
         MachineID made := createMachineID(MachineType:Directory, intToID(1)); \
         MachineID other := mapAddressToMachine(makeLineAddress(address), MachineType:Directory); \
         NetDest every; every.broadcast(MachineType:Directory); \
         out_msg.Type := CoherenceRequestType:GETX; if ({condition}) {{ out_msg.Type := CoherenceRequestType:GETS; }}"
    );
    let protocol = edited("MI_example", &[(kind, &other)]);
    let world = World { sole: &|machine| machine == "Directory", ..World::any() };
    let found = reachable(&protocol, &world);
    let why = found.why_not(&TableEntry::new("Directory", "ID", "GETS"));
    assert!(why.is_none_or(Why::depends_on_world), "{why:?}");
    why.map(ToString::to_string)
}

#[test]
fn numbers_of_machines_with_one_controller_for_a_line_are_equal() {
    let second = Some("needs a second Directory for a line");
    for never in ["one != two", "all.count() > 1"] {
        assert_eq!(why_not_with_one(never).as_deref(), second, "{never}");
    }
    let caches = "out_msg.Requestor != machineID";
    for maybe in [
        "one == two",
        "all.count() > 0",
        "all.isElement(two) == false",
        "one != made",
        "one != other",
        "every.count() > 1",
        "every.smallestElement(MachineType:Directory) != one",
        caches,
    ] {
        assert_eq!(why_not_with_one(maybe), None, "{maybe}");
    }
}

#[test]
fn a_set_without_the_only_controller_for_a_line_has_none_of_its_type() {
    let to = |all: &str, removed: &str| {
        let kind = "out_msg.Type := CoherenceRequestType:GETX;\n      out_msg.Requestor := machineID;\n      out_msg.Destination.add(mapAddressToMachine(address, MachineType:Directory));";
        let other = format!(
            "out_msg.Type := CoherenceRequestType:GETS; out_msg.Destination.{all}; out_msg.Destination.add(machineID); \
             out_msg.Destination.remove({removed});"
        );
        let protocol = edited("MI_example", &[(kind, &other)]);
        let world = World { sole: &|machine| machine == "Directory", ..World::any() };
        let found = reachable(&protocol, &world);
        found.why_not(&TableEntry::new("Directory", "ID", "GETS")).map(ToString::to_string)
    };
    let second = Some("needs a second Directory for a line");
    let one = "add(mapAddressToMachine(address, MachineType:Directory))";
    let own = "mapAddressToMachine(address, MachineType:Directory)";
    assert_eq!(to(one, own).as_deref(), second);
    assert_eq!(to(one, "machineID"), None, "caches are several");
    assert_eq!(to("broadcast(MachineType:Directory)", own), None, "other banks stay");
    let other = "createMachineID(MachineType:Directory, intToID(1))";
    assert_eq!(to(one, other), None, "it may be that of another line");
}

#[test]
fn messages_from_memory_answer_those_that_machines_send_there() {
    let why = |edits: &[(&str, &str)], row: (&str, &str, &str)| {
        why_not_in_any(&edited("MI_example", edits), row)
    };
    let acknowledged = ("L1Cache", "MI", "Writeback_Ack");
    assert_eq!(why(&[], acknowledged), None);
    // Memory gives back whom it works for as whom the directory has named.
    let named =
        "out_msg.Type := MemoryRequestType:MEMORY_WB;\n        out_msg.Sender := in_msg.Requestor;";
    let itself = named.replace("in_msg.Requestor", "machineID");
    let all = [(named, &*itself); 3];
    let nobody = why(&all, acknowledged).expect("the directory itself gets it");
    assert!(nobody.contains("WB_ACK to L1Cache"), "{nobody}");
    // What is written is not read.
    let read = "out_msg.Type := MemoryRequestType:MEMORY_READ;";
    let written = read.replace("MEMORY_READ", "MEMORY_WB");
    let data = ("Directory", "ID", "Memory_Data");
    assert_eq!(why(&[], data), None);
    let never = why(&[(read, "BOTH"), (read, &written), ("BOTH", &written)], data);
    assert!(never.is_some_and(|why| why.contains("MEMORY_READ")));
}
