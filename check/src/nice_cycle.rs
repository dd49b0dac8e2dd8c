//! Nice cycles (Qadeer, sections 6 and 7).
//!
//! A cycle of a constraint graph is k-*nice* if it alternates between k processor edges, of k
//! different threads, and k location edges, of k different locations:
//!
//! ```text
//! u1 -thread-> v1 -location-> u2 -thread-> v2 -location-> … uk -thread-> vk -location-> u1
//! ```
//!
//! So k is at most the number of threads and the number of locations. Every cycle contains a nice one
//! (Theorem 6.1): two edges of one thread can be replaced by one, since the thread's order is total, and so
//! can two edges of one location, since of two ordered accesses one is ordered with any third (Lemma
//! 5.1). A violation at a single location, such as reading two writes in the wrong order, is a 1-nice
//! cycle. In *canonical* form the processor edges are those of processors 1 to k and the location edges
//! those of locations 2, 3, …, k, 1; [`NiceCycle::threads`] and [`NiceCycle::locations`] are the renaming.
//!
//! Read-modify-writes and final values, which the paper does not have, can give cycles without a
//! processor edge: see [`CycleShape`].

use history::{History, OpId};

/// The kind of a cycle, by the edges that it consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleShape {
    /// Processor and location edges alternate.
    Nice,
    /// The cycle is a read-modify-write or store-conditional and another write of its location that comes
    /// between it and the write that it reads from.
    Atomicity,
    /// The cycle is the write of a final value and a write of its location that the witness has after it.
    Final,
}

/// A cycle in which no two edges are of one thread or of one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NiceCycle {
    /// The kind of the cycle.
    pub shape: CycleShape,
    /// The processor edges; for shapes other than [`CycleShape::Nice`], the two operations.
    pub pairs: Vec<(OpId, OpId)>,
    /// Per processor of the canonical form, from 1, the thread that it stands for, as an index into [`History::threads`].
    pub threads: Vec<u32>,
    /// Per location of the canonical form, from 1, the location of the history that it stands for.
    pub locations: Vec<u32>,
}

impl NiceCycle {
    /// Number of processor edges, and of location edges; 0 if there is no processor edge.
    pub fn k(&self) -> usize {
        self.threads.len()
    }

    /// The processor edges, in the order of the cycle.
    pub fn processor_edges(&self) -> impl Iterator<Item = (OpId, OpId)> {
        self.pairs[..self.k()].iter().copied()
    }

    /// The location edges, in the order of the cycle; the first one follows the first processor edge. A
    /// cycle of two operations has an edge in each direction.
    pub fn location_edges(&self) -> impl Iterator<Item = (OpId, OpId)> {
        let next = self.pairs.iter().cycle().skip(1);
        let back = self.pairs.iter().zip(next).map(|(&(_, v), &(u, _))| (v, u));
        let there = self.pairs[self.k()..].iter().copied();
        there.chain(back)
    }

    /// The cycle in one line, with its canonical form.
    pub fn describe(&self, history: &History) -> String {
        let name = |op: OpId| match history.line(op) {
            Some(line) => format!("{} (line {line})", history.describe(op)),
            None => history.describe(op),
        };
        let (first, second) = self.pairs[0];
        match self.shape {
            CycleShape::Atomicity => {
                format!("{} comes between {} and what that reads from", name(second), name(first))
            }
            CycleShape::Final => {
                format!("{}, whose value is final, completed before {}", name(first), name(second))
            }
            CycleShape::Nice => {
                let mut text = format!("{}-nice cycle ", self.k());
                let edges = self.processor_edges().zip(self.location_edges());
                for (thread, ((u, v), (_, next))) in self.threads.iter().zip(edges) {
                    let label = history.threads()[*thread as usize].label;
                    let place = history.location(next).map_or(String::new(), |location| {
                        history.locations()[location as usize].to_string()
                    });
                    text += &format!("{} -thread {label}-> {} -{place}-> ", name(u), name(v));
                }
                text + &name(first) + &self.canonical_form(history)
            }
        }
    }

    /// A text that says which threads and locations the processors and locations of the canonical form stand for.
    fn canonical_form(&self, history: &History) -> String {
        let threads = self.threads.iter();
        let threads = threads.map(|&thread| history.threads()[thread as usize].label.to_string());
        let places = self.locations.iter();
        let places = places.map(|&place| history.locations()[place as usize].to_string());
        let numbers: Vec<String> = (1..=self.k()).map(|number| number.to_string()).collect();
        format!(
            " (in canonical form processors {numbers} are threads {}, locations {numbers} {})",
            threads.collect::<Vec<_>>().join(", "),
            places.collect::<Vec<_>>().join(", "),
            numbers = numbers.join(", ")
        )
    }
}
