//! The longest message that a standard send gets rid of before its receive is called, where the network model does
//! not know it: by the platform's settings, or by the default of its MPI library.
//!
//! A program whose sends wait for each other above that length deadlocks, although the MPI standard allows a library
//! to buffer more.

use super::Platform;
use super::settings;
use base_data::comm_data::LinkClass;

/// Default limits in bytes of an MPI library, by a part of its name in lower case.
struct Row {
    library: &'static str,
    inside_node: u64,
    between_nodes: u64,
}

/// The first row whose name is a part of the library's counts.
const DEFAULTS: &[Row] = &[
    // Table 5 of seed 002: S of both networks.
    Row { library: "mpich-score", inside_node: 16_383, between_nodes: 16_383 },
    // MV2_SMP_EAGERSIZE, MV2_IBA_EAGER_THRESHOLD.
    Row { library: "mvapich", inside_node: 16_384, between_nodes: 17_408 },
    // MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE; ch_p4 of MPICH 1 has 128,000.
    Row { library: "mpich", inside_node: 131_072, between_nodes: 131_072 },
    // btl_sm_eager_limit (and btl_vader_eager_limit), btl_tcp_eager_limit.
    Row { library: "open mpi", inside_node: 4096, between_nodes: 65_536 },
    Row { library: "openmpi", inside_node: 4096, between_nodes: 65_536 },
    // I_MPI_INTRANODE_EAGER_THRESHOLD, I_MPI_EAGER_THRESHOLD.
    Row { library: "intel", inside_node: 262_144, between_nodes: 262_144 },
    // MPICH_SMP_SINGLE_COPY_SIZE, MPICH_GNI_MAX_EAGER_MSG_SIZE.
    Row { library: "cray", inside_node: 8192, between_nodes: 8192 },
];

/// For libraries without a row: few have a larger one.
const OF_OTHERS: u64 = 65_536;

impl Platform {
    /// The longest standard send over a kind of link that does not wait for its receive, in bytes.
    pub fn eager_limit(&self, link: LinkClass) -> u64 {
        if let Some(bytes) = settings::eager_threshold(&self.file, link) {
            return bytes;
        }
        let library = self.file.mpi.library.to_lowercase();
        let row = DEFAULTS.iter().find(|row| library.contains(row.library));
        match (row, link) {
            (None, _) => OF_OTHERS,
            (Some(row), LinkClass::ToSelf | LinkClass::InsideNode) => row.inside_node,
            (Some(row), LinkClass::BetweenNodes | LinkClass::Switches(_)) => row.between_nodes,
        }
    }
}
