//! `mpif.h` and the module `mpi`: constants, and interfaces that leave the types of buffers open.

use crate::constants::{Constant, Section};
use crate::signatures::{Argument, Direction, Shape, Signature};
use std::fmt::Write;

/// The constants for fixed and free source form.
pub fn constants(sections: &[Section]) -> String {
    let mut text = String::new();
    for section in sections {
        let constants: String = section.constants.iter().filter_map(parameter).collect();
        if !constants.is_empty() {
            text += &format!("!\n! {}\n{constants}", section.title);
        }
    }
    text
}

fn parameter(constant: &Constant) -> Option<String> {
    let (name, value) = (&constant.name, constant.in_fortran()?);
    Some(format!(
        "      integer {name}\n      parameter ({name}={value})\n"
    ))
}

/// The interfaces of all functions, each also under its name for profiling.
pub fn functions(signatures: &[Signature]) -> String {
    let mut text = String::new();
    for signature in signatures {
        for prefix in ["mpi_", "pmpi_"] {
            let name = format!("{prefix}{}", signature.name.to_lowercase());
            let arguments: Vec<&Argument> = signature.arguments(false).collect();
            let declarations: String = arguments
                .iter()
                .map(|argument| declaration(argument))
                .collect();
            subroutine(
                &mut text,
                &name,
                &arguments,
                &declarations,
                &format!("integer{} :: ierror", intent(Direction::Out)),
            );
        }
    }
    text
}

/// A subroutine's interface, whose last argument is the error code.
pub fn subroutine(
    text: &mut String,
    name: &str,
    arguments: &[&Argument],
    declarations: &str,
    error_code: &str,
) {
    let names: Vec<&str> = arguments
        .iter()
        .map(|argument| argument.name.as_str())
        .chain(["ierror"])
        .collect();
    let names = names.join(", &\n        ");
    let written = writeln!(
        text,
        "    subroutine {name}( &\n        {names})\n      import\n{declarations}      {error_code}\n    \
         end subroutine {name}"
    );
    written.expect("a string takes everything");
}

/// `intent(…)` of an argument.
///
/// Output arguments are `intent(inout)`: both reject constants and expressions. For a variable that is passed as `intent(out)`,
/// gfortran emits a second statement, and then the call carries the line of another statement in the debugging
/// information, which recordings of compiled programs read.
pub fn intent(direction: Direction) -> &'static str {
    match direction {
        Direction::In => ", intent(in)",
        Direction::Out | Direction::InOut => ", intent(inout)",
    }
}

/// What follows an argument's name.
pub fn bounds(shape: Shape) -> &'static str {
    match shape {
        Shape::Single => "",
        Shape::Array | Shape::Table => "(*)",
        Shape::Triples => "(3, *)",
    }
}

fn declaration(argument: &Argument) -> String {
    let Argument {
        name,
        direction,
        shape,
        kind,
    } = argument;
    let intent = intent(*direction);
    // `MPI_UNWEIGHTED` is no array, and an address is given back to variables of several types.
    let any = |intent: &str| {
        format!(
            "      !GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}\n      type(*), dimension(*){intent} :: {name}\n"
        )
    };
    match (kind.as_str(), shape) {
        ("choice" | "pointer", _) => any(if *direction == Direction::In {
            intent
        } else {
            ""
        }),
        (_, Shape::Array) if name.ends_with("weights") => any(""),
        ("status", Shape::Single) => format!("      integer{intent} :: {name}(MPI_STATUS_SIZE)\n"),
        ("status", _) => format!("      integer{intent} :: {name}(MPI_STATUS_SIZE, *)\n"),
        _ if argument.is_function() => format!("      external :: {name}\n"),
        (kind, shape) => format!(
            "      {}{intent} :: {name}{}\n",
            number(kind),
            bounds(*shape)
        ),
    }
}

fn number(kind: &str) -> &'static str {
    match kind {
        "logical" => "logical",
        "text" => "character(len=*)",
        "aint" | "length" | "word" => "integer(kind=MPI_ADDRESS_KIND)",
        "wide" => "integer(kind=MPI_COUNT_KIND)",
        "offset" => "integer(kind=MPI_OFFSET_KIND)",
        _ => "integer",
    }
}
