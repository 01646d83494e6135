//! Estimates of small programs, with times computed by hand.
#![forbid(unsafe_code)]

mod builder;
mod calibration;
mod call_semantics;
mod calls;
mod causes;
mod checks;
mod comparison;
mod emulation;
mod findings;
mod flow;
mod formats;
mod gauss;
mod loggops;
mod loggps;
mod long_programs;
mod measured_collectives;
mod model_choice;
mod mpiete;
mod network_warnings;
mod noise;
mod observed_runs;
mod properties;
mod public_benchmarks;
mod reports;
mod requests;
mod round_trip;
mod scaling_properties;
mod sparse;
mod split;
mod started_collectives;
mod statements;
mod tasks;
mod time_ordered_replay;
