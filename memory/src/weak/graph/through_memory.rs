//! What dependencies through memory add to preserved program order ([`PpoRule::Carried`],
//! [`PpoRule::ChoiceCarried`]).
//!
//! If what a read `a` returned reaches a read `m` through a choice and memory, `a` precedes exactly those writes that
//! `m` is locally ordered before. So the graph has a second node for each node that such a read `m` is ordered before,
//! its *shadow*. Shadows have the edges of local order among each other; `a` precedes the shadow of `m`, and the shadow
//! of a write precedes that write. Shadows are joins, and there are at most as many of them as there are other nodes.

use history::{DependencyKind, OpId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Builder, Graph, Node, Rules};
use crate::execution::Execution;
use crate::model::Model;
use crate::weak::PpoRule;
use crate::weak::carried::own_read;

/// The dependencies through memory of the operations of a thread so far.
#[derive(Default)]
pub(super) struct ThroughMemory {
    /// Per read, a node for the reads of atomics whose values reach it through these atomics and memory.
    carried: FxHashMap<Node, Node>,
    /// Per read, a node for the reads whose values reach it through a choice or an atomic, and memory.
    picked: FxHashMap<Node, Node>,
    shadows: FxHashMap<Node, Node>,
    /// The shadows of the nodes that precede the operation that is being added.
    before: Vec<Node>,
}

impl ThroughMemory {
    /// Notes that a node is ordered before the operation that is being added.
    pub(super) fn note_edge(&mut self, from: Node) {
        self.before.extend(self.shadows.get(&from));
    }

    /// Notes that a node stands for others.
    pub(super) fn note_join(&mut self, join: Node, nodes: &[Node], graph: &mut Graph) {
        let shadows = nodes.iter().filter_map(|node| self.shadows.get(node).copied());
        if let Some(shadow) = graph.join(&Vec::from_iter(shadows)) {
            self.shadows.insert(join, shadow);
        }
    }

    /// An operation, and the node for the reads whose values it carries.
    pub(super) fn with_carried(&self, op: OpId) -> impl Iterator<Item = Node> + use<> {
        std::iter::once(op.0).chain(self.carried.get(&op.0).copied())
    }
}

impl Builder<'_, '_> {
    /// Notes the reads whose values reach a read through the thread's latest write of the location.
    pub(super) fn follow_values(&mut self, read: OpId, write: OpId) {
        if !self.rules.has(PpoRule::Carried) {
            return;
        }
        let own = own_read(self.history, write);
        let (mut carried, mut picked) = (Vec::new(), Vec::new());
        for it in self.history.dependencies(write) {
            let is_own = Some(it.on) == own;
            match it.kind {
                DependencyKind::Control => continue,
                DependencyKind::Data if is_own => {
                    carried.extend(self.through_memory.with_carried(it.on));
                    picked.push(it.on.0);
                }
                DependencyKind::Choice => picked.push(it.on.0),
                DependencyKind::Address | DependencyKind::Data => {}
            }
            picked.extend(self.through_memory.picked.get(&it.on.0));
        }
        picked.sort_unstable();
        picked.dedup();
        if let Some(carried) = self.join(carried) {
            self.through_memory.carried.insert(read.0, carried);
        }
        if let Some(picked) = self.join(picked) {
            self.through_memory.picked.insert(read.0, picked);
        }
    }

    /// Orders the reads that precede the shadow of an operation before it, if it writes, and gives the operation a
    /// shadow.
    pub(super) fn follow_choices(&mut self, op: OpId) {
        let mut before = std::mem::take(&mut self.through_memory.before);
        before.extend(self.through_memory.picked.get(&op.0));
        before.sort_unstable();
        before.dedup();
        if self.history.kind(op).writes() {
            self.graph.edges.extend(before.iter().map(|&node| (node, op.0)));
        }
        if let Some(shadow) = self.graph.join(&before) {
            self.through_memory.shadows.insert(op.0, shadow);
        }
    }

    /// Orders the reads whose values reach, through a choice and memory, what an operation depends on, before what
    /// follows the next `ISB`.
    pub(super) fn bind_isb_by_choice(&mut self, op: OpId, kind: DependencyKind) {
        let all = self.history.dependencies(op).iter().filter(|it| it.kind == kind);
        let picked = all.filter_map(|it| self.through_memory.picked.get(&it.on.0).copied());
        let picked = Vec::from_iter(picked);
        self.before_isb = self.raise(self.before_isb, picked);
    }
}

/// Whether Armv8 orders `first` locally before `second`, a later access of its thread: by preserved program order
/// without [`PpoRule::ReadsApart`] and [`PpoRule::ChoiceCarried`]. Cost: linear in the operations between them.
pub(in crate::weak) fn locally_precedes(
    execution: &Execution<'_>,
    first: OpId,
    second: OpId,
) -> bool {
    let all = Model::ARMV8.ppo_rules().iter().copied();
    let is_local = |rule: &PpoRule| !matches!(rule, PpoRule::ReadsApart | PpoRule::ChoiceCarried);
    let rules = Rules::of(&all.filter(is_local).collect::<Vec<_>>());
    let mut graph = Graph { operations: execution.history.len() as u32, ..Graph::default() };
    let mut builder = Builder::new(execution, rules, &mut graph);
    (first.0..=second.0).for_each(|op| builder.add(OpId(op)));
    let mut later = FxHashSet::from_iter([first.0]);
    for (from, to) in graph.edges {
        if later.contains(&from) {
            later.insert(to);
        }
    }
    later.contains(&second.0)
}
