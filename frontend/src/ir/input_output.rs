//! Input/output statements: what they read and define, and what of it other processes may see. Which of them
//! mean the same file is in [`crate::memory::files`].

use super::Expression;

/// An input/output statement.
#[derive(Clone, Debug)]
pub struct InputOutput {
    /// Which.
    pub operation: IoOperation,
    /// The unit.
    pub unit: IoUnit,
    /// FILE=.
    pub file: Option<Expression>,
    /// The format, where it is a literal without parameters: with its quotes. The output items are then the last that is read.
    pub format: Option<String>,
    /// Other expressions that are read: output items, REC=, words like that of STATUS=, format variables, bounds of implied DO.
    pub reads: Vec<Expression>,
    /// Variables that are defined: input items, IOSTAT=, SIZE=, EXIST=, … .
    pub writes: Vec<Expression>,
    /// Labels of ERR=, END=, EOR=.
    pub jumps: Vec<u32>,
    /// OPENED=, which is among `writes`, too: INQUIRE asks if a unit is open.
    pub opened: Option<Expression>,
    /// What it has to do with files that other processes use, too.
    pub shared: Shared,
}

/// What an input/output statement finds and leaves of the files that all processes share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// What it does depends on whether a file is there.
    pub finds: bool,
    /// What it does depends on what is in a file.
    pub reads: bool,
    /// It may make a file, or remove one.
    pub makes: bool,
    /// It may change what is in a file.
    pub changes: bool,
    /// It opens a file of this process alone (STATUS='SCRATCH').
    pub is_private: bool,
}

/// Which input/output statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoOperation {
    /// READ.
    Read,
    /// WRITE, PRINT.
    Write,
    /// OPEN.
    Open,
    /// CLOSE.
    Close,
    /// REWIND, BACKSPACE, ENDFILE, FLUSH.
    Position,
    /// INQUIRE.
    Inquire,
}

/// The unit of an input/output statement.
#[derive(Clone, Debug)]
pub enum IoUnit {
    /// `*`, or PRINT and READ without unit: standard output or input.
    Standard,
    /// By number.
    Number(Expression),
    /// A CHARACTER variable: an internal file.
    Internal(Expression),
    /// No unit (INQUIRE by file).
    None,
}
