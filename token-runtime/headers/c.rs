//! `mpi.h`: constants and prototypes.

use crate::constants::{Constant, Section};
use crate::signatures::{Argument, Direction, Prototype, Shape, Signature};

/// The definitions of all constants.
pub fn constants(sections: &[Section]) -> String {
    let section = |section: &Section| {
        let lines: String = section.constants.iter().map(definition).collect();
        format!("\n/* {} */\n{lines}", section.title)
    };
    sections.iter().map(section).collect()
}

fn definition(constant: &Constant) -> String {
    let Constant { kind, name, value } = constant;
    match kind.as_str() {
        "int" | "room" | "c_int" | "keyval" if value.starts_with('-') => {
            format!("#define {name} ({value})\n")
        }
        "int" | "room" | "c_int" | "keyval" => format!("#define {name} {value}\n"),
        kind => format!("#define {name} (({}){value})\n", handle(kind)),
    }
}

/// The C type of a handle.
fn handle(kind: &str) -> String {
    format!("MPI_{}{}", kind[..1].to_uppercase(), &kind[1..])
}

/// All prototypes, each also under its name for profiling.
pub fn functions(signatures: &[Signature], only_c: &[Prototype]) -> String {
    let mut text = String::new();
    for signature in signatures {
        text += &prototypes(signature, false);
        if signature.has_large {
            text += &prototypes(signature, true);
        }
    }
    for prototype in only_c {
        let profiling = prototype.text.replacen("MPI_", "PMPI_", 1);
        // The result's type may be one of MPI's, too.
        let profiling = match prototype.text.starts_with("MPI_") {
            true => prototype.text.replacen(" MPI_", " PMPI_", 1),
            false => profiling,
        };
        text += &format!("{};\n{profiling};\n", prototype.text);
    }
    text
}

fn prototypes(signature: &Signature, large: bool) -> String {
    let arguments: Vec<String> = signature
        .arguments(large)
        .map(|argument| declaration(argument, large))
        .collect();
    let arguments = if arguments.is_empty() {
        "void".into()
    } else {
        arguments.join(", ")
    };
    let name = format!("{}{}", signature.name, if large { "_c" } else { "" });
    let both = ["MPI_", "PMPI_"].map(|prefix| format!("int {prefix}{name}({arguments});\n"));
    both.concat()
}

fn declaration(argument: &Argument, large: bool) -> String {
    let Argument {
        name,
        direction,
        shape,
        kind,
    } = argument;
    let reads = *direction == Direction::In;
    let constant = if reads { "const " } else { "" };
    match (kind.as_str(), shape) {
        ("choice", _) => format!("{constant}void *{name}"),
        ("word" | "old_word" | "pointer", _) => format!("void *{name}"),
        ("text", Shape::Single) => format!("{constant}char *{name}"),
        ("text", Shape::Array) => format!("char *{name}[]"),
        ("text", Shape::Table | Shape::Triples) => format!("char **{name}[]"),
        // Not as arrays: compilers warn of arrays that MPI_STATUSES_IGNORE is none of.
        ("status", _) => format!("{constant}MPI_Status *{name}"),
        (kind, _) if argument.is_function() => format!("{} *{name}", function(kind, large)),
        (kind, Shape::Single) => format!(
            "{} {}{name}",
            number(kind, large),
            if reads { "" } else { "*" }
        ),
        (kind, Shape::Array | Shape::Table) => {
            format!("{constant}{} {name}[]", number(kind, large))
        }
        (kind, Shape::Triples) => format!("{} {name}[][3]", number(kind, large)),
    }
}

fn number(kind: &str, large: bool) -> String {
    match (kind, large) {
        ("int" | "logical", _) | ("count" | "displacement", false) => "int".into(),
        ("count" | "length", true) | ("wide" | "large_count", _) => "MPI_Count".into(),
        ("aint" | "old_aint", _) | ("displacement", true) | ("length", false) => "MPI_Aint".into(),
        ("offset", _) => "MPI_Offset".into(),
        ("status", _) => "MPI_Status".into(),
        (handle_name, _) => handle(handle_name),
    }
}

fn function(kind: &str, large: bool) -> String {
    let has_large = matches!(
        kind,
        "MPI_User_function" | "MPI_Datarep_conversion_function"
    );
    format!("{kind}{}", if large && has_large { "_c" } else { "" })
}
