//! [`Kernel`]: the pairs of writes that all runs of a history have in the same order.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::history::{Ambiguity, History as Operations, OpId, ReadsFrom};
use check::Bounds;
use check::kernel::{NoKernel, StoreOrder, write_pairs};
use lab::text::named;
use papers::kernel::{criteria_for, derived};
use pyo3::prelude::*;

use crate::error::Error;
use crate::origin::Origin;
use crate::{call, words};

/// An operation: its thread, and its index in the thread.
type Place = (u32, u32);

/// The pairs of writes of one location that all runs which explain a history have in the same order.
#[pyclass(module = "rubric", frozen)]
pub struct Kernel {
    model: &'static str,
    history: Arc<Operations>,
    order: StoreOrder,
    write_pairs: u64,
    by: BTreeMap<&'static str, Option<u64>>,
    seconds: f64,
}

#[pymethods]
impl Kernel {
    /// The name of the memory model, such as `tso`.
    #[getter]
    fn model(&self) -> &str {
        self.model
    }

    /// How many pairs the kernel orders.
    #[getter]
    fn size(&self) -> u64 {
        self.order.len()
    }

    /// The number of unordered pairs of writes of one location.
    #[getter]
    fn write_pairs(&self) -> u64 {
        self.write_pairs
    }

    /// The pairs in order, each write as (thread, index).
    #[getter]
    fn pairs(&self) -> Vec<(Place, Place)> {
        self.places(self.order.pairs())
    }

    /// The pairs from which the others follow by transitivity, in order.
    #[getter]
    fn reduction(&self) -> Vec<(Place, Place)> {
        self.places(self.order.reduction())
    }

    /// How many pairs each weaker criterion derives, by its name; `None` where that is not known. CCM and wCCM are left
    /// out of histories of more than 16,384 operations, where they would take long.
    #[getter]
    fn by(&self) -> BTreeMap<&'static str, Option<u64>> {
        self.by.clone()
    }

    /// Seconds that computing the kernel took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn __len__(&self) -> usize {
        self.order.len() as usize
    }

    fn __repr__(&self) -> String {
        format!(
            "<rubric.Kernel of {}: {} of {} pairs of writes>",
            self.model,
            self.order.len(),
            self.write_pairs
        )
    }
}

impl Kernel {
    /// The threads and indices of pairs, in order.
    fn places(&self, pairs: impl Iterator<Item = (OpId, OpId)>) -> Vec<(Place, Place)> {
        let place = |op| {
            let operation = self.history.operation(op);
            (operation.thread, operation.index)
        };
        let mut places: Vec<_> = pairs.map(|(first, later)| (place(first), place(later))).collect();
        places.sort_unstable();
        places
    }
}

/// Computes the kernel of a history, without Python's lock.
pub(crate) fn of(
    py: Python<'_>,
    history: &Arc<Operations>,
    origin: &Arc<Origin>,
    model: &str,
    timeout: Option<Duration>,
    max_memory: Option<u64>,
) -> PyResult<Kernel> {
    let all = [check::Model::SC, check::Model::TSO];
    let model = words::named("model", model, &all, check::Model::name)?;
    let (history, origin) = (Arc::clone(history), Arc::clone(origin));
    call::run(py, move |cancel| {
        let name = named(&origin.file, &history);
        let reads_from = ReadsFrom::derive(&history, Ambiguity::RefuseShared).map_err(|twice| {
            Error::new_err(format!(
                "{name}: {twice}, and the kernel depends on it. Record a run that writes unique values"
            ))
        })?;
        let start = Instant::now();
        let bounds = Bounds::new(timeout, max_memory).or_interrupted(cancel);
        let kernel = check::kernel::kernel(&history, &reads_from, model, &bounds);
        let kernel = kernel.map_err(|why| match why {
            NoKernel::Inconsistent => {
                Error::new_err(format!("{name}: it violates {model}, so there is no kernel"))
            }
            NoKernel::Undecided(reason) => {
                Error::new_err(format!("{name}: undecided: {}", reason.describe(&history)))
            }
        })?;
        let by = criteria_for(model, &history).map(|criterion| {
            (criterion.name(), derived(&history, &reads_from, criterion, &kernel, &bounds))
        });
        Ok(Kernel {
            model: model.name(),
            write_pairs: write_pairs(&history),
            by: by.collect(),
            seconds: start.elapsed().as_secs_f64(),
            order: kernel.order,
            history,
        })
    })?
}
