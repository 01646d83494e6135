//! Calls of the observer itself to the MPI library, by the PMPI names: its rank, the members of a
//! communicator, sizes of datatypes, and the few words that ranks exchange at the end of a run.

use crate::family::Family;
use crate::passed_arguments::Binding;
use crate::real_functions;
use std::ffi::{CStr, c_char};
use token_runtime::mpich;

/// The MPI library.
#[derive(Debug)]
pub struct Mpi {
    pub family: Family,
    /// What it calls itself, in one line.
    pub name: String,
    pub rank: u32,
    pub ranks: u32,
    /// C handles.
    pub world: usize,
    int: usize,
    byte: usize,
    maximum: usize,
}

/// Text that a library may write of itself: MPICH says 8192, others less.
const LONGEST_NAME: usize = 8192;
/// What both families say of a library that lets threads call it at once.
const THREAD_MULTIPLE: i32 = 3;
/// Longest name of a datatype in any library.
const LONGEST_OBJECT_NAME: usize = 1024;
/// Bytes per message at most, far below what a count can say.
const LONGEST_MESSAGE: usize = 1 << 20;

/// Calls a PMPI function with C's arguments; gives whether it succeeded. `false`, too, if the
/// library does not have it.
///
/// # Safety
///
/// The arguments are those of the function.
unsafe fn pmpi(name: &CStr, words: &[usize]) -> bool {
    // SAFETY: `find` returns the address of the function with this name, whose arguments `words` are (see Safety).
    real_functions::find(name)
        .is_some_and(|address| unsafe { real_functions::call(address, words) } as i32 == 0)
}

/// The address of a place for a call to write to.
fn place<T>(variable: &mut T) -> usize {
    (variable as *mut T).expose_provenance()
}

impl Mpi {
    /// Asks the library, which has been initialised.
    ///
    /// # Errors
    ///
    /// A library whose handles are not known, as a sentence.
    pub fn ask() -> Result<Self, String> {
        let name = library_name();
        let Some(family) = Family::of(&name) else {
            return Err(format!(
                "the MPI library that calls itself '{name}' is neither of the MPICH family nor Open MPI; observe a run with one of those"
            ));
        };
        let mut mpi = Self {
            family,
            name,
            rank: 0,
            ranks: 1,
            world: family.handle(mpich::COMM_WORLD, c"ompi_mpi_comm_world"),
            int: family.handle(mpich::datatypes::INT, c"ompi_mpi_int"),
            byte: family.handle(mpich::datatypes::BYTE, c"ompi_mpi_byte"),
            maximum: family.handle(mpich::datatypes::OPERATIONS + 1, c"ompi_mpi_op_max"),
        };
        (mpi.rank, mpi.ranks) = mpi.rank_and_size(mpi.world);
        Ok(mpi)
    }

    /// This rank's number in a communicator, and how many there are.
    pub fn rank_and_size(&self, communicator: usize) -> (u32, u32) {
        let (mut rank, mut size) = (0i32, 1i32);
        // SAFETY: a communicator and places for numbers.
        unsafe {
            pmpi(c"PMPI_Comm_rank", &[communicator, place(&mut rank)]);
            pmpi(c"PMPI_Comm_size", &[communicator, place(&mut size)]);
        }
        (rank as u32, size as u32)
    }

    /// The C handle of an object whose handle a program has passed.
    fn c_handle(&self, handle: usize, binding: Binding, from_fortran: &CStr) -> usize {
        match (self.family, binding) {
            (Family::Mpich, _) | (Family::OpenMpi, Binding::C) => handle,
            (Family::OpenMpi, Binding::Fortran | Binding::Fortran2008) => {
                // SAFETY: such functions take a number and give an address.
                real_functions::find(from_fortran).map_or(0, |address| unsafe {
                    real_functions::call(address, &[handle])
                })
            }
        }
    }

    /// Both handles, C's and Fortran's, of an object by the handle a program has passed.
    fn both(
        &self,
        handle: usize,
        binding: Binding,
        from_fortran: &CStr,
        to_fortran: &CStr,
    ) -> [usize; 2] {
        let c = self.c_handle(handle, binding, from_fortran);
        let fortran = match self.family {
            Family::Mpich => handle,
            Family::OpenMpi => {
                // SAFETY: such functions take an address and give a number.
                let number = real_functions::find(to_fortran)
                    .map(|address| unsafe { real_functions::call(address, &[c]) });
                number.map_or(c, |number| number as u32 as usize)
            }
        };
        [c, fortran]
    }

    /// Both handles of a communicator.
    pub fn communicator_handles(&self, handle: usize, binding: Binding) -> [usize; 2] {
        self.both(handle, binding, c"PMPI_Comm_f2c", c"PMPI_Comm_c2f")
    }

    /// Both handles of a datatype.
    pub fn datatype_handles(&self, handle: usize, binding: Binding) -> [usize; 2] {
        self.both(handle, binding, c"PMPI_Type_f2c", c"PMPI_Type_c2f")
    }

    /// Both handles of a reduction operation.
    pub fn operation_handles(&self, handle: usize, binding: Binding) -> [usize; 2] {
        self.both(handle, binding, c"PMPI_Op_f2c", c"PMPI_Op_c2f")
    }

    /// Bytes of data in an element of a datatype, and the distance to the next.
    pub fn size_and_extent(&self, datatype: usize) -> (u64, i64) {
        let (mut size, mut lower, mut extent) = (0i32, 0isize, 0isize);
        // SAFETY: a datatype and places for numbers, the latter of the width of addresses.
        let has_extent = unsafe {
            pmpi(c"PMPI_Type_size", &[datatype, place(&mut size)]);
            pmpi(
                c"PMPI_Type_get_extent",
                &[datatype, place(&mut lower), place(&mut extent)],
            )
        };
        let size = u64::try_from(size).unwrap_or(0);
        (
            size,
            if has_extent {
                extent as i64
            } else {
                size as i64
            },
        )
    }

    /// The name of a datatype; predefined ones have those of the standard.
    pub fn datatype_name(&self, datatype: usize) -> String {
        let mut text = [0u8; LONGEST_OBJECT_NAME];
        let mut length = 0i32;
        // SAFETY: a datatype, a place longer than any library's names, a place for a number.
        unsafe {
            pmpi(
                c"PMPI_Type_get_name",
                &[datatype, place(&mut text), place(&mut length)],
            )
        };
        String::from_utf8_lossy(&text[..usize::try_from(length).unwrap_or(0)]).into_owned()
    }

    /// Whether the operands of a program's own reduction operation may be swapped.
    pub fn commutes(&self, operation: usize) -> bool {
        let mut commutes = 1i32;
        // SAFETY: an operation and a place for a number.
        unsafe { pmpi(c"PMPI_Op_commutative", &[operation, place(&mut commutes)]) };
        commutes != 0
    }

    /// World ranks of a communicator's members in its order.
    pub fn members(&self, communicator: usize) -> Vec<u32> {
        let (rank, size) = self.rank_and_size(communicator);
        self.translated(communicator, size)
            .unwrap_or_else(|| self.gather_members(communicator, rank, size))
    }

    /// By way of the groups, without a message.
    fn translated(&self, communicator: usize, size: u32) -> Option<Vec<u32>> {
        let (mut group, mut world) = (0usize, 0usize);
        let mut members = vec![0i32; size as usize];
        let ranks: Vec<i32> = (0..size as i32).collect();
        // SAFETY: communicators, places for handles, and arrays of `size` numbers.
        let done = unsafe {
            pmpi(c"PMPI_Comm_group", &[communicator, place(&mut group)])
                && pmpi(c"PMPI_Comm_group", &[self.world, place(&mut world)])
                && pmpi(
                    c"PMPI_Group_translate_ranks",
                    &[
                        group,
                        size as usize,
                        ranks.as_ptr() as usize,
                        world,
                        members.as_mut_ptr() as usize,
                    ],
                )
        };
        for mut group in [group, world].into_iter().filter(|&group| group != 0) {
            // SAFETY: a group that was made above.
            unsafe { pmpi(c"PMPI_Group_free", &[place(&mut group)]) };
        }
        if done {
            Some(members.into_iter().map(|rank| rank as u32).collect())
        } else {
            None
        }
    }

    /// By asking the members, where the library has no groups.
    fn gather_members(&self, communicator: usize, rank: u32, size: u32) -> Vec<u32> {
        let mut mine = vec![0i32; size as usize];
        mine[rank as usize] = self.rank as i32;
        self.largest(communicator, &mine)
            .into_iter()
            .map(|rank| rank as u32)
            .collect()
    }

    /// The largest number that any member gives, element by element.
    fn largest(&self, communicator: usize, mine: &[i32]) -> Vec<i32> {
        let mut largest = vec![0i32; mine.len()];
        let (from, to) = (mine.as_ptr() as usize, largest.as_mut_ptr() as usize);
        let words = [from, to, mine.len(), self.int, self.maximum, communicator];
        // SAFETY: both arrays have `mine.len()` integers and outlive the call; datatype and operation are handles that the
        // library itself has returned.
        unsafe { pmpi(c"PMPI_Allreduce", &words) };
        largest
    }

    /// The largest number that any rank gives.
    pub fn largest_of_all(&self, number: i32) -> i32 {
        self.largest(self.world, &[number])[0]
    }

    /// Whether it is mpiete's own library, under which one rank at a time runs anyway.
    pub fn is_token_runtime(&self) -> bool {
        self.name.starts_with("mpiete")
    }

    /// Whether threads may call MPI at once.
    pub fn has_threads(&self) -> bool {
        let mut level = 0i32;
        // SAFETY: a place for a number.
        unsafe { pmpi(c"PMPI_Query_thread", &[place(&mut level)]) };
        level == THREAD_MULTIPLE
    }

    /// Waits for all ranks.
    pub fn barrier(&self) {
        self.barrier_of(self.world);
    }

    /// Waits for all members of a communicator.
    pub fn barrier_of(&self, communicator: usize) {
        // SAFETY: a communicator.
        unsafe { pmpi(c"PMPI_Barrier", &[communicator]) };
    }

    /// A communicator of the ranks that say the same number, in their order; to be freed.
    pub fn split(&self, number: i32) -> usize {
        let mut made = 0;
        // SAFETY: the words are the arguments of `MPI_Comm_split` in order; `made` is a word, in which a handle of either
        // family has room, and outlives the call.
        unsafe {
            pmpi(
                c"PMPI_Comm_split",
                &[
                    self.world,
                    number as usize,
                    self.rank as usize,
                    place(&mut made),
                ],
            )
        };
        made
    }

    /// Frees a communicator that [`Mpi::split`] has made.
    pub fn free(&self, communicator: &mut usize) {
        // SAFETY: a place that holds a handle.
        unsafe { pmpi(c"PMPI_Comm_free", &[place(communicator)]) };
    }

    /// What the first member of a communicator says.
    pub fn broadcast_numbers(&self, communicator: usize, mut numbers: [i32; 3]) -> [i32; 3] {
        self.broadcast(place(&mut numbers), numbers.len(), self.int, communicator);
        numbers
    }

    /// What rank 0 says.
    pub fn text_of_first(&self, text: &str) -> String {
        let mut length = text.len().min(LONGEST_MESSAGE) as i32;
        self.broadcast(place(&mut length), 1, self.int, self.world);
        let mut bytes = vec![0; length as usize];
        let own = text.len().min(bytes.len());
        bytes[..own].copy_from_slice(&text.as_bytes()[..own]);
        self.broadcast(
            bytes.as_mut_ptr() as usize,
            length as usize,
            self.byte,
            self.world,
        );
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn broadcast(&self, place: usize, count: usize, datatype: usize, communicator: usize) {
        // SAFETY: the callers' places hold so many elements.
        unsafe { pmpi(c"PMPI_Bcast", &[place, count, datatype, 0, communicator]) };
    }

    /// Ends the run.
    pub fn abort(&self, code: i32) -> ! {
        // SAFETY: `MPI_Abort` takes a communicator and an integer, and no address.
        unsafe { pmpi(c"PMPI_Abort", &[self.world, code as usize]) };
        std::process::exit(code)
    }
}

fn library_name() -> String {
    let mut text = [0 as c_char; LONGEST_NAME];
    let mut length = 0i32;
    // SAFETY: a place longer than any library's text, and one for a number.
    unsafe {
        pmpi(
            c"PMPI_Get_library_version",
            &[place(&mut text), place(&mut length)],
        )
    };
    let bytes = text.iter().map(|&byte| byte as u8);
    let bytes: Vec<u8> = bytes
        .take(usize::try_from(length).unwrap_or(0))
        .filter(|&byte| byte != 0)
        .collect();
    let text = String::from_utf8_lossy(&bytes);
    let lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines
        .filter(|line| !line.is_empty())
        .take(2)
        .collect::<Vec<_>>()
        .join(", ")
}
