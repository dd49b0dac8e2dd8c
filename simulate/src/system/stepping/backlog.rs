//! Memory that catches up.
//!
//! Some protocols write to memory and do not wait until it is done, as the memory nodes of CHI do. If memory may take as long as it
//! likes, any number of writes are under way, and states never end. So memory has a queue of limited length: where more
//! messages are on their way between a controller and memory, only these move. Runs with longer queues are left out.

use super::{Move, Stepping};

impl Stepping {
    /// The buffers between a controller and memory: of its requests, and of the responses.
    pub(super) fn memory_buffers(&self, number: usize) -> impl Iterator<Item = usize> + use<> {
        let controller = &self.system.controllers[number];
        let buffers = [controller.requests_to_memory, controller.responses_from_memory];
        buffers.into_iter().flatten().map(|buffer| buffer as usize)
    }

    /// The moves by which memory catches up, where too many messages are under way.
    pub(super) fn backlog_moves(&self, moves: &mut Vec<Move>) {
        for number in 0..self.system.controllers.len() {
            let under_way = self.memory_buffers(number);
            let under_way = under_way.map(|buffer| self.system.buffers[buffer].in_flight().count());
            if under_way.sum::<usize>() > self.memory_queue {
                self.memory_buffers(number).for_each(|buffer| self.arriving(buffer, moves));
            }
        }
    }
}
