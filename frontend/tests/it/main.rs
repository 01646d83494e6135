//! What the frontend finds out about small programs, as data: source, expectation.

mod arbitrary_input;
mod assumptions;
mod blocks;
mod counting;
mod differential;
mod function_references;
mod golden;
mod harness;
mod interpreter;
mod invariant;
mod layouts;
mod levels;
mod random_programs;
mod recovery;
mod section;
mod slice;
mod slice_files;
mod slice_hidden;
mod slice_jumps;
mod slice_objects;
mod slice_parts;
mod slice_pointers;
mod slice_state;
mod slice_storage;
mod varied_sources;
mod work_terms;
