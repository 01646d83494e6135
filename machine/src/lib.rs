//! What a cluster is: platforms with their placement and links, network models, the schedules of
//! collective operations, and the fit of network parameters to measured samples.
//!
//! Not here: programs, replays, any I/O, and any file form (those are in `base-data`). What one
//! model or one algorithm needs is in its own file; the lists are [`network::MODELS`],
//! [`collective::COLLECTIVES`] and [`platforms::BUNDLED`].
#![forbid(unsafe_code)]

pub mod calibrate;
pub mod collective;
pub mod network;
pub mod platform;
pub mod platforms;

pub use network::{Message, NetworkModel, Pu};
pub use platform::{Platform, PlatformError};
