//! Armv8 as herd's files define it (`aarch64.cat`, `aarch64deps.cat`, `aarch64hwreqs.cat` of 7.58), for the events of
//! memory and barriers: relations as matrices, and every coherence order tried. It shares nothing with the rules of
//! `memory::weak` but the history.

use history::{Annotation, DependencyKind, History, Kind, OpId, ReadSource, ReadsFrom, WeakFence};

/// A relation between the operations of a history, of which there are at most 64: per operation, those that it is
/// related to, as bits.
#[derive(Clone)]
struct Relation(Vec<u64>);

impl Relation {
    fn of(size: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let row = |a| (0..size).filter(|&b| holds(a, b)).fold(0, |row, b| row | 1 << b);
        Relation((0..size).map(row).collect())
    }

    fn has(&self, a: usize, b: usize) -> bool {
        self.0[a] >> b & 1 != 0
    }

    fn or(&self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(own, other)| own | other).collect())
    }

    fn then(&self, other: &Relation) -> Relation {
        let size = self.0.len();
        let row = |a| (0..size).filter(|&m| self.has(a, m)).fold(0, |row, m| row | other.0[m]);
        Relation((0..size).map(row).collect())
    }

    fn closed(&self) -> Relation {
        let mut closed = self.clone();
        for m in 0..self.0.len() {
            for a in 0..self.0.len() {
                if closed.has(a, m) {
                    closed.0[a] |= closed.0[m];
                }
            }
        }
        closed
    }

    fn filter(&self, holds: impl Fn(usize, usize) -> bool) -> Relation {
        Relation::of(self.0.len(), |a, b| self.has(a, b) && holds(a, b))
    }

    fn is_irreflexive(&self) -> bool {
        (0..self.0.len()).all(|a| !self.has(a, a))
    }
}

/// The relations of a history that do not depend on what reads return.
pub(crate) struct Armv8<'h> {
    history: &'h History,
    po: Relation,
    rmw: Relation,
    local_hw_reqs: Relation,
}

impl<'h> Armv8<'h> {
    /// The model for a history in which read-modify-writes are two operations.
    pub(crate) fn of(history: &'h History) -> Armv8<'h> {
        let mut model = Armv8 {
            history,
            po: Relation::of(history.len(), |a, b| {
                let (first, second) = (OpId(a as u32), OpId(b as u32));
                let same = history.thread_of(first) == history.thread_of(second);
                same && a < b && !is_one_access(history, first, second)
            }),
            rmw: Relation::of(history.len(), |a, b| {
                history.linked_load_across_writes(OpId(b as u32)) == Some(OpId(a as u32))
            }),
            local_hw_reqs: Relation(Vec::new()),
        };
        model.local_hw_reqs = model.local();
        model
    }

    /// The pairs of program order that are locally ordered, and those that follow from choices.
    pub(crate) fn local_order(&self) -> Vec<Vec<bool>> {
        let all = 0..self.history.len();
        all.clone().map(|a| all.clone().map(|b| self.local_hw_reqs.has(a, b)).collect()).collect()
    }

    /// The model with other pairs of program order that are locally ordered.
    pub(crate) fn with_local_order(self, pairs: &[Vec<bool>]) -> Armv8<'h> {
        let local_hw_reqs = Relation::of(pairs.len(), |a, b| pairs[a][b]);
        Armv8 { local_hw_reqs, ..self }
    }

    fn kind(&self, a: usize) -> Kind {
        self.history.kind(OpId(a as u32))
    }

    fn annotation(&self, a: usize) -> Annotation {
        self.history.annotation(OpId(a as u32))
    }

    fn r(&self, a: usize) -> bool {
        self.kind(a).reads()
    }

    fn w(&self, a: usize) -> bool {
        self.kind(a).writes()
    }

    fn m(&self, a: usize) -> bool {
        self.r(a) || self.w(a)
    }

    fn acquire(&self, a: usize) -> bool {
        self.r(a) && self.annotation(a).acquires_in_order()
    }

    fn acquire_pc(&self, a: usize) -> bool {
        self.r(a) && self.annotation(a) == Annotation::AcquirePc
    }

    fn release(&self, a: usize) -> bool {
        self.w(a) && self.annotation(a).releases()
    }

    fn returning(&self, a: usize) -> bool {
        self.r(a) && self.annotation(a).returns()
    }

    fn same_location(&self, a: usize, b: usize) -> bool {
        let location = |a: usize| self.history.location(OpId(a as u32));
        self.m(a) && self.m(b) && location(a) == location(b)
    }

    fn po_loc(&self) -> Relation {
        self.po.filter(|a, b| self.same_location(a, b))
    }

    /// Local memory read successor.
    fn lmrs(&self) -> Relation {
        let po_loc = self.po_loc();
        po_loc.filter(|w, r| {
            let is_between = |m: usize| self.w(m) && po_loc.has(w, m) && po_loc.has(m, r);
            self.w(w) && self.r(r) && !(0..self.history.len()).any(is_between)
        })
    }

    /// The dependencies that the history states, of one kind.
    fn stated(&self, kind: DependencyKind) -> Relation {
        Relation::of(self.history.len(), |a, b| {
            let mut all = self.history.dependencies(OpId(b as u32)).iter();
            all.any(|it| {
                it.kind == kind && it.on.at() == a && (self.w(b) || kind != DependencyKind::Choice)
            })
        })
    }

    fn local(&self) -> Relation {
        use DependencyKind::{Address, Choice, Control, Data};
        let size = self.history.len();
        let lmrs = self.lmrs();
        let [address, data, control, choice] =
            [Address, Data, Control, Choice].map(|it| self.stated(it));
        let same = Relation::of(size, |a, b| a == b);
        // Dependencies through registers and memory; a choice adds a pick.
        let dtrm = address.or(&data).or(&lmrs).closed();
        let pick_dtrm = address.or(&data).or(&lmrs).or(&choice).closed();
        // The last step of a dependency is through a register, from another instruction.
        let from = |through: &Relation, used: &Relation| {
            let used = used.filter(|a, b| self.po.has(a, b));
            same.or(&through.filter(|a, _| self.r(a))).then(&used)
        };
        // A branch: from what it depends on to everything after it.
        let behind = control.then(&same.or(&self.po));
        let (addr, pick_addr) = (from(&dtrm, &address), from(&pick_dtrm, &address));
        let (data, pick_data) = (from(&dtrm, &data), from(&pick_dtrm, &data.or(&choice)));
        let (ctrl, pick_ctrl) = (from(&dtrm, &behind), from(&pick_dtrm, &behind));
        let po = &self.po;
        let to_write = |it: &Relation| it.filter(|_, b| self.w(b));
        let is = |kind: Kind| move |this: &Self, a: usize| this.kind(a) == kind;
        let isb = is(Kind::WeakFence(WeakFence::Instruction));
        let then_isb = |it: &Relation| it.filter(|_, b| isb(self, b)).then(po);
        let ifb = then_isb(&ctrl)
            .or(&then_isb(&pick_ctrl))
            .or(&then_isb(&addr.then(po)))
            .or(&then_isb(&pick_addr.then(po)));
        let dob = addr
            .or(&data)
            .or(&to_write(&ctrl))
            .or(&to_write(&addr.then(po)))
            .or(&addr.or(&data).then(&lmrs));
        let pob = to_write(&pick_addr)
            .or(&to_write(&pick_data))
            .or(&to_write(&pick_ctrl))
            .or(&to_write(&pick_addr.then(po)));
        let aob =
            self.rmw.or(&self.rmw.then(&lmrs).filter(|_, b| self.acquire(b) || self.acquire_pc(b)));
        let lmws = self.po_loc().filter(|_, b| self.w(b));
        let access = |a: usize, b: usize| self.m(a) && self.m(b);
        let lob = ifb.or(&dob).or(&pob).or(&aob).or(&lmws).or(&self.bob()).filter(access).closed();
        let pick_dep = pick_dtrm
            .or(&pick_addr)
            .or(&pick_data)
            .or(&pick_ctrl)
            .filter(|a, b| self.r(a) && po.has(a, b));
        let pick_lob = to_write(&pick_dep.then(&lob)).filter(access);
        lob.or(&pick_lob).closed()
    }

    fn bob(&self) -> Relation {
        let size = self.history.len();
        let fenced = |a: usize, b: usize| {
            (0..size).any(|f| {
                let orders = match self.kind(f) {
                    Kind::Fence => true,
                    Kind::WeakFence(weak) => {
                        (self.w(a) && weak.orders(Kind::Store, self.kind(b)))
                            || (self.returning(a) && weak.orders(Kind::Load, self.kind(b)))
                    }
                    _ => false,
                };
                orders && self.po.has(a, f) && self.po.has(f, b)
            })
        };
        let atomic_acquire_release = |w: usize| {
            w > 0
                && is_one_atomic(self.history, OpId(w as u32))
                && self.acquire(w - 1)
                && self.release(w)
        };
        self.po.filter(|a, b| {
            fenced(a, b)
                || atomic_acquire_release(a)
                || (self.release(a) && self.acquire(b))
                || self.acquire(a)
                || self.acquire_pc(a)
                || self.release(b)
        })
    }

    /// Whether the model allows an execution with some coherence order.
    pub(crate) fn allows(&self, reads_from: &ReadsFrom) -> bool {
        let mut locations: Vec<u32> =
            self.history.ops().filter_map(|op| self.history.location(op)).collect();
        locations.sort_unstable();
        locations.dedup();
        self.any_coherence(reads_from, &locations, &mut Vec::new())
    }

    fn any_coherence(&self, rf: &ReadsFrom, locations: &[u32], order: &mut Vec<usize>) -> bool {
        let Some((&location, rest)) = locations.split_first() else {
            return self.holds(rf, order);
        };
        let here = |op: &OpId| self.history.location(*op) == Some(location);
        let writes = self.history.ops().filter(here).filter(|op| self.w(op.at()));
        let left = writes.map(OpId::at).filter(|op| !order.contains(op)).collect::<Vec<_>>();
        if left.is_empty() {
            return self.ends_as_recorded(location, order) && self.any_coherence(rf, rest, order);
        }
        left.into_iter().any(|write| {
            let is_later =
                |earlier: &usize| self.po.has(write, *earlier) && here(&OpId(*earlier as u32));
            if order.iter().any(is_later) {
                return false;
            }
            order.push(write);
            let found = self.any_coherence(rf, locations, order);
            order.pop();
            found
        })
    }

    fn ends_as_recorded(&self, location: u32, order: &[usize]) -> bool {
        let Some(last) = self.history.finals().iter().find(|it| it.location == location) else {
            return true;
        };
        let here = |write: &&usize| self.history.location(OpId(**write as u32)) == Some(location);
        match order.iter().rfind(here) {
            Some(&write) => self.history.written(OpId(write as u32)) == Some(last.value),
            None => self.history.initial(location) == Some(last.value),
        }
    }

    fn holds(&self, reads_from: &ReadsFrom, order: &[usize]) -> bool {
        let size = self.history.len();
        let place = |write: usize| order.iter().position(|&it| it == write);
        let source = |read: usize| reads_from.source(OpId(read as u32));
        if (0..size).any(|read| self.r(read) && source(read) == Some(ReadSource::ThinAir)) {
            return false;
        }
        let co = Relation::of(size, |a, b| {
            self.w(a) && self.w(b) && self.same_location(a, b) && place(a) < place(b)
        });
        let rf = Relation::of(size, |w, r| source(r) == Some(ReadSource::Write(OpId(w as u32))));
        let fr = Relation::of(size, |r, w| {
            self.r(r)
                && self.w(w)
                && self.same_location(r, w)
                && match source(r) {
                    Some(ReadSource::Write(from)) => co.has(from.at(), w),
                    _ => true,
                }
        });
        let thread = |a: usize| self.history.thread_of(OpId(a as u32));
        let ext = |a: usize, b: usize| thread(a) != thread(b);
        let int = |a: usize, b: usize| thread(a) == thread(b);
        let ca = co.or(&fr);
        let po_loc = self.po_loc();
        let reads = po_loc.filter(|a, b| self.r(a) && self.r(b));
        let haz = reads.then(&ca.filter(ext));
        let obs = rf.or(&ca).filter(ext);
        let ob = self.local_hw_reqs.or(&haz).or(&obs).closed();
        let read_write = po_loc.or(&self.rmw).filter(|a, b| self.r(a) && self.w(b));
        let write = |it: &Relation| it.filter(|a, _| self.w(a));
        let own = ca.filter(int);
        let between = fr.then(&co);
        let own_between = fr.filter(int).then(&co.filter(int));
        ob.is_irreflexive()
            && read_write.then(&rf).is_irreflexive()
            && write(&po_loc).then(&own).is_irreflexive()
            && (0..size).all(|a| {
                (0..size)
                    .all(|b| !(self.rmw.has(a, b) && between.has(a, b) && !own_between.has(a, b)))
            })
    }
}

/// Whether two operations are of one instruction: parts of an access, or the read and the write of an atomic.
pub(crate) fn is_one_access(history: &History, first: OpId, second: OpId) -> bool {
    (first.0 + 1..=second.0).all(|op| history.continues(OpId(op)))
}

/// Whether an operation is the write of an atomic instruction whose read is the operation before it.
fn is_one_atomic(history: &History, write: OpId) -> bool {
    history.kind(write) == Kind::StoreConditional
        && history.continues(write)
        && history.linked_load(write).is_some_and(|read| read.0 + 1 == write.0)
}
