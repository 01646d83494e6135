//! Conversions of values to the kinds that the token runtime takes. A variable of the program may have the name of an
//! intrinsic function, so each conversion has a form without that function.

use frontend::ir::Program;

/// What stands before and behind a value.
pub(crate) type Around = (&'static str, &'static str);

/// A condition as `logical(4)`.
pub(crate) fn to_logical(program: &Program) -> Around {
    match ["logical", "merge"].map(|name| is_free(program, name)) {
        [true, _] => ("logical(", ", 4)"),
        // `logical` is a name of the program.
        [false, true] => ("merge(.true._4, .false._4, ", ")"),
        // As it is: that is right for those of default kind.
        [false, false] => ("(", ")"),
    }
}

/// An integer as `integer(8)`.
pub(crate) fn to_integer(program: &Program) -> Around {
    if is_free(program, "int") {
        ("int(", ", 8)")
    } else {
        // A sum has the larger kind of its operands.
        ("0_8 + (", ")")
    }
}

/// An integer or a real number as `real(8)`.
pub(crate) fn to_real(program: &Program) -> Around {
    if is_free(program, "real") {
        ("real(", ", 8)")
    } else {
        ("0.0_8 + (", ")")
    }
}

/// The first of two integers where a logical expression holds, otherwise the second.
pub(crate) fn either(program: &Program, first: usize, second: usize, test: &str) -> String {
    match is_free(program, "merge") {
        true => format!("merge({first}, {second}, {test})"),
        // COUNT of one element is 1 if the condition holds, otherwise 0.
        false => format!("{second} + ({first} - {second})*count((/ {test} /))"),
    }
}

/// Whether no variable or procedure of the program has the name of an intrinsic function.
fn is_free(program: &Program, name: &str) -> bool {
    // Names of all scopes count: each conversion has another form, so visibility need not be computed.
    for variable in &program.variables {
        if variable.name.eq_ignore_ascii_case(name) {
            return false;
        }
    }
    for procedure in &program.procedures {
        if procedure.name.eq_ignore_ascii_case(name) {
            return false;
        }
    }
    true
}
