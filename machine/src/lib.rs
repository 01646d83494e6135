//! The description of a cluster: platforms with their placement and links, network models, the schedules of
//! collective operations, and the fit of network parameters to measured samples.
//!
//! This crate knows no program and no replay, does no I/O, and defines no file format (those are in
//! `base-data`). Each model and each algorithm is one file; the lists are [`network::MODELS`],
//! [`collective::COLLECTIVES`] and [`platforms::BUNDLED`].
#![forbid(unsafe_code)]

pub mod calibrate;
pub mod collective;
mod link_fits;
pub mod network;
pub mod platform;
pub mod platforms;

pub use network::{Message, NetworkModel, Pu};
pub use platform::{Platform, PlatformError};
