//! The binary interface of the MPICH family as values: handles, special numbers, the layout of a
//! status. What a program of that family passes, and what it expects back.

pub mod datatypes;
pub mod status;

/// `MPI_COMM_WORLD`.
pub const COMM_WORLD: i32 = 0x4400_0000;
/// `MPI_COMM_SELF`.
pub const COMM_SELF: i32 = 0x4400_0001;
/// `MPI_COMM_NULL`.
pub const COMM_NULL: i32 = 0x0400_0000;
/// `MPI_REQUEST_NULL`.
pub const REQUEST_NULL: i32 = 0x2c00_0000;
/// `MPI_OP_NULL`.
pub const OP_NULL: i32 = 0x1800_0000;
/// `MPI_MESSAGE_NULL`.
pub const MESSAGE_NULL: i32 = REQUEST_NULL;
/// `MPI_MESSAGE_NO_PROC`.
pub const MESSAGE_NO_PROC: i32 = 0x6c00_0000;
/// `MPI_DATATYPE_NULL`.
pub const DATATYPE_NULL: i32 = 0x0c00_0000;
/// `MPI_ERRORS_ARE_FATAL`.
pub const ERRORS_ARE_FATAL: i32 = 0x5400_0000;
/// `MPI_ERRORS_RETURN`.
pub const ERRORS_RETURN: i32 = 0x5400_0001;
/// `MPI_ERRORS_ABORT`.
pub const ERRORS_ABORT: i32 = 0x5400_0003;
/// `MPI_SESSION_NULL`.
pub const SESSION_NULL: i32 = 0x3800_0000;
/// `MPI_ERRHANDLER_NULL`.
pub const ERRHANDLER_NULL: i32 = 0x1400_0000;
/// `MPI_GROUP_EMPTY`.
pub const GROUP_EMPTY: i32 = 0x4800_0000;
/// `MPI_GROUP_NULL`.
pub const GROUP_NULL: i32 = 0x0800_0000;
/// `MPI_INFO_NULL`.
pub const INFO_NULL: i32 = 0x1c00_0000;
/// `MPI_INFO_ENV`.
pub const INFO_ENV: i32 = 0x5c00_0001;
/// `MPI_KEYVAL_INVALID`.
pub const KEYVAL_INVALID: i32 = 0x2400_0000;

/// `MPI_COMM_TYPE_SHARED`.
pub const COMM_TYPE_SHARED: i32 = 1;
/// `MPI_COMM_TYPE_HW_GUIDED`.
pub const COMM_TYPE_HW_GUIDED: i32 = 2;
/// `MPI_COMM_TYPE_HW_UNGUIDED`.
pub const COMM_TYPE_HW_UNGUIDED: i32 = 3;

/// The largest tag, as MPICH says it of its most usual device.
pub const TAG_UB: i32 = 0x0fff_ffff;

/// `MPI_PROC_NULL`.
pub const PROC_NULL: i32 = -1;
/// `MPI_ANY_SOURCE`.
pub const ANY_SOURCE: i32 = -2;
/// `MPI_ROOT`.
pub const ROOT: i32 = -3;
/// `MPI_ANY_TAG`.
pub const ANY_TAG: i32 = -1;
/// `MPI_UNDEFINED`.
pub const UNDEFINED: i32 = -32766;

/// `MPI_IN_PLACE` of C, as an address.
pub const IN_PLACE: usize = usize::MAX;
/// `MPI_BUFFER_AUTOMATIC` of C, as an address.
pub const BUFFER_AUTOMATIC: usize = usize::MAX - 1;
/// `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE` of C, as an address.
pub const STATUS_IGNORE: usize = 1;

/// Error classes.
pub mod class {
    /// `MPI_SUCCESS`.
    pub const SUCCESS: i32 = 0;
    /// `MPI_ERR_BUFFER`.
    pub const BUFFER: i32 = 1;
    /// `MPI_ERR_COUNT`.
    pub const COUNT: i32 = 2;
    /// `MPI_ERR_TYPE`.
    pub const TYPE: i32 = 3;
    /// `MPI_ERR_TAG`.
    pub const TAG: i32 = 4;
    /// `MPI_ERR_COMM`.
    pub const COMM: i32 = 5;
    /// `MPI_ERR_RANK`.
    pub const RANK: i32 = 6;
    /// `MPI_ERR_ROOT`.
    pub const ROOT: i32 = 7;
    /// `MPI_ERR_GROUP`.
    pub const GROUP: i32 = 8;
    /// `MPI_ERR_OP`.
    pub const OP: i32 = 9;
    /// `MPI_ERR_TOPOLOGY`.
    pub const TOPOLOGY: i32 = 10;
    /// `MPI_ERR_DIMS`.
    pub const DIMS: i32 = 11;
    /// `MPI_ERR_ARG`.
    pub const ARG: i32 = 12;
    /// `MPI_ERR_TRUNCATE`.
    pub const TRUNCATE: i32 = 14;
    /// `MPI_ERR_IN_STATUS`.
    pub const IN_STATUS: i32 = 17;
    /// `MPI_ERR_UNKNOWN`.
    pub const UNKNOWN: i32 = 13;
    /// `MPI_ERR_OTHER`.
    pub const OTHER: i32 = 15;
    /// `MPI_ERR_INTERN`.
    pub const INTERN: i32 = 16;
    /// `MPI_ERR_PENDING`.
    pub const PENDING: i32 = 18;
    /// `MPI_ERR_REQUEST`.
    pub const REQUEST: i32 = 19;
    /// `MPI_ERR_INFO`.
    pub const INFO: i32 = 28;
    /// `MPI_ERR_INFO_KEY`.
    pub const INFO_KEY: i32 = 29;
    /// `MPI_ERR_INFO_VALUE`.
    pub const INFO_VALUE: i32 = 30;
    /// `MPI_ERR_INFO_NOKEY`.
    pub const INFO_NOKEY: i32 = 31;
    /// `MPI_ERR_NO_MEM`.
    pub const NO_MEM: i32 = 34;
    /// `MPI_ERR_UNSUPPORTED_OPERATION`.
    pub const UNSUPPORTED_OPERATION: i32 = 44;
    /// `MPI_ERR_KEYVAL`.
    pub const KEYVAL: i32 = 48;
    /// `MPI_ERR_SESSION`.
    pub const SESSION: i32 = 75;
}

/// Keys of the attributes that MPI has set, as C knows them; Fortran's are larger by one.
pub mod attribute {
    /// `MPI_TAG_UB`.
    pub const TAG_UB: i32 = 0x6440_0001;
    /// `MPI_HOST`.
    pub const HOST: i32 = 0x6440_0003;
    /// `MPI_IO`.
    pub const IO: i32 = 0x6440_0005;
    /// `MPI_WTIME_IS_GLOBAL`.
    pub const WTIME_IS_GLOBAL: i32 = 0x6440_0007;
    /// `MPI_UNIVERSE_SIZE`.
    pub const UNIVERSE_SIZE: i32 = 0x6440_0009;
    /// `MPI_LASTUSEDCODE`.
    pub const LASTUSEDCODE: i32 = 0x6440_000b;
    /// `MPI_APPNUM`.
    pub const APPNUM: i32 = 0x6440_000d;
}
