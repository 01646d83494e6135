//! Programs that use another MPI library than this one: each of their ranks would run as if it were the only one.

use crate::failure::end_run;
use crate::interposed::loading;
use crate::rank_process;
use std::ffi::{CStr, CString, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use token_runtime::termination::{Termination, TerminationReport};

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
    let Ok(Some(settings)) = rank_process::settings() else {
        return;
    };
    let Some(other) = others().into_iter().find(Other::is_open_mpi) else {
        return;
    };
    let sentence = format!(
        "nothing was run: the program is linked with Open MPI ({}); link it with an MPI of the MPICH family (mpicc.mpich, \
         mpif90.mpich), or with the headers and library that `mpiete prepare` writes",
        other.path.display()
    );
    end_run(
        TerminationReport::new(settings.rank, Termination::OtherMpi(sentence)),
        Some(&settings.folder),
        true,
    );
}

/// The program loads something into a namespace of its own. The loader ends the libraries there before it ends this one, so
/// what is done when the program exits is done before.
pub fn on_namespace() {
    extern "C" fn exit(_: *mut c_void) {
        on_exit();
    }
    unsafe extern "C" {
        fn __cxa_atexit(
            function: extern "C" fn(*mut c_void),
            argument: *mut c_void,
            object: *mut c_void,
        ) -> c_int;
    }
    // SAFETY: the function is there until the program exits: this library is loaded with it, and stays.
    unsafe { __cxa_atexit(exit, std::ptr::null_mut(), std::ptr::null_mut()) };
}

/// Namespaces of the loader beside the program's own: it has room for 16 in all.
const NAMESPACES: std::ops::Range<libc::Lmid_t> = 1..16;

/// MPI libraries in namespaces of their own (`dlmopen`), this one included: there it gets no calls from the program, and what
/// it notices is not noticed here.
fn in_namespaces() -> Vec<Other> {
    if !loading::has_namespaces() {
        return Vec::new();
    }
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut files: Vec<&str> = maps
        .lines()
        .filter_map(|line| line.find('/').map(|at| &line[at..]))
        .collect();
    files.sort_unstable();
    files.dedup();
    let mut found = Vec::new();
    for file in files {
        let Ok(name) = CString::new(file) else {
            continue;
        };
        for namespace in NAMESPACES {
            let other = Other {
                path: file.into(),
                handle: loading::find(namespace, &name),
            };
            // What an object needs is searched, too: the library is where the function is.
            if !other.handle.is_null()
                && file_of(other.symbol(OF_EVERY_MPI)).is_some_and(|of| of == other.path)
            {
                found.push(other);
            }
        }
    }
    found
}

/// The file whose code an address is in, in whatever namespace, without links.
fn file_of(address: *const c_void) -> Option<PathBuf> {
    // SAFETY: null pointers are valid values of this plain structure, which the call fills in. The name that it points at
    // belongs to a library that stays loaded.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if address.is_null()
            || libc::dladdr(address, &raw mut info) == 0
            || info.dli_fname.is_null()
        {
            return None;
        }
        let name = PathBuf::from(OsStr::from_bytes(CStr::from_ptr(info.dli_fname).to_bytes()));
        name.canonicalize().ok()
    }
}

/// The program exits: one that has used another library has got wrong answers.
pub fn on_exit() {
    let Ok(Some(settings)) = rank_process::settings() else {
        return;
    };
    let (rank, is_used) = (settings.rank, Other::was_initialized);
    let sentence = if let Some(other) = others().into_iter().find(is_used) {
        format!(
            "the ranks ran independently of each other, each as the only one: rank {rank} used another MPI library, {}, which it \
             loaded itself; let the program load libmpi.so.12 by name, without a folder",
            other.path.display()
        )
    } else if let Some(other) = in_namespaces().into_iter().find(is_used) {
        format!(
            "rank {rank} used an MPI library, {}, in a namespace of its own (dlmopen), where it takes no part in the run; let the \
             program load with dlopen what calls MPI",
            other.path.display()
        )
    } else {
        return;
    };
    // SAFETY: writes what the program has printed, as its exit would.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    end_run(
        TerminationReport::new(settings.rank, Termination::OtherMpi(sentence)),
        Some(&settings.folder),
        true,
    );
}

fn others() -> Vec<Other> {
    let object_of = |address: *const c_void| {
        native::loaded_objects::locate(address as u64).map(|(path, _)| path)
    };
    let ours = object_of(on_load as *const c_void);
    let loaded = native::loaded_objects::loaded();
    let opened = loaded
        .iter()
        .map(native::loaded_objects::Loaded::name)
        .filter_map(|path| {
            let name = CString::new(path.as_os_str().as_bytes()).ok()?;
            // SAFETY: the name ends with a zero byte; the library is loaded already and stays so.
            let handle = unsafe { loading::open(&name, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
            if !handle.is_null() {
                Some(Other {
                    path: path.to_path_buf(),
                    handle,
                })
            } else {
                None
            }
        });
    // What an object needs is searched, too: the library is where the function is.
    let another = |found: Other| {
        let path =
            object_of(found.symbol(OF_EVERY_MPI)).filter(|path| Some(path) != ours.as_ref())?;
        Some(Other {
            path: path.into(),
            handle: found.handle,
        })
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
