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
/// `MPI_ERRORS_RETURN`.
pub const ERRORS_RETURN: i32 = 0x5400_0001;

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
/// `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE` of C, as an address.
pub const STATUS_IGNORE: usize = 1;

/// Error classes.
pub mod class {
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
    /// `MPI_ERR_OP`.
    pub const OP: i32 = 9;
    /// `MPI_ERR_TOPOLOGY`.
    pub const TOPOLOGY: i32 = 10;
    /// `MPI_ERR_ARG`.
    pub const ARG: i32 = 12;
    /// `MPI_ERR_TRUNCATE`.
    pub const TRUNCATE: i32 = 14;
    /// `MPI_ERR_IN_STATUS`.
    pub const IN_STATUS: i32 = 17;
    /// `MPI_ERR_REQUEST`.
    pub const REQUEST: i32 = 19;
}
