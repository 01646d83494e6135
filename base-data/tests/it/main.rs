//! Tests of the files from outside: round trips of arbitrary content, readers on arbitrary bytes,
//! recordings of released versions.

// A test may stop at what it did not expect.
#![allow(clippy::unwrap_used)]

mod arbitrary;
mod arbitrary_files;
mod arbitrary_program;
mod arbitrary_stream;
mod documentation;
mod readers;
mod recordings;
mod round_trips;
