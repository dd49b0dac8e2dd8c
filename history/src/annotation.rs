//! Annotations of accesses: acquire, release, and atomics that return nothing.

use serde::{Deserialize, Serialize};

/// The order that an access adds to that of its kind.
///
/// | | RISC-V | AArch64 |
/// |---|---|---|
/// | `Acquire` | `.aq` | `LDAR`, `LDAXR`, `A` of the atomics |
/// | `AcquirePc` | | `LDAPR` |
/// | `Release` | `.rl` | `STLR`, `STLXR`, `L` of the atomics |
/// | `AcquireRelease` | `.aqrl` | `AL` of the atomics |
/// | `NoReturn` | | atomics that return nothing, such as `STADD` |
/// | `NoReturnRelease` | | the same with a release, such as `STADDL` |
///
/// An acquire precedes all later accesses of its thread, and a release follows all earlier ones. A
/// release also precedes a later acquire of its thread, unless that is an `AcquirePc`. An acquire has no
/// effect on an access that only writes, a release none on one that only reads.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Annotation {
    /// The operation has no annotation.
    #[default]
    None,
    /// An acquire that earlier releases precede (RCsc).
    Acquire,
    /// An acquire that earlier releases need not precede (RCpc).
    AcquirePc,
    /// A release.
    Release,
    /// Both an acquire that earlier releases precede and a release.
    AcquireRelease,
    /// A read-modify-write that does not return what it read, so that fences after reads do not wait for
    /// it (`DMB LD`).
    NoReturn,
    /// The same with a release.
    NoReturnRelease,
}

impl Annotation {
    /// Every annotation, in the order of their discriminants.
    pub const ALL: [Annotation; 7] = [
        Annotation::None,
        Annotation::Acquire,
        Annotation::AcquirePc,
        Annotation::Release,
        Annotation::AcquireRelease,
        Annotation::NoReturn,
        Annotation::NoReturnRelease,
    ];

    /// The annotation with these parts; an acquire is one that earlier releases precede.
    pub fn of(acquire: bool, release: bool) -> Annotation {
        match (acquire, release) {
            (false, false) => Annotation::None,
            (true, false) => Annotation::Acquire,
            (false, true) => Annotation::Release,
            (true, true) => Annotation::AcquireRelease,
        }
    }

    /// Whether the annotation has an acquire that earlier releases precede.
    pub fn acquires_in_order(self) -> bool {
        matches!(self, Annotation::Acquire | Annotation::AcquireRelease)
    }

    /// Whether the annotation has an acquire of either kind.
    pub fn acquires(self) -> bool {
        self.acquires_in_order() || self == Annotation::AcquirePc
    }

    /// Whether the annotation has a release.
    pub fn releases(self) -> bool {
        matches!(
            self,
            Annotation::Release | Annotation::AcquireRelease | Annotation::NoReturnRelease
        )
    }

    /// Whether the operation returns what it reads.
    pub fn returns(self) -> bool {
        !matches!(self, Annotation::NoReturn | Annotation::NoReturnRelease)
    }

    /// Whether the operation has no annotation.
    pub fn is_none(&self) -> bool {
        *self == Annotation::None
    }

    /// The name used in tables and JSON.
    pub fn name(self) -> &'static str {
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

    /// The annotation of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Annotation> {
        Annotation::ALL.into_iter().find(|it| it.name() == name)
    }
}
