//! Tests of meta-programs.
#![allow(clippy::unwrap_used)]

mod cases;
mod descriptions;
mod grammar;
mod limits;
mod numbers;
