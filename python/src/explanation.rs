//! [`Explanation`]: a verdict as a picture.

use std::io::Write;
use std::path::{Path, PathBuf};

use check::{Answer, Verdict as Decision};
use host::inputs::FileId;
use lab::protocols::core_permissions;
use lab::text::named;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use report::explain::coherence::Permission;
use report::explain::words::memory_order;
use report::explain::{self, DRAWN};
use report::page::explained;
use report::picture::{Picture, dot, svg};

use crate::decided::Decided;
use crate::error::Error;
use crate::origin::spare;
use crate::words;

/// Why a model forbids a history, or the memory order that explains it, as a picture that shows itself in Jupyter.
///
/// >>> import rubric
/// >>> run = rubric.simulate("MI_example", mutant="mi-l1-replace-no-notify", client="early")
/// >>> picture = run.history.check("sc").explain()
/// >>> picture.svg.startswith("<svg"), picture.html.startswith("<!DOCTYPE html>")
/// (True, True)
#[pyclass(module = "rubric", frozen)]
pub struct Explanation {
    pictures: Vec<Picture>,
    text: String,
    /// The reason why the picture is not drawn, if it is too large.
    too_large: Option<String>,
    /// The file that the history was read from.
    source: Option<FileId>,
}

impl Explanation {
    pub fn of(decided: &Decided) -> Explanation {
        let Answer { reads_from, model, .. } = &decided.answer;
        let history = decided.answer.history();
        let source = decided.origin.source;
        let file = Path::new(&decided.origin.file).file_name();
        let file = file.map_or_else(
            || decided.origin.file.clone(),
            |name| name.to_string_lossy().into_owned(),
        );
        let name = named(&file, history);
        match decided.answer.verdict() {
            Decision::Violation(violation) => {
                let permissions = core_permissions(history.provenance.protocol.as_deref());
                let pictures = explain::violation(
                    history,
                    reads_from,
                    *model,
                    violation,
                    &decided.origin.transitions,
                    &|machine, state| Permission::from_name(&permissions(machine, state)?),
                    &format!("{name} violates {model}"),
                );
                Explanation { pictures, text: decided.text(), too_large: None, source }
            }
            Decision::Consistent(steps) => {
                let title = format!("{name} is consistent with {model}");
                let text = format!("{}\n{}", decided.text(), memory_order(history, steps));
                let drawn = explain::listed(history, steps).len();
                let too_large = (drawn > DRAWN).then(|| {
                    format!(
                        "a memory order of {drawn} steps is too long to draw (more than {DRAWN}): use html, which lists it, or read a part of \
                         the trace with addresses, from_tick and to_tick"
                    )
                });
                let picture = explain::consistent(history, reads_from, steps, title);
                Explanation { pictures: vec![picture], text, too_large, source }
            }
            _ => Explanation {
                pictures: Vec::new(),
                text: decided.text(),
                too_large: Some("the verdict has no proof to draw".to_owned()),
                source,
            },
        }
    }

    /// The first picture, if there is one that can be drawn.
    fn drawn(&self) -> PyResult<&Picture> {
        match (&self.too_large, self.pictures.first()) {
            (None, Some(picture)) => Ok(picture),
            (Some(why), _) => Err(Error::new_err(why.clone())),
            (None, None) => Err(Error::new_err("there is nothing to draw")),
        }
    }
}

#[pymethods]
impl Explanation {
    /// The picture as SVG. Of a proof with several cases it shows the first; `html` shows all.
    #[getter]
    fn svg(&self) -> PyResult<String> {
        self.drawn().map(svg)
    }

    /// The picture as a graph for Graphviz.
    #[getter]
    fn dot(&self) -> PyResult<String> {
        self.drawn().map(dot)
    }

    /// A page with all pictures and the reasons for their edges.
    #[getter]
    fn html(&self) -> PyResult<String> {
        match (&self.pictures[..], &self.too_large) {
            ([], Some(why)) => Err(Error::new_err(why.clone())),
            (pictures, _) => Ok(explained(pictures)),
        }
    }

    /// The explanation in words.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// Writes the picture to a file whose name ends in `.svg`, `.html`, `.dot` or `.txt`.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        spare(self.source, &path)?;
        let text = match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => self.svg()?,
            Some("html" | "htm") => self.html()?,
            Some("dot" | "gv") => self.dot()?,
            Some("txt") => self.text.clone(),
            _ => {
                let path = path.display();
                return Err(PyValueError::new_err(format!(
                    "{path}: a name that ends in .svg, .html, .dot or .txt was expected"
                )));
            }
        };
        host::files::create(&path, PyErr::from, |file| Ok(file.write_all(text.as_bytes())?))
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<rubric.Explanation: {}>", self.text.lines().next().unwrap_or_default())
    }

    /// The picture, and below it the same in words, folded. A picture that is too large is only in words.
    fn _repr_html_(&self) -> String {
        let text = words::escaped(&self.text);
        match self.drawn() {
            Ok(picture) => {
                format!(
                    "<div>{}</div><details><summary>In words</summary><pre>{text}</pre></details>",
                    svg(picture)
                )
            }
            Err(_) => format!("<pre>{text}</pre>"),
        }
    }

    /// The picture for programs that show SVG and no HTML.
    fn _repr_svg_(&self) -> Option<String> {
        self.drawn().ok().map(svg)
    }
}
