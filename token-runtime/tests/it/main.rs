//! The token runtime as programs meet it: small C and Fortran programs, written here, compiled
//! against our headers (or MPICH's) and run on our library.
#![forbid(unsafe_code)]
// The helpers of tests are tests, too.
#![allow(clippy::unwrap_used)]

mod abi;
mod alone;
mod conformance;
mod failures;
mod fixtures;
mod interrupting;
mod measuring;
mod needs;
mod other_libraries;
mod recording;
mod running;
mod starting;
mod world;
