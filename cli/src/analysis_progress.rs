//! Progress of an analysis on a terminal: one line, which is erased at the end.

use frontend::Stage;
use std::io::{IsTerminal, Write as _};

/// Columns that a line of progress fills, so that a shorter one replaces a longer one.
const WIDTH: usize = 60;

/// A line of progress on standard error, if that is a terminal.
pub struct AnalysisProgress {
    shows: bool,
}

impl AnalysisProgress {
    /// Without a line yet.
    pub fn new() -> Self {
        AnalysisProgress {
            // Logs of batch jobs stay short.
            shows: std::io::stderr().is_terminal(),
        }
    }

    /// Shows that a stage begins.
    pub fn begin(&self, stage: Stage) {
        if self.shows {
            let text = format!("mpiete: analysis: {} …", stage.name());
            _ = write!(std::io::stderr(), "\r{text:WIDTH$}");
        }
    }
}

impl Drop for AnalysisProgress {
    fn drop(&mut self) {
        if self.shows {
            _ = write!(std::io::stderr(), "\r{:WIDTH$}\r", "");
        }
    }
}
