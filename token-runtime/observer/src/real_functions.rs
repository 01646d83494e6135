//! The functions behind the entries: those of the same name in whatever was loaded after this
//! library, usually the MPI library, perhaps another layer between. Looked up once, called with the
//! words the program passed.

use crate::passed_arguments::Binding;
use std::ffi::{CStr, CString, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An interposed function: its row in the table of MPI functions, and the address of the real function.
pub struct InterposedFunction {
    /// Row in the table of MPI functions.
    pub row: u32,
    /// How its arguments are passed.
    pub binding: Binding,
    /// Its names; an MPI library has the same function under all that it has.
    names: &'static [&'static CStr],
    /// Address of the real one; 0 until it is first called.
    real: AtomicUsize,
}

impl InterposedFunction {
    pub const fn new(row: u32, binding: Binding, names: &'static [&'static CStr]) -> Self {
        Self {
            row,
            binding,
            names,
            real: AtomicUsize::new(0),
        }
    }

    /// Address of the real function.
    #[inline]
    pub fn real(&self) -> usize {
        match self.real.load(Ordering::Relaxed) {
            0 => self.find(),
            known => known,
        }
    }

    #[cold]
    fn find(&self) -> usize {
        let found = self.names.iter().find_map(|name| find(name));
        let Some(address) = found else {
            let name = self.names[0].to_string_lossy();
            eprintln!(
                "mpiete: no MPI library that was loaded has {name}; link the program with one"
            );
            std::process::abort();
        };
        self.real.store(address, Ordering::Relaxed);
        address
    }

    /// Calls the real function.
    ///
    /// # Safety
    ///
    /// `words` are what the program passed to this entry, or differ in what the function takes as
    /// well.
    #[inline]
    pub unsafe fn call(&self, words: &[usize]) -> usize {
        // SAFETY: the function of this name, with its own arguments.
        unsafe { call(self.real(), words) }
    }
}

/// The next definition of a symbol after this library's own.
pub fn find(name: &CStr) -> Option<usize> {
    // SAFETY: a `CStr` ends with a zero byte, and looking up a symbol runs no code of the library.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    let address = if next.is_null() {
        in_private_libraries(name)
    } else {
        next
    };
    if !address.is_null() {
        Some(address as usize)
    } else {
        None
    }
}

/// Looks into the MPI libraries that were loaded for one module only, as an interpreter does.
fn in_private_libraries(name: &CStr) -> *mut c_void {
    let is_mpi = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libmpi") && !name.starts_with("libmpiete_observer")
    };
    let libraries = native::loaded_objects::loaded()
        .into_iter()
        .filter_map(|object| object.path())
        .filter(is_mpi);
    let find_in = |path: PathBuf| {
        let path = CString::new(path.into_os_string().into_encoded_bytes()).ok()?;
        // SAFETY: the path ends with a zero byte, and with this flag nothing new is loaded.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        // SAFETY: the library is loaded, and stays so while its functions are in use.
        let found = unsafe {
            if library.is_null() {
                library
            } else {
                libc::dlsym(library, name.as_ptr())
            }
        };
        if !found.is_null() { Some(found) } else { None }
    };
    libraries
        .filter_map(find_in)
        .next()
        .unwrap_or(std::ptr::null_mut())
}

macro_rules! call_by_number_of_words {
    ($address:expr, $words:expr; $(($($word:ident)*))+) => {
        match $words {
            $(&[$($word),*] => {
                let function: unsafe extern "C" fn($(call_by_number_of_words!(@type $word)),*) -> usize =
                    // SAFETY: the caller guarantees the address of a function with as many arguments. All are
                    // integers or addresses, which the x86-64 calling convention passes in the same registers.
                    unsafe { std::mem::transmute($address) };
                // SAFETY: the words are those that the program passed to this function.
                unsafe { function($($word),*) }
            })+
            more => unreachable!("no MPI function takes {} arguments", more.len()),
        }
    };
    (@type $word:ident) => { usize };
}

/// Calls a function of C whose arguments and result are integers or addresses.
///
/// # Safety
///
/// `address` is such a function, and takes these arguments.
#[inline]
pub unsafe fn call(address: usize, words: &[usize]) -> usize {
    call_by_number_of_words!(address, words;
        ()
        (a)
        (a b)
        (a b c)
        (a b c d)
        (a b c d e)
        (a b c d e f)
        (a b c d e f g)
        (a b c d e f g h)
        (a b c d e f g h i)
        (a b c d e f g h i j)
        (a b c d e f g h i j k)
        (a b c d e f g h i j k l)
        (a b c d e f g h i j k l m)
        (a b c d e f g h i j k l m n)
    )
}
