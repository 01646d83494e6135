//! Texts: C ends them with a zero byte, Fortran passes the length behind all other arguments and
//! fills up with blanks.

use super::{Argument, Binding, Out, null};
use std::ffi::{CStr, c_char};

/// A text that is read; without the blanks around it in Fortran.
#[derive(Clone, Copy)]
pub struct TextIn {
    start: *const u8,
    length: usize,
}

impl<B: Binding> Argument<B> for TextIn {
    type Passed = *const c_char;
    type Behind = B::TextLength;
    unsafe fn received(passed: *const c_char, behind: B::TextLength) -> Self {
        let start = passed.cast::<u8>();
        let Some(length) = B::text_length(behind) else {
            let length = if passed.is_null() {
                0
            } else {
                // SAFETY: it is not null, and the standard requires texts of C to end with a zero byte.
                unsafe { CStr::from_ptr(passed) }.count_bytes()
            };
            return Self { start, length };
        };
        // SAFETY: Fortran passes a text by its address and, behind all arguments, its length, which `text_length` has read.
        let whole = unsafe { std::slice::from_raw_parts(start, length) };
        let text = whole.trim_ascii();
        let blanks = text.as_ptr() as usize - whole.as_ptr() as usize;
        Self {
            start: start.wrapping_add(blanks),
            length: text.len(),
        }
    }
}

impl TextIn {
    /// Whether the program passed a null pointer.
    pub fn is_null(self) -> bool {
        self.start.is_null()
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        if null::is(self.start) {
            return &[];
        }
        // SAFETY: the program's text is there while the call runs.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }

    /// The text; what is no UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }
}

/// A place for a text: long enough in C, as the standard's constants say; of known length in Fortran.
#[derive(Clone, Copy)]
pub struct TextOut {
    place: *mut u8,
    room: Option<usize>,
}

impl<B: Binding> Argument<B> for TextOut {
    type Passed = *mut c_char;
    type Behind = B::TextLength;
    unsafe fn received(passed: *mut c_char, behind: B::TextLength) -> Self {
        Self {
            place: passed.cast(),
            room: B::text_length(behind),
        }
    }
}

impl TextOut {
    /// Writes the text: for C with a zero byte behind it, for Fortran cut or filled up with blanks.
    pub fn set(self, text: &[u8]) {
        if null::is(self.place) {
            return;
        }
        let used = self.room.map_or(text.len(), |room| text.len().min(room));
        // SAFETY: the program passed a place with room for the text, or `room` bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), self.place, used);
            match self.room {
                Some(room) => std::ptr::write_bytes(self.place.add(used), b' ', room - used),
                None => self.place.add(used).write(0),
            }
        }
    }

    /// Writes the text and its length.
    pub fn set_with_length(self, text: &[u8], length: Out) {
        self.set(text);
        length.set(self.room.map_or(text.len(), |room| text.len().min(room)) as i32);
    }

    /// Bytes that C needs behind a text, and Fortran does not.
    pub fn terminator(self) -> usize {
        usize::from(self.room.is_none())
    }

    /// Writes at most `room` bytes of the text, of which the last is C's zero byte.
    pub fn set_within(self, text: &[u8], room: usize) {
        let room = if self.room.is_some() {
            room
        } else {
            room.saturating_sub(1)
        };
        self.set(&text[..text.len().min(room)]);
    }
}
