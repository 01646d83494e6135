//! The text form of program data, for goldens, hand-written programs and people. It
//! round-trips: [`read`] returns the data that [`write`] printed, for all data that pass the reader's check.
//!
//! A line is one entry: words apart by blanks, texts with blanks in double quotes. Blank lines,
//! indentation and what follows a `#` mean nothing. First the header and the tables, each entry
//! under its own number, then class by class the stream:
//!
//! ```text
//! mpiete program text 1
//! ranks 4
//! file 0 ring.f
//! block 0 compute ring.f:10-14 in ring term "n" ring.f:11
//! site 0 MPI_Isend ring.f:15 in ring
//! class 0-3
//!   loop 25
//!     block 0 terms 400
//!     send site=0 peer=rank^1 tag=7 count=100 type=real8 request=0
//!     receive peer=rank^1 count=100 type=real8        # a site made for this line
//!     wait all 0
//!   end
//! ```
//!
//! A program written by hand may leave out what it does not need: `provenance` and `method` lines,
//! digests and ordinals, the communicators world and self, `site=` of a call (the line itself
//! becomes the call site), `type=` (bytes; or a basic type by name), `tag=` (0), `comm=` (world).
//!
//! [`crate::format`] has the binary form, [`crate::program_check`] the check of the content.

mod lines;
mod read;
mod read_calls;
mod read_entries;
mod read_tables;
mod spelling;
#[cfg(test)]
mod tests;
mod write;
mod write_stream;

use crate::program_data::ProgramData;

/// Version of the text form, in its first line.
pub const TEXT_VERSION: u32 = 1;

/// Why a text is no program data. Each is a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// A line that cannot be read.
    #[error("line {line}: found {found}, expected {expected}")]
    Line {
        /// Line, 1-based.
        line: usize,
        /// What stands there.
        found: String,
        /// What should.
        expected: String,
    },
    /// Every line can be read, but together they make no program.
    #[error("the lines do not fit together: {0}")]
    Content(String),
}

/// The text of program data.
pub fn write(data: &ProgramData) -> String {
    write::write(data)
}

/// The program data of a text.
///
/// # Errors
/// The first line that cannot be read, or what does not fit together.
pub fn read(text: &str) -> Result<ProgramData, TextError> {
    let data = read::read(text)?;
    crate::program_check::check(&data).map_err(TextError::Content)?;
    Ok(data)
}
