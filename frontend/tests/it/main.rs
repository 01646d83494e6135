//! Tests of the frontend. Those of the form source → output are files in `tests/ui`, which `ui` runs.

mod arbitrary_input;
mod array_terms_speculatable;
mod block_digests;
mod differential;
mod function_references;
mod golden;
mod harness;
mod interpreter;
mod layouts;
mod linked_code;
mod loop_sums;
mod many_branches;
mod outputs;
mod polling_loops;
mod random_programs;
mod recovery;
mod section;
mod slice_cause;
mod slice_reasons;
mod threads;
mod ui;
mod varied_sources;
