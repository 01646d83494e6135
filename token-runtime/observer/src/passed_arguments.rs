//! Arguments that a program passed to an entry, read by position: C passes numbers and handles, Fortran their
//! addresses, and the module `mpi_f08` addresses of structures with the handle's number inside.

use crate::family::{Family, Special};

/// How arguments are passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// By value.
    C,
    /// By address, the error code last (`mpif.h`, `use mpi`).
    Fortran,
    /// The same, buffers as descriptors in the MPICH family (`use mpi_f08`).
    Fortran2008,
}

/// The arguments of one call.
pub struct PassedArguments<'a> {
    words: &'a mut [usize],
    binding: Binding,
    family: Family,
}

impl<'a> PassedArguments<'a> {
    /// # Safety
    ///
    /// `words` are what a program passed to an MPI function of this binding. The methods are then
    /// to be called with positions of arguments of the kind they name.
    pub unsafe fn new(words: &'a mut [usize], binding: Binding, family: Family) -> Self {
        Self {
            words,
            binding,
            family,
        }
    }

    /// How the arguments were passed.
    pub fn binding(&self) -> Binding {
        self.binding
    }

    /// The words to call the real function with.
    pub fn words(&self) -> &[usize] {
        self.words
    }

    /// A number.
    #[inline]
    pub fn int(&self, at: usize) -> i32 {
        match self.binding {
            Binding::C => self.words[at] as i32,
            // SAFETY: Fortran passes every argument by reference, here a variable of default integer kind.
            Binding::Fortran | Binding::Fortran2008 => unsafe { int_at(self.words[at], 0) },
        }
    }

    /// An object's handle.
    #[inline]
    pub fn handle(&self, at: usize) -> usize {
        match (self.binding, self.family) {
            (Binding::C, Family::OpenMpi) => self.words[at],
            (Binding::C, Family::Mpich) => self.words[at] as u32 as usize,
            // SAFETY: Fortran passes the address of an integer, or of a structure that begins with it.
            (Binding::Fortran | Binding::Fortran2008, _) => unsafe {
                int_at(self.words[at], 0) as u32 as usize
            },
        }
    }

    /// A number or handle, for comparing: equal ones are equal here.
    #[inline]
    pub fn value(&self, at: usize) -> u64 {
        match self.binding {
            Binding::C => self.words[at] as u64,
            // SAFETY: Fortran passes the address of an integer, or of a structure that begins with it.
            Binding::Fortran | Binding::Fortran2008 => unsafe { int_at(self.words[at], 0) as u64 },
        }
    }

    /// Address of element `index` of an argument that is a place for one or more handles.
    #[inline]
    pub fn place(&self, at: usize, index: usize) -> usize {
        self.words[at]
            + index
                * if self.has_wide_handles() {
                    size_of::<usize>()
                } else {
                    size_of::<i32>()
                }
    }

    /// The handle that stands at such a place.
    #[inline]
    pub fn stored(&self, place: usize) -> usize {
        match self.has_wide_handles() {
            // SAFETY: the program passed a place for a handle of this width.
            true => unsafe { (place as *const usize).read_unaligned() },
            // SAFETY: the program passed a place for a handle of this width.
            false => unsafe { int_at(place, 0) as u32 as usize },
        }
    }

    fn has_wide_handles(&self) -> bool {
        self.binding == Binding::C && self.family == Family::OpenMpi
    }

    /// Element `index` of an array of numbers, or the number that a call has written.
    #[inline]
    pub fn written(&self, at: usize, index: usize) -> i32 {
        // SAFETY: both languages pass the array's address.
        unsafe { int_at(self.words[at], index) }
    }

    /// Source and tag of status `index` of the argument; `None` if the program ignores it.
    pub fn status(&self, at: usize, index: usize, special: &Special) -> Option<(i32, i32)> {
        if self.ignores_status(at, special) {
            return None;
        }
        let form = self.family.status();
        let start = self.words[at] + index * form.bytes;
        // SAFETY: special addresses of ignored statuses are `None`. The standard requires a status for each
        // index that the function writes, and `word` is less than the size of a status.
        Some(unsafe { (int_at(start, form.source), int_at(start, form.tag)) })
    }

    /// Whether the argument says that the program wants no status.
    pub fn ignores_status(&self, at: usize, special: &Special) -> bool {
        let word = self.words[at];
        match self.binding {
            Binding::C => word == special.c_ignored,
            Binding::Fortran | Binding::Fortran2008 => word == 0 || special.ignored.contains(&word),
        }
    }

    /// Passes another address on instead of an argument.
    ///
    /// # Safety
    ///
    /// What lies there must be as the function expects it, and stay until the call is over.
    pub unsafe fn replace(&mut self, at: usize, address: usize) {
        self.words[at] = address;
    }

    /// Whether a buffer is `MPI_IN_PLACE`.
    #[inline]
    pub fn is_in_place(&self, at: usize, special: &Special) -> bool {
        let is_special = |word: usize| word != 0 && special.in_place.contains(&word);
        match (self.binding, self.family) {
            (Binding::C, _) => self.words[at] == special.c_in_place,
            (Binding::Fortran, _) | (Binding::Fortran2008, Family::OpenMpi) => {
                is_special(self.words[at])
            }
            (Binding::Fortran2008, Family::Mpich) => {
                // SAFETY: `use mpi_f08` of MPICH passes choice buffers by a descriptor (TS 29113), whose first
                // member is the address of the data.
                let address = unsafe { *(self.words[at] as *const usize) };
                is_special(address)
            }
        }
    }

    /// Whether the call returned an error: as C's result, or in the argument behind all others.
    #[inline]
    pub fn failed(&self, result: usize, arguments: usize) -> bool {
        match self.binding {
            Binding::C => result as i32 != 0,
            // SAFETY: Fortran passes the address of an integer; 0 where it is optional and left out.
            Binding::Fortran | Binding::Fortran2008 => unsafe {
                self.words[arguments] != 0 && int_at(self.words[arguments], 0) != 0
            },
        }
    }
}

/// Number `index` of an array of integers.
///
/// # Safety
///
/// `start` is the address of an array with an element `index`.
#[inline(always)]
unsafe fn int_at(start: usize, index: usize) -> i32 {
    // SAFETY: the element exists (see Safety). The read is unaligned, because a program may pass any address.
    unsafe { (start as *const i32).add(index).read_unaligned() }
}
