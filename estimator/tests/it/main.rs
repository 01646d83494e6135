//! Estimates of small programs, with times computed by hand.
#![forbid(unsafe_code)]

mod builder;
mod calls;
mod checks;
mod comparison;
mod loggps;
mod mpiete;
mod properties;
mod reports;
mod round_trip;
mod statements;
mod understood;
