//! The token runtime as programs meet it: small C and Fortran programs, written here, compiled
//! against our headers (or MPICH's) and run on our library.
#![forbid(unsafe_code)]
// The helpers of tests are tests, too.
#![allow(clippy::unwrap_used)]

mod abi;
mod conformance;
mod execution;
mod failures;
mod fixtures;
mod interruption;
mod library_requirements;
mod measurement;
mod other_libraries;
mod rank_startup;
mod recording;
mod solo;
mod world;
