//! MPI programs that another launcher (`mpiexec`, `srun`) starts inside a rank, or inside a script that stands for one. They find this
//! library as programs of the rank do, but their launcher wants them to be ranks of a job of its own. So they start again without it,
//! and the loader finds the launcher's library. Where that is not possible, they end: each would run as the only rank.

use native::loaded_objects;
use std::ffi::{CString, OsStr, OsString, c_char};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use token_runtime::environment::{FOLDER, LIBRARIES, OF_RANK, OtherLauncher, RANK, SEGMENT};
use token_runtime::warnings::{self, Warning};

/// Lists of paths with which the loader finds this library.
const LISTS: [&str; 2] = ["LD_PRELOAD", "LD_LIBRARY_PATH"];

fn launcher() -> Option<OtherLauncher> {
    OtherLauncher::read(|name| std::env::var(name).ok())
}

/// Whether another launcher has started this process.
pub fn has_started_process() -> bool {
    launcher().is_some()
}

/// When the library is loaded: does not return if the program can start again without it.
pub fn on_load() {
    if std::env::var_os(SEGMENT).is_none() {
        return;
    }
    let Some(launcher) = launcher() else {
        return;
    };
    let is_mpi_program = loaded_objects::executable_needs_library("libmpi");
    // Where the program loads this library itself, it has run already, and must not begin again.
    if !is_mpi_program && !is_preloaded() {
        return;
    }
    if is_mpi_program {
        warn(&launcher);
    }
    start_again();
}

/// Why this process cannot be the only rank; `None` if it can.
pub fn refusal() -> Option<String> {
    let launcher = launcher()?;
    let ranks = launcher.ranks.filter(|&ranks| ranks > 1)?;
    let program = program().unwrap_or_default();
    let library = loaded_objects::locate(on_load as *const () as u64)
        .map(|(path, _)| path)
        .unwrap_or_default();
    Some(format!(
        "nothing was computed: {} is one of {ranks} ranks that another launcher started (its variable {}), but uses mpiete's MPI \
         library, {library}, with which each of them would run as the only rank; start it with `mpiete run -n {ranks}`, or let it \
         load the launcher's MPI library (LD_LIBRARY_PATH)",
        program.display(),
        launcher.variable,
    ))
}

fn is_preloaded() -> bool {
    let (Some(list), Some(folder)) = (std::env::var_os(LISTS[0]), std::env::var_os(LIBRARIES))
    else {
        return false;
    };
    without(&list, Path::new(&folder)) != list
}

/// The list without what lies in the folder.
fn without(list: &OsStr, folder: &Path) -> OsString {
    let paths = list.as_bytes().split(|byte| b": ".contains(byte));
    let others: Vec<&[u8]> = paths
        .filter(|path| !Path::new(OsStr::from_bytes(path)).starts_with(folder))
        .collect();
    OsString::from_vec(others.join(&b':'))
}

/// The file that this process runs.
fn program() -> Option<PathBuf> {
    std::fs::read_link("/proc/self/exe").ok()
}

/// What cannot be written is not known to the host; the launcher's job is not to fail for that.
fn warn(launcher: &OtherLauncher) {
    let (Some(folder), Ok(rank)) = (std::env::var_os(FOLDER), std::env::var(RANK)) else {
        return;
    };
    let Ok(rank) = rank.parse() else {
        return;
    };
    let program = program().unwrap_or_default();
    let name = program.file_name().unwrap_or_default();
    let warning = Warning::Launched {
        program: name.to_string_lossy().into_owned(),
        variable: launcher.variable.into(),
        ranks: launcher.ranks,
    };
    let _ = warnings::leave_of_child(Path::new(&folder), rank, warning);
}

/// Starts the program of this process again with the environment that its launcher's library needs. Returns only where that fails.
fn start_again() {
    let Ok(command_line) = std::fs::read("/proc/self/cmdline") else {
        return;
    };
    let Some(path) = program().and_then(|path| CString::new(path.into_os_string().into_vec()).ok())
    else {
        return;
    };
    // Each argument ends with a zero byte.
    let arguments = command_line.split_inclusive(|&byte| byte == 0);
    let arguments: Option<Vec<CString>> = arguments
        .map(|text| CString::from_vec_with_nul(text.to_vec()).ok())
        .collect();
    let Some(arguments) = arguments else {
        return;
    };
    let environment = environment();
    let pointers = |texts: &[CString]| -> Vec<*const c_char> {
        let pointers = texts.iter().map(|text| text.as_ptr());
        pointers.chain([std::ptr::null()]).collect()
    };
    // SAFETY: the path and all texts end with zero bytes, the lists with null pointers, and all live until the call returns.
    unsafe {
        libc::execve(
            path.as_ptr(),
            pointers(&arguments).as_ptr(),
            pointers(&environment).as_ptr(),
        )
    };
}

/// The environment without what the host has given its rank.
fn environment() -> Vec<CString> {
    let folder = std::env::var_os(LIBRARIES).unwrap_or_default();
    let mut all = Vec::new();
    for (name, value) in std::env::vars_os() {
        let text = name.to_str().unwrap_or_default();
        if OF_RANK.contains(&text) {
            continue;
        }
        let value = if LISTS.contains(&text) && !folder.is_empty() {
            without(&value, Path::new(&folder))
        } else {
            value
        };
        let line = [name.as_bytes(), b"=", value.as_bytes()].concat();
        all.extend(CString::new(line));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_folder_is_taken_out_of_lists() {
        let list = OsStr::new("/run/lib/libmpi.so.12:/run/lib/names/x.so /own.so:/run/library");
        assert_eq!(without(list, Path::new("/run/lib")), "/own.so:/run/library");
    }
}
