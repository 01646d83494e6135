//! The module `mpi_f08`: constants of derived types, and generic interfaces with descriptors for
//! buffers and forms for large counts.

use crate::constants::{Constant, Section};
use crate::fortran::{bounds, intent, subroutine};
use crate::signatures::{Argument, Direction, Shape, Signature};

/// The handles: kind here, and the name of the type behind `MPI_`.
const HANDLES: [(&str, &str); 11] = [
    ("comm", "Comm"),
    ("datatype", "Datatype"),
    ("errhandler", "Errhandler"),
    ("file", "File"),
    ("group", "Group"),
    ("info", "Info"),
    ("message", "Message"),
    ("op", "Op"),
    ("request", "Request"),
    ("session", "Session"),
    ("win", "Win"),
];

fn handle(kind: &str) -> Option<&'static str> {
    HANDLES
        .iter()
        .find(|(name, _)| *name == kind)
        .map(|(_, handle)| *handle)
}

/// The types of handles.
pub fn types() -> String {
    let declare = |(_, name): &(&str, &str)| {
        format!("  type, bind(C) :: MPI_{name}\n    integer :: MPI_VAL\n  end type MPI_{name}\n")
    };
    HANDLES.iter().map(declare).collect()
}

/// `operator (==)` or `operator (/=)` for all handles: the names of its procedures.
pub fn operators(name: &str) -> String {
    HANDLES
        .iter()
        .map(|(kind, _)| format!("    module procedure {kind}_{name}\n"))
        .collect()
}

/// The procedures behind the operators.
pub fn procedures() -> String {
    let both = |(kind, handle): &(&str, &str)| {
        let function = |name: &str, operator: &str| {
            format!(
                "  elemental logical function {kind}_{name}(a, b)\n    type(MPI_{handle}), intent(in) :: a, b\n    \
                 {kind}_{name} = a%MPI_VAL {operator} b%MPI_VAL\n  end function {kind}_{name}\n"
            )
        };
        function("equal", "==") + &function("different", "/=")
    };
    HANDLES.iter().map(both).collect()
}

/// The constants.
pub fn constants(sections: &[Section]) -> String {
    let mut text = String::new();
    for section in sections {
        let constants: String = section.constants.iter().filter_map(parameter).collect();
        if !constants.is_empty() {
            text += &format!("\n  ! {}\n{constants}", section.title);
        }
    }
    text
}

fn parameter(constant: &Constant) -> Option<String> {
    let (name, value) = (&constant.name, constant.in_fortran()?);
    Some(match handle(&constant.kind) {
        Some(handle) => {
            format!("  type(MPI_{handle}), parameter :: {name} = MPI_{handle}({value})\n")
        }
        None => format!("  integer, parameter :: {name} = {value}\n"),
    })
}

/// The generic interfaces of all functions, each also under its name for profiling.
pub fn functions(signatures: &[Signature]) -> String {
    let mut text = String::new();
    for signature in signatures.iter().filter(|signature| !signature.is_old) {
        for (generic, specific) in [("MPI_", "MPI_"), ("PMPI_", "PMPIR_")] {
            text += &format!("  interface {generic}{}\n", signature.name);
            let forms = if signature.has_large_in_fortran() {
                &[false, true][..]
            } else {
                &[false]
            };
            for &large in forms {
                let name = format!("{specific}{}", signature.f08_name(large));
                let arguments: Vec<&Argument> = signature.arguments(large).collect();
                let declarations: String = arguments
                    .iter()
                    .map(|argument| declaration(argument, large))
                    .collect();
                let code = format!("integer, optional{} :: ierror", intent(Direction::Out));
                subroutine(&mut text, &name, &arguments, &declarations, &code);
            }
            text += &format!("  end interface {generic}{}\n", signature.name);
        }
    }
    text
}

fn declaration(argument: &Argument, large: bool) -> String {
    let Argument {
        name,
        direction,
        shape,
        kind,
    } = argument;
    let intent = intent(*direction);
    match (kind.as_str(), shape) {
        ("choice", _) if *direction == Direction::In => {
            format!("      type(*), dimension(..), intent(in) :: {name}\n")
        }
        ("choice", _) => format!("      type(*), dimension(..) :: {name}\n"),
        ("pointer", _) => format!("      type(c_ptr), intent(out) :: {name}\n"),
        // `MPI_STATUS_IGNORE` is a variable that nothing is written to.
        ("status", _) if *direction != Direction::In => {
            format!("      type(MPI_Status) :: {name}{}\n", bounds(*shape))
        }
        (kind, _) if argument.is_function() => {
            let large = large
                && matches!(
                    kind,
                    "MPI_User_function" | "MPI_Datarep_conversion_function"
                );
            format!(
                "      procedure({kind}{}) :: {name}\n",
                if large { "_c" } else { "" }
            )
        }
        (kind, Shape::Table) => format!("      {}{intent} :: {name}(*)\n", number(kind, large)),
        (kind, shape) => format!(
            "      {}{intent} :: {name}{}\n",
            number(kind, large),
            bounds(*shape)
        ),
    }
}

fn number(kind: &str, large: bool) -> String {
    match (kind, large) {
        ("logical", _) => "logical".into(),
        ("text", _) => "character(len=*)".into(),
        ("status", _) => "type(MPI_Status)".into(),
        ("count" | "length", true) | ("wide" | "large_count", _) => {
            "integer(kind=MPI_COUNT_KIND)".into()
        }
        ("aint" | "word", _) | ("length", false) | ("displacement", true) => {
            "integer(kind=MPI_ADDRESS_KIND)".into()
        }
        ("offset", _) => "integer(kind=MPI_OFFSET_KIND)".into(),
        (kind, _) => handle(kind).map_or("integer".into(), |handle| format!("type(MPI_{handle})")),
    }
}
