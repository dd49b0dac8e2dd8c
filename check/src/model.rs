//! The memory models: which program order memory must keep, and whether loads may be served from
//! their own thread's pending stores.

use std::fmt;

use history::{History, Kind, OpId};

/// What a read-modify-write waits for under PSO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum PsoRmw {
    /// Its thread's pending stores to its own location (Burnim, Sen & Stergiou 2011, Fig. 3).
    #[default]
    Own,
    /// All of its thread's pending stores.
    All,
}

impl PsoRmw {
    /// The name on the command line and in certificates.
    pub fn name(self) -> &'static str {
        match self {
            PsoRmw::Own => "own",
            PsoRmw::All => "all",
        }
    }
}

/// A memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// Sequential consistency.
    Sc,
    /// Total store order.
    Tso,
    /// Partial store order.
    Pso(PsoRmw),
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Model::Sc => "SC",
            Model::Tso => "TSO",
            Model::Pso(PsoRmw::Own) => "PSO",
            Model::Pso(PsoRmw::All) => "PSO (rmw drains all)",
        })
    }
}

impl Model {
    /// The name on the command line and in JSON: `sc`, `tso` or `pso`.
    pub fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso(_) => "pso",
        }
    }

    /// The model of that name; for PSO, `rmw` says what a read-modify-write waits for.
    pub fn from_name(name: &str, rmw: PsoRmw) -> Option<Model> {
        match name {
            "sc" => Some(Model::Sc),
            "tso" => Some(Model::Tso),
            "pso" => Some(Model::Pso(rmw)),
            _ => None,
        }
    }

    /// Whether plain stores wait in a buffer that serves their own thread's plain loads.
    pub fn buffers(self) -> bool {
        self != Model::Sc
    }

    /// Whether an operation of kind `kind` waits until the thread's buffers are empty.
    pub fn drains_all(self, kind: Kind) -> bool {
        match self {
            Model::Sc => false,
            Model::Tso => kind == Kind::Fence || kind.is_atomic(),
            Model::Pso(PsoRmw::Own) => kind == Kind::Fence,
            Model::Pso(PsoRmw::All) => kind == Kind::Fence || kind.is_atomic(),
        }
    }

    /// Whether memory order keeps this pair of one thread, `first` before `second`, in its own
    /// right. The model's `ppo` is the transitive closure of these pairs.
    pub fn preserves(self, first: Kind, second: Kind, same_location: bool) -> bool {
        match self {
            Model::Sc => true,
            Model::Tso => !(first.is_plain_store() && second.is_plain_load()),
            Model::Pso(_) => {
                !first.is_plain_store()
                    || self.drains_all(second)
                    || (same_location && !second.is_plain_load())
            }
        }
    }

    /// [`Model::preserves`] for two operations of a history, `first` earlier in program order.
    pub fn preserves_ops(self, history: &History, first: OpId, second: OpId) -> bool {
        self.preserves(
            history.kind(first),
            history.kind(second),
            history.location(first) == history.location(second),
        )
    }
}
