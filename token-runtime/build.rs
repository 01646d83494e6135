//! Writes the headers and modules that programs are compiled with: forms in `mpi/include` with
//! `@…@` where constants and functions go, which are the same for all languages.

#[path = "headers/c.rs"]
mod c;
#[path = "headers/constants.rs"]
mod constants;
#[path = "headers/fortran.rs"]
mod fortran;
#[path = "headers/fortran_2008.rs"]
mod fortran_2008;
#[path = "headers/signatures.rs"]
mod signatures;

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=headers");
    println!("cargo:rerun-if-changed=mpi/include");
    let read = |path: &str| {
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let (functions, only_c) = signatures::read(&read("headers/signatures.txt"));
    let constants = constants::read(&read("headers/constants.txt"));
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where results go");
    let write = |name: &str, parts: &[(&str, String)]| {
        let mut text = read(&format!("mpi/include/{name}"));
        for (mark, part) in parts {
            text = text.replace(&format!("@{mark}@\n"), part);
        }
        std::fs::write(Path::new(&folder).join(name), text).expect("the folder is writable");
    };
    write(
        "mpi.h",
        &[
            ("constants", c::constants(&constants)),
            ("functions", c::functions(&functions, &only_c)),
        ],
    );
    write("mpif.h", &[("constants", fortran::constants(&constants))]);
    write("mpi.f90", &[("functions", fortran::functions(&functions))]);
    write(
        "mpi_f08.f90",
        &[
            ("types", fortran_2008::types()),
            ("constants", fortran_2008::constants(&constants)),
            ("equal", fortran_2008::operators("equal")),
            ("different", fortran_2008::operators("different")),
            ("functions", fortran_2008::functions(&functions)),
            ("procedures", fortran_2008::procedures()),
        ],
    );
}
