//! Runs of protocols as message-sequence charts, in the format that the name of a file says.

use std::path::Path;

use report::page::charted;
use report::sequence::{Chart, svg, text};

use crate::error::Error;
use crate::files;

/// The format of a chart.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    Svg,
    Html,
    Text,
}

impl Form {
    /// The format of the extension of a file, which is the value of an option.
    ///
    /// # Errors
    /// Returns an error if the extension is that of no format.
    pub(crate) fn of(option: &str, path: &Path) -> Result<Form, Error> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Ok(Form::Svg),
            Some("html" | "htm") => Ok(Form::Html),
            Some("txt") => Ok(Form::Text),
            _ => Err(Error::Usage(format!(
                "{option} {}: a name that ends in .svg, .html or .txt was expected",
                path.display()
            ))),
        }
    }
}

/// Writes a chart to a file.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(crate) fn write(chart: &Chart, path: &Path, form: Form) -> Result<(), Error> {
    let drawn = match form {
        Form::Svg => svg(chart),
        Form::Html => charted(chart),
        Form::Text => text(chart),
    };
    files::create(path, |file| file.write_all(drawn.as_bytes()).map_err(Error::Output))
}
