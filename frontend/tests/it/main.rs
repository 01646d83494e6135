//! What the frontend finds out about small programs, as data: source, expectation.

mod assumptions;
mod blocks;
mod golden;
mod harness;
mod interpreter;
mod levels;
mod random_programs;
mod section;
mod slice;
mod slice_jumps;
mod slice_objects;
mod slice_storage;
mod work_terms;
