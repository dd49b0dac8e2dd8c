//! A simplified network: a message that leaves a To buffer arrives in the From buffers of its
//! receivers after some latency.
//!
//! Bandwidth is not modelled, so latencies are at least those of an unloaded network. In a mesh they
//! are longer the farther apart sender and receiver are. If the latency is constant, messages between
//! the same buffers arrive in the order in which they left.
//!
//! If it is random, messages between two ordered buffers keep their order, and those for an
//! unordered buffer may overtake each other freely. Between an unordered sender and an ordered
//! receiver, a message sometimes overtakes the last one if both are about the same line. In gem5
//! only the sender's buffer reorders messages there, and rarely, since links are first in, first
//! out. Protocols whose receiver keeps a message at the head (MI_example as released) rely on the
//! order of messages about different lines: without it, two caches soon wait for each other
//! forever.
//!
//! With a [`Crossbar`], messages take as long as through gem5's routers and links instead.

use super::buffer::frozen::IN_FLIGHT;
use super::crossbar::Crossbar;
use super::delays::{Delays, Latency};
use super::mesh::Mesh;

/// Number of cycles between the end of the enqueue latency and the arrival, in gem5's Crossbar
/// topology.
pub(crate) const UNLOADED: u64 = 6;

/// The place where a buffer is attached to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub buffer: u32,
    /// The number of the controller's machine type.
    pub machine: u32,
    /// The controller's number among those of its type.
    pub number: u32,
    /// The virtual network.
    pub vnet: u32,
    /// Whether the buffer is ordered.
    pub ordered: bool,
    /// The router to which the controller is attached.
    pub router: u32,
}

/// One message in this many overtakes the last one about its line, from an unordered to an ordered
/// buffer.
const OVERTAKES: u64 = 4;

/// The connections between buffers.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    latency: Latency,
    mesh: Option<Mesh>,
    /// The routers and links that delay messages at random, instead of the latency.
    crossbar: Option<Crossbar>,
    /// The router of each buffer.
    routers: Vec<u32>,
    /// Whether messages wait until an explorer lets them arrive, and which of them keep their order.
    holds: Option<Order>,
    /// For each virtual network, whether one of its buffers is ordered.
    ordered: Vec<bool>,
    /// For each buffer, whether messages come to it through the network.
    receives: Vec<bool>,
    /// The From buffers plus 1 (0 is none), by machine type, number and virtual network.
    routes: Vec<u32>,
    machines: u32,
    numbers: u32,
    vnets: u32,
    /// For each buffer, its index among those of its virtual network and direction. Unordered
    /// receivers have none.
    places: Vec<Option<Place>>,
    /// For each virtual network, the last messages of pairs with an ordered receiver, in a row for
    /// each sender.
    last: Vec<Vec<Last>>,
    /// The lengths of those rows.
    rows: Vec<u32>,
}

/// Which messages between two controllers arrive in the order in which they were sent, in an exploration, which has no
/// time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Messages between two ordered buffers keep their order.
    #[default]
    Buffers,
    /// Messages on a virtual network that has an ordered buffer keep their order. gem5 treats such a virtual network as
    /// ordered.
    VirtualNetworks,
}

/// The last messages between a pair of buffers whose receiver is ordered.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    /// The line of the message that arrives last.
    line: u64,
    /// The tick at which the last message arrives.
    arrival: u64,
    /// The tick at which the message before that arrives.
    before: u64,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    vnet: u32,
    rank: u32,
    ordered: bool,
}

impl Network {
    /// Connects To buffers (`senders`) with From buffers (`receivers`).
    pub(crate) fn new(
        latency: Latency,
        mesh: Option<Mesh>,
        senders: &[Endpoint],
        receivers: &[Endpoint],
    ) -> Network {
        let all = || senders.iter().chain(receivers);
        let bound = |of: fn(&Endpoint) -> u32| all().map(of).max().map_or(0, |most| most + 1);
        let vnets = bound(|end| end.vnet);
        let mut network = Network {
            latency,
            mesh,
            crossbar: None,
            routers: vec![0; bound(|end| end.buffer) as usize],
            holds: None,
            ordered: vec![false; vnets as usize],
            receives: vec![false; bound(|end| end.buffer) as usize],
            routes: Vec::new(),
            machines: bound(|end| end.machine),
            numbers: bound(|end| end.number),
            vnets,
            places: vec![None; bound(|end| end.buffer) as usize],
            last: Vec::new(),
            rows: Vec::new(),
        };
        for end in all() {
            network.routers[end.buffer as usize] = end.router;
            network.ordered[end.vnet as usize] |= end.ordered;
        }
        let size = network.machines * network.numbers * vnets;
        network.routes = vec![0; size as usize];
        for end in receivers {
            network.receives[end.buffer as usize] = true;
            if let Some(at) = network.at(end.machine, end.number, end.vnet) {
                network.routes[at] = end.buffer + 1;
            }
        }
        let columns = network.rank(senders.iter(), vnets);
        network.rows = network.rank(receivers.iter().filter(|end| end.ordered), vnets);
        let sizes = columns.iter().zip(&network.rows);
        network.last = sizes
            .map(|(senders, receivers)| vec![Last::default(); (senders * receivers) as usize])
            .collect();
        network
    }

    /// From now on, messages are delayed in the buffers of gem5's crossbar.
    pub(crate) fn use_crossbar(&mut self, receivers: &[Endpoint]) {
        let ordered = receivers.iter().filter(|end| end.ordered).map(|end| end.buffer);
        self.crossbar = Some(Crossbar::new(self.routers.len(), ordered));
    }

    /// Numbers the endpoints of each virtual network; returns how many each has.
    fn rank<'a>(&mut self, ends: impl Iterator<Item = &'a Endpoint>, vnets: u32) -> Vec<u32> {
        let mut counts = vec![0; vnets as usize];
        for end in ends {
            let count = &mut counts[end.vnet as usize];
            self.places[end.buffer as usize] =
                Some(Place { vnet: end.vnet, rank: *count, ordered: end.ordered });
            *count += 1;
        }
        counts
    }

    fn at(&self, machine: u32, number: u32, vnet: u32) -> Option<usize> {
        let inside = machine < self.machines && number < self.numbers && vnet < self.vnets;
        let index = (machine * self.numbers + number) * self.vnets + vnet;
        inside.then_some(index as usize)
    }

    /// The From buffer of a controller on a virtual network. If it has none, a message would stay
    /// in the network forever.
    #[inline]
    pub(crate) fn route(&self, machine: u32, number: u32, vnet: u32) -> Option<u32> {
        self.at(machine, number, vnet).and_then(|at| self.routes[at].checked_sub(1))
    }

    /// The tick at which a message reaches the point from which the paths to its receivers differ. It leaves the To buffer
    /// `sender` at `departure`, and is sent at `now`.
    #[inline]
    pub(crate) fn branch(
        &mut self,
        sender: u32,
        departure: u64,
        now: u64,
        random: &mut Delays,
    ) -> u64 {
        match &mut self.crossbar {
            Some(crossbar) => crossbar.leave(sender, departure, now, random),
            None => departure,
        }
    }

    /// The tick at which a message about a line arrives in the From buffer `receiver` after leaving
    /// the To buffer `sender` at `departure`, or [branching](Network::branch) then; it is later than `departure`.
    /// Messages of an ordered buffer have to be passed in the order in which they leave.
    #[inline]
    pub(crate) fn arrival(
        &mut self,
        sender: u32,
        receiver: u32,
        departure: u64,
        line: u64,
        random: &mut Delays,
    ) -> u64 {
        if let Some(crossbar) = &mut self.crossbar {
            return crossbar.arrive(receiver, departure, random);
        }
        let latency = self.latency.draw(random).max(1);
        let arrival = departure.saturating_add(latency + self.hops(sender, receiver));
        if self.latency.is_constant() {
            return self.holds.map_or(arrival, |order| self.lane(sender, receiver, order));
        }
        match self.last_of(sender, receiver) {
            Some((last, ordered)) => {
                let may_overtake = !ordered && line == last.line;
                let overtakes = may_overtake && random.below(OVERTAKES) == 0;
                let earliest = if overtakes { last.before } else { last.arrival };
                let arrival = arrival.max(earliest);
                if arrival >= last.arrival {
                    *last = Last { line, before: last.arrival, arrival };
                }
                arrival
            }
            None => arrival,
        }
    }

    /// How much longer a message takes because routers are between the two buffers.
    #[inline]
    fn hops(&self, sender: u32, receiver: u32) -> u64 {
        self.mesh.map_or(0, |mesh| {
            mesh.delay(self.routers[sender as usize], self.routers[receiver as usize])
        })
    }

    /// From now on, messages wait until they are delivered (see [`frozen`](super::buffer::frozen)).
    /// The latency has to be constant.
    pub(crate) fn hold(&mut self, order: Order) {
        self.holds = Some(order);
    }

    /// Whether a From buffer receives the messages of an ordered sender in order.
    #[inline]
    pub(crate) fn keeps_order(&self, receiver: u32) -> bool {
        let place = self.places.get(receiver as usize).copied().flatten();
        place.is_some_and(|place| place.ordered)
    }

    /// Whether messages come to a buffer through the network.
    pub(crate) fn receives(&self, buffer: u32) -> bool {
        self.receives.get(buffer as usize).copied().unwrap_or(false)
    }

    /// The lane of a pair of buffers: each pair whose messages keep their order has one; other messages have no
    /// order.
    fn lane(&self, sender: u32, receiver: u32, order: Order) -> u64 {
        let place = |buffer: u32| self.places.get(buffer as usize).copied().flatten();
        let is_ordered = match (order, place(sender), place(receiver)) {
            (Order::Buffers, Some(from), Some(to)) => from.ordered && to.ordered,
            (Order::VirtualNetworks, Some(from), _) => self.ordered[from.vnet as usize],
            _ => false,
        };
        if is_ordered { IN_FLIGHT + 1 + u64::from(sender) } else { IN_FLIGHT }
    }

    /// The last message of a pair of buffers whose receiver is ordered, and whether the sender is
    /// ordered.
    fn last_of(&mut self, sender: u32, receiver: u32) -> Option<(&mut Last, bool)> {
        let place = |buffer: u32| self.places.get(buffer as usize).copied().flatten();
        let (sender, receiver) = (place(sender)?, place(receiver)?);
        if sender.vnet != receiver.vnet {
            return None;
        }
        let row = self.rows[sender.vnet as usize];
        let last = self.last[sender.vnet as usize]
            .get_mut((sender.rank * row + receiver.rank) as usize)?;
        Some((last, sender.ordered))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(buffer: u32, machine: u32, number: u32, vnet: u32, ordered: bool) -> Endpoint {
        Endpoint { buffer, machine, number, vnet, ordered, router: buffer }
    }

    fn network(latency: Latency) -> Network {
        let senders = [
            end(0, 1, 0, 2, true),
            end(1, 1, 1, 2, true),
            end(2, 1, 0, 0, false),
            end(7, 1, 1, 0, false),
        ];
        let receivers = [
            end(3, 4, 0, 2, true),
            end(4, 4, 1, 2, true),
            end(5, 4, 0, 0, true),
            end(6, 4, 1, 0, false),
        ];
        Network::new(latency, None, &senders, &receivers)
    }

    #[test]
    fn routes_lead_to_the_buffer_of_that_network() {
        let network = network(Latency::Constant(6));
        assert_eq!(network.route(4, 0, 2), Some(3));
        assert_eq!(network.route(4, 1, 2), Some(4));
        assert_eq!(network.route(4, 0, 0), Some(5));
        for (machine, number, vnet) in [(4, 1, 1), (4, 2, 2), (1, 0, 2), (9, 0, 0), (4, 0, 9)] {
            assert_eq!(network.route(machine, number, vnet), None);
        }
    }

    #[test]
    fn a_constant_latency_is_added() {
        let mut random = Delays::new(0);
        assert_eq!(network(Latency::Constant(6)).arrival(0, 3, 10, 0, &mut random), 16);
        assert_eq!(network(Latency::Constant(0)).arrival(0, 3, 10, 0, &mut random), 11);
    }

    #[test]
    fn a_mesh_adds_the_way_between_routers() {
        let mut network = network(Latency::Constant(6));
        network.mesh = Some("2x4:10".parse().unwrap());
        let mut random = Delays::new(0);
        // The router of buffer 0 is in the first column of the first row, that of buffer 3 in the
        // second column of the second row.
        assert_eq!(network.arrival(0, 3, 10, 0, &mut random), 36);
        assert_eq!(network.arrival(0, 4, 10, 0, &mut random), 36);
        assert_eq!(network.arrival(1, 3, 10, 0, &mut random), 26);
    }

    #[test]
    fn messages_overtake_only_in_unordered_networks() {
        let mut random = Delays::new(1);
        let mut network = network(Latency::Between(0, 40));
        let mut last = [[(0, 0); 7]; 3];
        // Whether a message was overtaken by one about the same line, and by one about another
        // line.
        let mut overtaken = [[[false; 2]; 7]; 3];
        for departure in 1..2000 {
            for (sender, receiver) in [(0, 3), (0, 4), (1, 3), (1, 4), (2, 5), (2, 6)] {
                let line = departure / 7;
                let arrival = network.arrival(sender, receiver, departure, line, &mut random);
                assert!(arrival > departure && arrival <= departure + 40);
                let (sender, receiver) = (sender as usize, receiver as usize);
                let (before, about) = last[sender][receiver];
                overtaken[sender][receiver][usize::from(about != line)] |= arrival < before;
                last[sender][receiver] = (arrival.max(before), line);
            }
        }
        for (sender, receiver) in [(0, 3), (0, 4), (1, 3), (1, 4)] {
            assert_eq!(overtaken[sender][receiver], [false, false]);
        }
        assert_eq!(overtaken[2][5], [true, false]);
        assert_eq!(overtaken[2][6], [true, true]);
    }
}
