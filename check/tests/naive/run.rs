//! [`Run`]: a recorded execution, in a plain form of its own.

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Load,
    Store,
    /// An atomic that reads and writes.
    Rmw,
    /// A compare-and-swap that did not write.
    FailedCas,
    LoadLinked,
    /// A store-conditional that succeeded.
    StoreConditional,
    /// An atomic that wrote back what it read, or a compare-and-swap that failed: the record does not tell.
    SilentRmw,
    Fence(Fence),
}

impl Kind {
    pub(crate) fn reads(self) -> bool {
        !matches!(self, Kind::Store | Kind::StoreConditional | Kind::Fence(_))
    }

    pub(crate) fn writes(self) -> bool {
        matches!(self, Kind::Store | Kind::StoreConditional | Kind::Rmw)
    }

    /// Whether the operation is an instruction that reads and writes at once, or would have.
    pub(crate) fn is_atomic(self) -> bool {
        matches!(self, Kind::Rmw | Kind::FailedCas | Kind::SilentRmw)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Load => "load",
            Kind::Store => "store",
            Kind::Rmw => "rmw",
            Kind::FailedCas => "failed-cas",
            Kind::LoadLinked => "load-linked",
            Kind::StoreConditional => "store-conditional",
            Kind::SilentRmw => "silent-rmw",
            Kind::Fence(fence) => fence.name,
        }
    }
}

/// A fence: its name, and the pairs of an access before it and one after it that it orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    pub name: &'static str,
    pub read_read: bool,
    pub read_write: bool,
    pub write_read: bool,
    pub write_write: bool,
}

const fn fence(name: &'static str, pairs: [bool; 4]) -> Fence {
    let [read_read, read_write, write_read, write_write] = pairs;
    Fence { name, read_read, read_write, write_read, write_write }
}

/// Every fence; the first is the full one.
pub(crate) const FENCES: [Fence; 11] = [
    fence("fence", [true, true, true, true]),
    fence("fence r,r", [true, false, false, false]),
    fence("fence r,w", [false, true, false, false]),
    fence("fence r,rw", [true, true, false, false]),
    fence("fence w,r", [false, false, true, false]),
    fence("fence w,w", [false, false, false, true]),
    fence("fence w,rw", [false, false, true, true]),
    fence("fence rw,r", [true, false, true, false]),
    fence("fence rw,w", [false, true, false, true]),
    fence("fence tso", [true, true, false, true]),
    fence(ISB, [false; 4]),
];

/// The name of AArch64's instruction barrier.
pub(crate) const ISB: &str = "isb";

/// The order that an instruction has by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Annotation {
    #[default]
    None,
    Acquire,
    /// An acquire that earlier releases need not precede.
    AcquirePc,
    Release,
    AcquireRelease,
    /// An atomic that throws away what it read.
    NoReturn,
    NoReturnRelease,
}

impl Annotation {
    pub(crate) const ALL: [Annotation; 6] = [
        Annotation::Acquire,
        Annotation::AcquirePc,
        Annotation::Release,
        Annotation::AcquireRelease,
        Annotation::NoReturn,
        Annotation::NoReturnRelease,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Annotation::None => "none",
            Annotation::Acquire => "acquire",
            Annotation::AcquirePc => "acquire-pc",
            Annotation::Release => "release",
            Annotation::AcquireRelease => "acquire-release",
            Annotation::NoReturn => "no-return",
            Annotation::NoReturnRelease => "no-return-release",
        }
    }

    pub(crate) fn acquires(self) -> bool {
        self.acquires_after_release() || self == Annotation::AcquirePc
    }

    pub(crate) fn acquires_after_release(self) -> bool {
        matches!(self, Annotation::Acquire | Annotation::AcquireRelease)
    }

    pub(crate) fn releases(self) -> bool {
        let releases =
            [Annotation::Release, Annotation::AcquireRelease, Annotation::NoReturnRelease];
        releases.contains(&self)
    }

    pub(crate) fn returns(self) -> bool {
        !matches!(self, Annotation::NoReturn | Annotation::NoReturnRelease)
    }
}

/// The part of an operation that depends on an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependency {
    Address,
    Data,
    /// A branch that ends right before the operation.
    Control,
    /// A choice between values to write.
    Choice,
}

impl Dependency {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Dependency::Address => "address",
            Dependency::Data => "data",
            Dependency::Control => "control",
            Dependency::Choice => "choice",
        }
    }
}

/// A cell without a size, or bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub address: u64,
    pub size: Option<u8>,
}

impl Place {
    pub(crate) fn end(self) -> u64 {
        self.address + u64::from(self.size.unwrap_or(1))
    }

    pub(crate) fn overlaps(self, other: Place) -> bool {
        self.address < other.end() && other.address < self.end()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    pub kind: Kind,
    /// `None` for a fence.
    pub place: Option<Place>,
    /// `None` if nothing is read, or the record does not show it.
    pub read: Option<u64>,
    /// `None` if nothing is written, or the record does not show it.
    pub written: Option<u64>,
    pub annotation: Annotation,
    /// The dependencies, each on an earlier operation of the thread. The value that an atomic writes may depend on what it reads
    /// itself.
    pub depends: Vec<(Dependency, usize)>,
    pub issued: Option<u64>,
    pub completed: Option<u64>,
}

impl Operation {
    pub(crate) fn new(kind: Kind, place: Option<Place>) -> Operation {
        Operation {
            kind,
            place,
            read: None,
            written: None,
            annotation: Annotation::None,
            depends: Vec::new(),
            issued: None,
            completed: None,
        }
    }
}

/// What memory holds at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Initial {
    /// These values, `None` for an unknown one; 0 elsewhere.
    Given(Vec<(Place, Option<u64>)>),
    /// Whatever explains the reads.
    Infer,
}

/// A recorded execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub threads: Vec<Vec<Operation>>,
    pub initial: Initial,
    pub finals: Vec<(Place, u64)>,
}

impl Run {
    pub(crate) fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.threads.iter().flatten()
    }

    pub(crate) fn has_unshown_reads(&self) -> bool {
        self.operations().any(|operation| operation.kind.reads() && operation.read.is_none())
    }

    /// Whether some places overlap in part.
    pub(crate) fn is_mixed(&self) -> bool {
        let accessed = self.operations().filter_map(|operation| operation.place);
        let places: Vec<Place> = accessed.chain(self.finals.iter().map(|last| last.0)).collect();
        let mixed = |a: &Place, b: &Place| a != b && a.overlaps(*b);
        places.iter().any(|a| places.iter().any(|b| mixed(a, b)))
    }

    /// The run without what is read or left at the locations that have a write whose value is not shown; `None` if nothing is.
    pub(crate) fn without_hidden_writes(&self) -> Option<Run> {
        let hides = |operation: &&Operation| operation.kind.writes() && operation.written.is_none();
        let hidden: Vec<Place> =
            self.operations().filter(hides).filter_map(|operation| operation.place).collect();
        let is_hidden = |place: Place| hidden.iter().any(|other| place.overlaps(*other));
        let mut rest = self.clone();
        for operation in rest.threads.iter_mut().flatten() {
            if operation.place.is_some_and(is_hidden) {
                operation.read = None;
            }
        }
        rest.finals.retain(|(place, _)| !is_hidden(*place));
        (rest != *self).then_some(rest)
    }

    /// What may have happened: each silent read-modify-write has written, or has failed.
    pub(crate) fn readings(&self) -> Vec<Run> {
        let silent = |operation: &Operation| operation.kind == Kind::SilentRmw;
        for (thread, operations) in self.threads.iter().enumerate() {
            let Some(at) = operations.iter().position(silent) else { continue };
            let mut wrote = self.clone();
            let operation = &mut wrote.threads[thread][at];
            operation.kind = Kind::Rmw;
            operation.written = operation.read;
            let mut failed = self.clone();
            failed.threads[thread][at].kind = Kind::FailedCas;
            return [wrote.readings(), failed.readings()].concat();
        }
        vec![self.clone()]
    }
}
