//! Requirements of the shared objects on the system that loads them. `abi` checks the symbols that they export.

use crate::world::library;
use std::process::Command;

/// Newest version of the GNU C library that may be needed.
const FLOOR: [u32; 2] = [2, 17];

/// `symbol@version` of all that others must have, and of what may be missing (`w`), as `nm` writes it.
fn undefined(name: &str) -> String {
    let library = library().with_file_name(name);
    assert!(
        library.is_file(),
        "{} is missing: run `cargo build --workspace` first",
        library.display()
    );
    let output = Command::new("nm")
        .args(["-D", "--undefined-only"])
        .arg(library)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn is_old(version: &str) -> bool {
    let Some(version) = version.strip_prefix("GLIBC_") else {
        return !version.starts_with("GLIBCXX");
    };
    let parts: Vec<u32> = version
        .split('.')
        .map(|part| part.parse().unwrap())
        .collect();
    parts[..2] <= FLOOR[..]
}

#[test]
fn required_glibc_symbols_are_from_2012_or_earlier() {
    for name in ["libmpiete_mpi.so", "libmpiete_observer.so"] {
        for line in undefined(name).lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [kind, symbol] = words[..] else {
                panic!("{line}")
            };
            let is_fine = match symbol.split_once('@') {
                Some((_, version)) => is_old(version.trim_start_matches('@')),
                // Only the loader itself has this one.
                None => kind == "w" || symbol == "__tls_get_addr",
            };
            assert!(
                is_fine,
                "{name}: {symbol} is not in the GNU C library {FLOOR:?}"
            );
        }
    }
}
