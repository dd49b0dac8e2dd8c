//! Memory models: what each preserves of program order, its axioms and its operational machine.
//!
//! This crate is the one place that knows the models by name. All other code asks a [`Model`] for the
//! property it needs:
//!
//! - [`Model`] is a memory model, and [`Definition`] the data that define one: how stores wait in
//!   buffers, whether loads are served from them, what read-modify-writes wait for, and which models
//!   are stronger. Each model is a file in [`models`] and a row of its table.
//! - [`Model::preserves`] is preserved program order (`ppo`), [`Label`] the properties of an operation
//!   that it depends on, and [`FenceEffect`] the order that a fence adds.
//! - [`Model::prepare`] is a history as the model sees it, and [`SilentForm`] says what is supposed in that about operations that
//!   may or may not have written.
//! - [`machine`] is the operational machine of the models that store buffers can express. A history is
//!   consistent if the machine can execute all of it.
//! - [`buffer`] is the store buffer of a thread, for machines that run programs.
//! - [`weak`] has the models that also reorder loads (Ztso, RVWMO, Armv8, WMO, RMO): the rules of their
//!   preserved program order, and the check of a memory order against their axioms. They have no machine.
//! - [`axioms`] decides small histories by trying every memory order. It is the reference that the
//!   machine and the engines of other crates are tested against. Its interface also fits models whose
//!   `ppo` depends on reads-from.
//!
//! ```
//! use history::Kind;
//! use memory::Model;
//!
//! // TSO lets a load overtake an earlier store, and serves it from the store buffer.
//! assert!(!Model::TSO.preserves(Kind::Store, Kind::Load, false));
//! assert!(Model::TSO.preserves(Kind::Store, Kind::Store, false));
//! assert!(Model::TSO.forwards());
//! // IBM 370 lets it overtake stores to other locations only.
//! let ibm370 = Model::from_name("ibm370", Default::default()).unwrap();
//! assert!(ibm370.preserves(Kind::Store, Kind::Load, true));
//! assert!(Model::TSO.includes(ibm370) && !ibm370.includes(Model::TSO));
//! ```

pub mod axioms;
pub mod buffer;
mod execution;
mod fence;
mod label;
pub mod machine;
mod model;
pub mod models;
mod silent;
pub mod waits;
pub mod weak;

pub use execution::Execution;
pub use fence::FenceEffect;
pub use label::Label;
pub use model::{Buffering, Definition, Model, PsoRmw};
pub use silent::SilentForm;
