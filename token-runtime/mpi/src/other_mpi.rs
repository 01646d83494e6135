//! Programs that use another MPI library than this one: each of their ranks would run as if it were the only one.

use crate::failure::end_run;
use crate::interposed::loading;
use crate::ownership;
use std::ffi::{CStr, CString, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use token_runtime::ending::Ending;

/// A function that every MPI library has, whatever its file is called, and no tool that stands before one: those have
/// the functions without the P.
const OF_EVERY_MPI: &CStr = c"PMPI_Initialized";
/// A symbol that Open MPI alone has.
const OPEN_MPI: &CStr = c"ompi_mpi_comm_world";

/// Another MPI library that is mapped.
struct Other {
    path: PathBuf,
    handle: *mut c_void,
}

/// All libraries that the program is linked with are loaded: one with other handles than ours cannot be stood in for.
pub fn on_load() {
    let Ok(Some(settings)) = ownership::settings() else { return };
    let Some(other) = others().into_iter().find(Other::is_open_mpi) else { return };
    let sentence = format!(
        "nothing was run: the program is linked with Open MPI ({}); link it with an MPI of the MPICH family (mpicc.mpich, \
         mpif90.mpich), or with the headers and library that `mpiete prepare` writes",
        other.path.display()
    );
    end_run(settings.rank, Some(&settings.folder), Ending::OtherMpi(sentence), true);
}

/// The program exits: one that has used another library has got wrong answers.
pub fn on_exit() {
    let Ok(Some(settings)) = ownership::settings() else { return };
    let Some(other) = others().into_iter().find(Other::was_initialized) else { return };
    // SAFETY: writes what the program has printed, as its exit would.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    let sentence = format!(
        "the ranks ran independently of each other, each as the only one: rank {} used another MPI library, {}, which it loaded \
         itself; let the program load libmpi.so.12 by name, without a folder",
        settings.rank,
        other.path.display()
    );
    end_run(settings.rank, Some(&settings.folder), Ending::OtherMpi(sentence), true);
}

fn others() -> Vec<Other> {
    let object_of = |address: *const c_void| native::objects::locate(address as u64).map(|(path, _)| path);
    let ours = object_of(on_load as *const c_void);
    let loaded = native::objects::loaded();
    let opened = loaded.iter().map(native::objects::Loaded::name).filter_map(|path| {
        let name = CString::new(path.as_os_str().as_bytes()).ok()?;
        // SAFETY: the name ends with a zero byte; the library is loaded already and stays so.
        let handle = unsafe { loading::open(&name, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!handle.is_null()).then(|| Other { path: path.to_path_buf(), handle })
    });
    // What an object needs is searched, too: the library is where the function is.
    let another = |found: Other| {
        let path = object_of(found.symbol(OF_EVERY_MPI)).filter(|path| Some(path) != ours.as_ref())?;
        Some(Other { path: path.into(), handle: found.handle })
    };
    opened.filter_map(another).collect()
}

impl Other {
    fn symbol(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the library stays loaded; the name ends with a zero byte.
        unsafe { libc::dlsym(self.handle, name.as_ptr()) }
    }

    fn is_open_mpi(&self) -> bool {
        !self.symbol(OPEN_MPI).is_null()
    }

    fn was_initialized(&self) -> bool {
        let mut answer = 0;
        type Asks = unsafe extern "C" fn(*mut c_int) -> c_int;
        // SAFETY: the function of this name of each MPI library takes a place for an integer, and may be called at any time.
        unsafe { std::mem::transmute::<*mut c_void, Asks>(self.symbol(OF_EVERY_MPI))(&mut answer) };
        answer != 0
    }
}
