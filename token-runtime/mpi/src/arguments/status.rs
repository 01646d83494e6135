//! Statuses.

use super::{Argument, Binding, Language};
use native::fortran;
use std::ffi::c_int;
use token_runtime::mpich::STATUS_IGNORE;
use token_runtime::mpich::status::{self, Envelope};

/// A status or an array of them; `None` if the program ignores it.
#[derive(Clone, Copy)]
pub struct Status(Option<*mut c_int>);

impl<B: Binding> Argument<B> for Status {
    type Passed = *mut c_int;
    type Behind = ();
    unsafe fn received(passed: *mut c_int, (): ()) -> Self {
        let address = passed as usize;
        let ignored = address <= STATUS_IGNORE
            || match B::LANGUAGE {
                Language::C => false,
                Language::Fortran => fortran::special().is_status_ignore(address),
            };
        Self(if ignored { None } else { Some(passed) })
    }
}

impl Status {
    /// Writes one status of an array; the error member stays as it is, as the standard demands.
    pub fn set_at(self, index: usize, envelope: Envelope) {
        let words = envelope.words();
        words
            .into_iter()
            .enumerate()
            .for_each(|(i, word)| self.set_word(index, i, word));
    }

    /// Writes the status.
    pub fn set(self, envelope: Envelope) {
        self.set_at(0, envelope);
    }

    /// Writes the error member of one status of an array.
    pub fn set_error_at(self, index: usize, code: i32) {
        self.set_word(index, status::word::ERROR, code);
    }

    /// Writes one of the integers of one status of an array.
    pub fn set_word(self, index: usize, word: usize, value: i32) {
        let Some(start) = self.0 else { return };
        // SAFETY: special addresses of ignored statuses are `None`. The standard requires a status for each
        // index that the function writes, and `word` is less than the size of a status.
        unsafe {
            start
                .add(index * status::SIZE + word)
                .write_unaligned(value)
        }
    }

    /// The integers that a status holds; zeros if it is ignored.
    pub fn words(self) -> [i32; status::SIZE] {
        // SAFETY: the program passed a status, which has this size.
        self.0.map_or([0; status::SIZE], |start| unsafe {
            start.cast::<[i32; status::SIZE]>().read_unaligned()
        })
    }

    /// What a status says.
    pub fn envelope(self) -> Envelope {
        let [low, high, source, tag, _] = self.words();
        Envelope::of_words([low, high, source, tag])
    }
}
