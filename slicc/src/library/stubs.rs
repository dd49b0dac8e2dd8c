//! Descriptions of what the runtime lacks.
use crate::ast::Declaration;
use crate::source::Diagnostic;

pub(crate) fn of(
    library: Vec<Declaration>,
    _shared: &mut [Declaration],
    _own: &mut [Declaration],
) -> (Vec<Declaration>, Vec<Diagnostic>) {
    (library, Vec::new())
}
