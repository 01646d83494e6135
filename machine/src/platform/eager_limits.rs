//! The longest message that a standard send gets rid of before its receive is called, where the network model does
//! not know it: by the platform's settings, by what the network probe found, or by the default of the MPI library.
//!
//! A program whose sends wait for each other above that length deadlocks, although the MPI standard allows a library
//! to buffer more.

use super::Platform;
use super::settings;
use base_data::comm_data::LinkClass;

/// Default limits in bytes of an MPI library, by a part of its name in lower case.
struct Row {
    library: &'static str,
    /// The first major version with these limits; 0 for all, also where the version is not known.
    since: u32,
    inside_node: u64,
    between_nodes: u64,
}

/// A message's header counts, too, where the library compares both with its setting: at most these bytes.
const HEADER: u64 = 64;

/// The first row whose name is a part of the library's counts: names that hold another come before it.
const DEFAULTS: &[Row] = &[
    // Table 5 of the LogGPS paper: S of both networks.
    Row {
        library: "mpich-score",
        since: 0,
        inside_node: 16_383,
        between_nodes: 16_383,
    },
    // MPICH_GNI_MAX_EAGER_MSG_SIZE; of its manual (intro_mpi) no text was found to check this against.
    Row {
        library: "cray",
        since: 0,
        inside_node: 8192,
        between_nodes: 8192,
    },
    // MVAPICH2 2.x. MV2_SMP_EAGERSIZE depends on the architecture (user guide): ch3_smp_progress.c begins with 8,192
    // for Xeons with CMA, which is the default. MV2_IBA_EAGER_THRESHOLD depends on the adapter: 12 KB for ConnectX
    // (user guide, MV2_VBUF_TOTAL_SIZE), 17 KB in ibv_param.c for some; the smaller one warns earlier.
    Row {
        library: "mvapich",
        since: 0,
        inside_node: 8192,
        between_nodes: 12_288,
    },
    // MPICH 4 has the device ch4 unless configured otherwise, which leaves the limit to UCX or libfabric. Measured with
    // 4.0.2 and UCX inside a node: 8,255 bytes. Other providers have larger limits; the smaller one warns earlier.
    Row {
        library: "mpich",
        since: 4,
        inside_node: 8192,
        between_nodes: 8192,
    },
    // MPICH, ch3. Inside a node: cells of 64 KiB less their headers (mpid_nem_init.c, where
    // MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ is -1). Between nodes: MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE is 131,072
    // (ch3_init.c), with which mpid_send.c compares data and header.
    Row {
        library: "mpich",
        since: 0,
        inside_node: 65_536 - 4 * HEADER,
        between_nodes: 131_072 - HEADER,
    },
    // Open MPI: btl_sm_component.c and btl_vader_component.c have 4 KiB (32 KiB with XPMEM), btl_tcp_component.c
    // 64 KiB; pml_ob1_sendreq.h takes the largest header off both.
    Row {
        library: "open mpi",
        since: 0,
        inside_node: 4096 - HEADER,
        between_nodes: 65_536 - HEADER,
    },
    Row {
        library: "openmpi",
        since: 0,
        inside_node: 4096 - HEADER,
        between_nodes: 65_536 - HEADER,
    },
    // I_MPI_EAGER_THRESHOLD is 256 KB in versions before 2019, also inside a node; later ones leave it to libfabric.
    // Of its reference manual no text was found; sites that tune it name this default.
    Row {
        library: "intel",
        since: 0,
        inside_node: 262_144,
        between_nodes: 262_144,
    },
];

/// For libraries without a row: few have a larger one.
const DEFAULT_LIMIT: u64 = 65_536;

/// Where a limit comes from.
enum Source<'a> {
    Setting,
    CommunicationData,
    Library(&'a str),
    Nothing,
}

impl Platform {
    /// The longest standard send over a kind of link that does not wait for its receive, in bytes.
    pub fn eager_limit(&self, link: LinkClass) -> u64 {
        self.sourced_eager_limit(link).0
    }

    /// Where [`Platform::eager_limit`] comes from, for people.
    pub fn eager_limit_source(&self, link: LinkClass) -> String {
        match self.sourced_eager_limit(link).1 {
            Source::Setting => "the platform's setting".into(),
            Source::CommunicationData => "what the communication data found".into(),
            Source::Library(library) => format!("the default of {library}"),
            Source::Nothing => "what few MPI libraries exceed".into(),
        }
    }

    fn sourced_eager_limit(&self, link: LinkClass) -> (u64, Source<'_>) {
        if let Some(bytes) = settings::eager_threshold(&self.file, link) {
            return (bytes, Source::Setting);
        }
        let data = self.comm(link);
        if let Some(bytes) = data.and_then(|data| settings::longest_eager(data, link)) {
            return (bytes, Source::CommunicationData);
        }
        let mut library = self.file.mpi.library.as_str();
        let mut version = self.file.mpi.version.as_str();
        if library.is_empty() {
            // `MPICH Version: 4.0.2`
            library = data.map_or("", |data| data.mpi_library.as_str());
            version = library.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        }
        let major = version.split('.').next().unwrap_or_default();
        let major: u32 = major.trim().parse().unwrap_or_default();
        let name = library.to_lowercase();
        let row = DEFAULTS
            .iter()
            .find(|row| name.contains(row.library) && major >= row.since);
        let Some(row) = row else {
            return (DEFAULT_LIMIT, Source::Nothing);
        };
        let bytes = match link {
            // A message to the own rank goes through shared memory, as one inside the node.
            LinkClass::ToSelf | LinkClass::InsideNode => row.inside_node,
            LinkClass::BetweenNodes | LinkClass::Switches(_) => row.between_nodes,
        };
        (bytes, Source::Library(library))
    }
}
