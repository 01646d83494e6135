//! Error classes and codes: ours are the classes of the standard; programs may add others, numbered as
//! MPICH numbers them. Each has a text.

use std::collections::{BTreeSet, HashMap};
use token_runtime::mpich::class;

/// Set in what programs add.
const ADDED: i32 = 0x4000_0000;
/// The bits of a class in a code, and where the number of a code begins.
const CLASS: i32 = 0x7f;
const CODE_SHIFT: u32 = 8;
/// Largest class or code of the standard's.
const LAST: i32 = 0x3fff_ffff;

/// What the program has added.
#[derive(Default)]
pub struct ErrorCodes {
    classes: i32,
    codes: i32,
    /// Classes and codes that the program has added and not removed.
    added: BTreeSet<i32>,
    texts: HashMap<i32, Vec<u8>>,
}

impl ErrorCodes {
    /// A new class.
    pub fn add_class(&mut self) -> i32 {
        self.classes += 1;
        self.added.insert(ADDED | self.classes);
        ADDED | self.classes
    }

    /// A new code of a class.
    pub fn add_code(&mut self, class: i32) -> i32 {
        self.codes += 1;
        let code = class | self.codes << CODE_SHIFT;
        self.added.insert(code);
        code
    }

    /// Gives a class or code of the program's a text; says whether it is one.
    pub fn add_text(&mut self, code: i32, text: &[u8]) -> bool {
        let is_added = self.added.contains(&code);
        if is_added {
            self.texts.insert(code, text.to_vec());
        }
        is_added
    }

    /// Removes a class of the program's, once it has neither codes nor a text.
    pub fn remove_class(&mut self, class: i32) -> Result<(), &'static str> {
        let is_class = self.added.contains(&class) && self.class(class) == class;
        if !is_class {
            return Err("is no error class that the program has added");
        }
        if self
            .added
            .iter()
            .any(|&code| code != class && self.class(code) == class)
        {
            return Err("still has error codes; call MPI_Remove_error_code for them first");
        }
        self.remove(class)
    }

    /// Removes a code of the program's, once it has no text.
    pub fn remove_code(&mut self, code: i32) -> Result<(), &'static str> {
        if !self.added.contains(&code) || self.class(code) == code {
            return Err("is no error code that the program has added");
        }
        self.remove(code)
    }

    fn remove(&mut self, code: i32) -> Result<(), &'static str> {
        if self.texts.contains_key(&code) {
            return Err("still has a text; call MPI_Remove_error_string first");
        }
        self.added.remove(&code);
        Ok(())
    }

    /// Removes the text of a class or code of the program's.
    pub fn remove_text(&mut self, code: i32) -> Result<(), &'static str> {
        match self.texts.remove(&code) {
            Some(_) => Ok(()),
            None => Err("has no text that the program has added"),
        }
    }

    /// The class of a code.
    pub fn class(&self, code: i32) -> i32 {
        code & (ADDED | CLASS)
    }

    /// The value of `MPI_LASTUSEDCODE`.
    pub fn last_used(&self) -> i32 {
        if self.classes == 0 {
            LAST
        } else {
            ADDED | self.classes
        }
    }

    /// What a class or code means.
    pub fn text(&self, code: i32) -> String {
        match self.texts.get(&code) {
            Some(text) => String::from_utf8_lossy(text).into_owned(),
            None if code & ADDED != 0 => String::new(),
            None => meaning(code & CLASS).into(),
        }
    }
}

/// What a class of the standard means.
pub fn meaning(class: i32) -> &'static str {
    match class {
        class::SUCCESS => "no error",
        class::BUFFER => "invalid buffer",
        class::COUNT => "invalid count",
        class::TYPE => "invalid datatype",
        class::TAG => "invalid tag",
        class::COMM => "invalid communicator",
        class::RANK => "invalid rank",
        class::ROOT => "invalid root",
        class::GROUP => "invalid group",
        class::OP => "invalid reduction operation",
        class::TOPOLOGY => "invalid topology",
        class::DIMS => "invalid dimension",
        class::ARG => "invalid argument",
        class::UNKNOWN => "unknown error",
        class::TRUNCATE => "a message was longer than the receive takes",
        class::OTHER => "another error",
        class::INTERN => "an error inside the MPI library",
        class::IN_STATUS => "the error is in the status",
        class::PENDING => "the request is not complete",
        class::REQUEST => "invalid request",
        _ => meaning_of_later_chapters(class),
    }
}

fn meaning_of_later_chapters(class: i32) -> &'static str {
    match class {
        20 => "access to a file denied",
        21 => "invalid mode of access to a file",
        22 => "invalid name of a file",
        23 => "a conversion function failed",
        24 => "a data representation of this name exists",
        25 => "the file exists",
        26 => "the file is in use",
        27 => "invalid file",
        class::INFO => "invalid info",
        class::INFO_KEY => "invalid key of an info",
        class::INFO_VALUE => "invalid value of an info",
        class::INFO_NOKEY => "the info has no such key",
        32 => "an error of input or output",
        33 => "invalid name of a service",
        class::NO_MEM => "out of memory",
        35 => "arguments of a collective differ between ranks",
        36 => "no space left for a file",
        37 => "no such file",
        38 => "invalid port",
        39 => "quota exceeded",
        40 => "the file can only be read",
        41 => "unknown service",
        42 => "processes could not be started",
        43 => "unsupported data representation",
        class::UNSUPPORTED_OPERATION => "unsupported operation",
        45 => "invalid window",
        46 => "invalid base address",
        47 => "invalid type of lock",
        class::KEYVAL => "invalid key of an attribute",
        49 => "conflicting accesses to a window",
        50 => "wrong synchronisation of a window",
        51 => "invalid size",
        52 => "invalid displacement",
        53 => "invalid assertion",
        55 => "the target lies outside the window",
        56 => "memory cannot be attached",
        57 => "memory cannot be shared",
        58 => "wrong flavour of a window",
        class::SESSION => "invalid session",
        76 => "a process has ended",
        77 => "a value is too large",
        _ => "unknown error class",
    }
}
