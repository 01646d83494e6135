//! Tests of meta-programs.

mod cases;
mod grammar;
mod limits;
mod numbers;
