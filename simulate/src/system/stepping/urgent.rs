//! Internal events, which are handled before any other move.
//!
//! gem5's script for CHI gives controllers queues for internal events, which allow messages without latency. Such an event is
//! handled in the cycle in which it is triggered, and CHI relies on that. There is no time here, but there is an order: as
//! long as a message without latency waits in a queue of a controller, it is still the same cycle, in which no other
//! controller sees what this one has sent. What others do in this cycle may as well have happened before. So only this
//! controller moves: it handles the event, or first a message that arrives in the same cycle at a port at which it looks
//! earlier. Messages at later ports, requests of cores among them, wait until the internal events are over, as in a wakeup.
//!
//! An event may be stalled, for want of a TBE for example. If the controller was woken and did nothing, it is *stuck*
//! until it does something again, and all moves are possible.

use super::{Move, Stepping};

impl Stepping {
    /// The ports of a controller's internal events, in the order in which it looks at them.
    pub(super) fn internal_ports(&self, number: usize) -> Box<[usize]> {
        let system = &self.system;
        let controller = &system.controllers[number];
        let ports = &system.program.machines[controller.machine].in_ports;
        let ports = ports.iter().zip(controller.port_objects()).enumerate();
        let internal = ports.filter(|(_, (port, buffer))| {
            !port.timers && system.buffers[*buffer as usize].settings().allow_zero_latency
        });
        internal.map(|(at, _)| at).collect()
    }

    /// The first port of a controller that reads a buffer or, with `timers`, a table of timers.
    pub(super) fn port_of(&self, number: usize, object: usize, timers: bool) -> Option<usize> {
        let controller = self.system.controllers.get(number)?;
        let ports = &self.system.program.machines[controller.machine].in_ports;
        let mut ports = ports.iter().zip(controller.port_objects());
        ports.position(|(port, read)| port.timers == timers && read as usize == object)
    }

    /// Whether internal events wait at ports of a controller.
    pub(super) fn has_internal_events(&self, number: usize) -> bool {
        self.first_internal(number).is_some()
    }

    /// The first port of a controller at which an internal event waits.
    fn first_internal(&self, number: usize) -> Option<usize> {
        let ports = &self.system.controllers[number].ports;
        let mut internal = self.internal[number].iter().copied();
        internal.find(|&port| self.system.buffers[ports[port].object as usize].ready() > 0)
    }

    /// The port of an internal event that a controller handles before anything else happens.
    pub(super) fn urgent_port(&self, number: usize) -> Option<usize> {
        if self.stuck[number] { None } else { self.first_internal(number) }
    }

    /// The first controller with an internal event that is handled before any other move, and the port of the event.
    pub(super) fn first_urgent(&self) -> Option<(usize, usize)> {
        let all = 0..self.system.controllers.len();
        let mut urgent = all.filter_map(|number| Some((number, self.urgent_port(number)?)));
        urgent.next()
    }

    /// The moves that are possible while an internal event waits at a port of a controller.
    pub(super) fn urgent_moves(&self, number: usize, port: usize, moves: &mut Vec<Move>) {
        let is_before = |object: usize, timers: bool| {
            self.port_of(number, object, timers).is_some_and(|other| other < port)
        };
        for buffer in 0..self.system.buffers.len() {
            if self.system.consumers[buffer] as usize == number && is_before(buffer, false) {
                self.arriving(buffer, moves);
            }
        }
        let timers = self.owned[number].timers.iter().copied();
        moves.extend(
            timers.filter(|&table| is_before(table, true)).flat_map(|table| self.expiring(table)),
        );
        moves.push(Move::Wake { controller: number });
    }
}
