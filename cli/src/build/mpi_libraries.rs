//! Recognises the words of a link command that name MPI libraries, which mpiete's own library replaces.

use super::toolkit;
use std::path::Path;

/// Libraries of MPI itself: MPICH's and those of its family, Open MPI's, mpiete's.
const NAMES: [&str; 39] = [
    "mpi",
    "pmpi",
    "mpifort",
    "mpicxx",
    "mpich",
    "mpichf90",
    "mpichfort",
    "mpichcxx",
    "mpich-cxx",
    "fmpich",
    "pmpich",
    "opa",
    "mpl",
    "mpi_mt",
    "mpi_dbg",
    "mpi_dbg_mt",
    "mpi_ilp64",
    "mpifort_ilp64",
    "mpi_cray",
    "mpich_cray",
    "mpichf90_cray",
    "mpi_gnu",
    "mpich_gnu",
    "mpichf90_gnu",
    "mpi_nvidia",
    "mpi_abi",
    "mpi_cxx",
    "mpi_mpifh",
    "mpi_f77",
    "mpi_f90",
    "mpi_usempi",
    "mpi_usempif08",
    "mpi_usempi_ignore_tkr",
    "mpigf",
    "mpigi",
    "open-rte",
    "open-pal",
    toolkit::LIBRARY,
    toolkit::MODULES,
];

/// Whether a linker word names a library of MPI itself: `-lmpich`, `/usr/lib/libmpi.so.12`.
pub fn is_of_mpi(word: &str) -> bool {
    // The whole name must match: a user's own `libmpiio_own` stays.
    match word.strip_prefix("-l").or_else(|| library_name(word)) {
        Some(name) => NAMES.contains(&name),
        None => false,
    }
}

/// `mpi` for the path `/usr/lib/libmpi.so.12` or `libmpi.a`; `None` for a file that is no library.
pub fn library_name(path: &str) -> Option<&str> {
    let file = Path::new(path).file_name()?.to_str()?;
    let (name, ending) = file.strip_prefix("lib")?.split_once('.')?;
    if ending.starts_with("so") || ending == "a" {
        Some(name)
    } else {
        None
    }
}

/// The words of a link command without those that name libraries of another MPI.
pub fn without_mpi(words: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            // An MPI library may be the output: the user's build may make a `libmpi.so` of its own.
            "-o" => {
                kept.push(word.clone());
                kept.extend(words.next().cloned());
            }
            "-l" => {
                let name = words.next();
                if name.is_none_or(|name| !is_of_mpi(&format!("-l{name}"))) {
                    kept.push(word.clone());
                    kept.extend(name.cloned());
                }
            }
            text if is_of_mpi(text) => {}
            text => kept.extend(without_mpi_for_linker(text)),
        }
    }
    kept
}

/// `-Wl,-rpath,/x,-lmpi`: the same within a word for the linker; `None` if nothing is left of it.
fn without_mpi_for_linker(word: &str) -> Option<String> {
    let Some(parts) = word.strip_prefix("-Wl,") else {
        return Some(word.to_string());
    };
    let kept: Vec<&str> = parts.split(',').filter(|part| !is_of_mpi(part)).collect();
    // A bare `-Wl,` would be an empty argument of the linker, which takes it for a file name.
    if kept.is_empty() {
        return None;
    }
    Some(format!("-Wl,{}", kept.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The user's own libraries with similar names are not MPI's.
    #[test]
    fn libraries_of_mpi_are_known() {
        let of_mpi = [
            "-lmpi",
            "-lmpichfort",
            "/usr/lib/libmpi.so.12",
            "libmpich.a",
            "-lmpi_usempif08",
            "-lmpiete_mpi",
        ];
        for word in of_mpi {
            assert!(is_of_mpi(word), "{word}");
        }
        for other in [
            "-lmpiio_own",
            "-lm",
            "mpi",
            "libmpi.o",
            "/mpi/libx.so",
            "-L/usr/lib/mpi",
        ] {
            assert!(!is_of_mpi(other), "{other}");
        }
    }

    #[test]
    fn libraries_of_another_mpi_are_not_linked() {
        let left = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(String::from).collect();
            without_mpi(&words).join(" ")
        };
        let line = "a.o -L/usr/lib -lmpi_mpifh -lmpi -l mpich -l m /usr/lib/libmpifort.so -Wl,-rpath,/usr/lib -o libmpi.so";
        assert_eq!(
            left(line),
            "a.o -L/usr/lib -l m -Wl,-rpath,/usr/lib -o libmpi.so"
        );
        assert_eq!(left("-Wl,-lmpi -Wl,-z,now,-lmpich a.o"), "-Wl,-z,now a.o");
    }
}
