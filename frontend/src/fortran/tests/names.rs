//! What names stand for.

use super::{diagnostics_text, lower, same};
use crate::ir::dump;

#[track_caller]
fn check_program(files: &[(&str, &str)], expect: &str) {
    let (_, lowered) = lower(files);
    same(
        &(dump::procedures(&lowered.program) + &diagnostics_text(&lowered)),
        expect,
    );
}

#[test]
fn modules_with_only_and_renames() {
    check_program(
        &[
            (
                "b.f90",
                "program p\nuse m, only: a, c => b\nuse n\nc(1) = a + d + e()\nend\n",
            ),
            (
                "a.f90",
                "module m\nreal a, b(2), d\nend\nmodule n\nuse m, f => a\nimplicit none\ncontains\nfunction e()\nreal e\ne = d\nend\nend\n",
            ),
        ],
        "main p()\nb[1] = ((a + d) + e())\nfunction e() -> e in n\ne = d",
    );
}

#[test]
fn generic_names_by_arguments() {
    let module = "module m\ninterface g\nmodule procedure gi, gr\nend interface\ncontains\nsubroutine gi(i)\nend\nsubroutine gr(x)\nend\nend\n";
    check_program(
        &[
            ("a.f90", module),
            ("b.f90", "program p\nuse m\ncall g(1)\ncall g(2.0)\nend\n"),
        ],
        "subroutine gi(i) in m\nsubroutine gr(x) in m\nmain p()\ncall gi(1)\ncall gr(2.0)",
    );
}

#[test]
fn include_files_bring_declarations_and_statements() {
    check_program(
        &[
            (
                "a.f",
                "      program p\n      include 'd.h'\n      include 'e.h'\n      a(1) = n\n      end\n",
            ),
            ("d.h", "      include 'n.h'\n      real a(n)\n"),
            ("n.h", "      parameter (n = 3)\n"),
            ("e.h", "      a(2) = 1\n      call f\n"),
        ],
        "main p()\na[2] = 1\ncall external f()\na[1] = n",
    );
}

#[test]
fn a_file_that_includes_itself_ends() {
    let (_, lowered) = lower(&[
        ("a.f90", "program p\ninclude 'x.h'\nend\n"),
        ("x.h", "i = 1\ninclude 'x.h'\ninclude 'x.h'\n"),
    ]);
    assert!(diagnostics_text(&lowered).contains("files include each other without end"));
}

#[test]
fn a_name_met_first_in_a_block_is_the_procedures() {
    let (_, lowered) = lower(&[(
        "a.f90",
        "subroutine s\nblock\nq = 1\nend block\nq = 2\nend\n",
    )]);
    let named = lowered
        .program
        .variables
        .iter()
        .filter(|variable| variable.name == "q");
    assert_eq!(named.count(), 1);
}

#[test]
fn what_is_not_supported_is_refused() {
    let refuse = |body: &str, sentence: &str| {
        let (_, lowered) = lower(&[(
            "a.f90",
            &format!("subroutine s\nreal, pointer :: p(:)\n{body}\nend\n"),
        )]);
        assert_eq!(
            diagnostics_text(&lowered),
            format!("Error: a.f90:3: {sentence}\n"),
            "{body}"
        );
    };
    refuse(
        "critical\nx = 1\nend critical",
        "CRITICAL belongs to coarrays, which are not supported; with MPI alone it does nothing: leave out CRITICAL and END CRITICAL",
    );
    refuse("sync all", "coarrays are not supported");
    refuse(
        "exit",
        "what this leaves is no construct here: name one that it stands in",
    );
}

#[test]
fn pure_procedures_say_so_in_their_prefix() {
    let prefixes = [
        "",
        "pure ",
        "elemental ",
        "impure elemental ",
        "integer pure ",
        "PURE INTEGER ",
        "recursive ",
    ];
    let units = prefixes.iter().zip(["a", "b", "c", "d", "e", "f", "g"]);
    let text: String = units
        .map(|(prefix, name)| {
            let declared = if prefix.to_lowercase().contains("integer") {
                ""
            } else {
                "integer "
            };
            format!(
                "{declared}{prefix}function {name}(x)\ninteger, intent(in) :: x\n{name} = x\nend\n"
            )
        })
        .collect();
    let (_, lowered) = lower(&[("a.f90", &text)]);
    let found: Vec<bool> = lowered
        .program
        .procedures
        .iter()
        .map(|procedure| procedure.is_pure)
        .collect();
    assert_eq!(found, [false, true, true, false, true, true, false]);
}

/// GNU's specific names, and the functions of `iso_fortran_env`: nothing that they do concerns messages.
#[test]
fn legacy_intrinsics_are_no_procedures_without_source() {
    let functions = [
        "cdabs(z)",
        "zabs(z)",
        "dimag(z)",
        "dreal(z)",
        "dfloat(i)",
        "cdsqrt(z)",
        "zlog(z)",
        "dconjg(z)",
        "derf(x)",
        "cotan(x)",
        "dasinh(x)",
        "besj0(x)",
        "lnblnk(c)",
        "algama(x)",
        "imagpart(z)",
        "iiabs(i)",
        "jmod(i, 3)",
        "bge(i, 3)",
    ];
    for function in functions {
        let text = format!(
            "program p\ncomplex(8) z\nreal(8) x\ncharacter(9) c\nprint *, {function}\nend\n"
        );
        let (_, lowered) = lower(&[("a.f90", &text)]);
        let main = &lowered.program.procedures[0];
        assert!(main.externals.is_empty(), "{function}");
    }
    let modules = "program p\nuse iso_fortran_env, only: compiler_version, options => compiler_options\nprint *, compiler_version(), options()\nend\n";
    let (_, lowered) = lower(&[("a.f90", modules)]);
    assert!(
        lowered.program.procedures[0].externals.is_empty(),
        "{:?}",
        lowered.program.procedures[0].externals
    );
}
