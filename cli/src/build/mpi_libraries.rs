//! Which words of a link command name the libraries of an MPI: mpiete has its own in their place.

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

/// Whether a word of a linker's names a library of MPI itself: `-lmpich`, `/usr/lib/libmpi.so.12`.
pub fn is_of_mpi(word: &str) -> bool {
    let file = || {
        Path::new(word)
            .file_name()?
            .to_str()?
            .strip_prefix("lib")?
            .split_once(['.'])
    };
    let of_file = || {
        file()
            .filter(|(_, ending)| ending.starts_with("so") || *ending == "a")
            .map(|(name, _)| name)
    };
    let name = word.strip_prefix("-l").or_else(of_file);
    name.is_some_and(|name| NAMES.contains(&name))
}

/// The words of a command that links, without those that name libraries of another MPI.
pub fn without_mpi(words: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            // What is written may be called so.
            "-o" => kept.extend(
                [Some(word.clone()), words.next().cloned()]
                    .into_iter()
                    .flatten(),
            ),
            "-l" => match words.next() {
                Some(name) if is_of_mpi(&format!("-l{name}")) => {}
                name => kept.extend([Some(word.clone()), name.cloned()].into_iter().flatten()),
            },
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
    (!kept.is_empty()).then(|| format!("-Wl,{}", kept.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not those of the user whose names begin alike; nor may the folder of such a library stay before ours.
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
