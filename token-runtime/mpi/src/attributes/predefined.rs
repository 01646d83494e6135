//! Attributes that MPI has set on `MPI_COMM_WORLD` and every other communicator. C gets the address of the value,
//! Fortran the value.

use crate::arguments::Language;
use crate::process::Process;
use token_runtime::mpich::{ANY_SOURCE, PROC_NULL, TAG_UB, attribute};

/// Numbers that C programs get the addresses of.
#[derive(Debug)]
pub struct Predefined {
    tag_upper_bound: i32,
    host: i32,
    io: i32,
    clocks_agree: i32,
    last_used_code: i32,
    application: i32,
    universe: i32,
}

impl Predefined {
    /// As MPICH has them.
    pub fn new(ranks: u32, application: u32) -> Self {
        Self {
            tag_upper_bound: TAG_UB,
            host: PROC_NULL,
            io: ANY_SOURCE,
            clocks_agree: 0,
            last_used_code: 0,
            application: application as i32,
            universe: ranks as i32,
        }
    }

    fn place(&mut self, key: i32) -> Option<&mut i32> {
        // Fortran's keys are larger by one, and even.
        Some(match key - (key & 1 ^ 1) {
            attribute::TAG_UB => &mut self.tag_upper_bound,
            attribute::HOST => &mut self.host,
            attribute::IO => &mut self.io,
            attribute::WTIME_IS_GLOBAL => &mut self.clocks_agree,
            attribute::LASTUSEDCODE => &mut self.last_used_code,
            attribute::APPNUM => &mut self.application,
            attribute::UNIVERSE_SIZE => &mut self.universe,
            _ => return None,
        })
    }
}

/// Whether a key is one of these.
pub fn is_predefined(key: i32) -> bool {
    Predefined::new(0, 0).place(key).is_some()
}

/// What a program of this language gets.
pub fn value(process: &mut Process, key: i32, language: Language) -> Option<i64> {
    let last_used = process.tables.basics.error_codes.last_used();
    let predefined = &mut process.tables.predefined;
    predefined.last_used_code = last_used;
    let place = predefined.place(key)?;
    Some(match language {
        Language::C => std::ptr::from_mut(place) as i64,
        Language::Fortran => i64::from(*place),
    })
}
