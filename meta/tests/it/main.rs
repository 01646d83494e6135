//! Tests of meta-programs.

mod cases;
mod descriptions;
mod grammar;
mod limits;
mod numbers;
