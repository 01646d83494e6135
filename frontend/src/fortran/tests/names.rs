//! What names stand for.

use super::{check_body, diagnostics_text, lower, same};
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
fn array_element_or_function() {
    check_body(
        "integer a(3), f\nexternal g",
        "i = a(1) + f(2) + g(3) + mod(i, 2)",
        "i = (((a[1] + external f(2)) + external g(3)) + intrinsic mod(i, 2))",
    );
    check_body(
        "dimension b(2)\ncommon /c/ d(3)\nreal, allocatable :: e(:)\ncharacter*8 s",
        "b(1) = d(2) + e(3)\ns(1:2) = s(3:4)",
        "b[1] = (d[2] + e[3])\ns[1:2] = s[3:4]",
    );
}

#[test]
fn a_function_with_a_type_of_its_own_is_called() {
    check_program(
        &[(
            "a.f90",
            "program p\ninteger il2\ni = il2(4)\nend\ninteger function il2(n)\nil2 = n/2\nend\n",
        )],
        "main p()\ni = il2(4)\nfunction il2(n) -> il2\nil2 = (n / 2)",
    );
}

#[test]
fn a_local_scalar_may_bear_a_procedures_name() {
    check_program(
        &[(
            "a.f90",
            "program p\nreal error\nerror = 1.0\ncall t(error)\nend\nsubroutine error\nend\nsubroutine t(x)\nend\n",
        )],
        "main p()\nerror = 1.0\ncall t(error)\nsubroutine error()\nsubroutine t(x)",
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
fn internal_procedures_see_their_host() {
    check_program(
        &[(
            "a.f90",
            "program p\nreal x(3)\ni = 1\ncall q\ncontains\nsubroutine q\nreal i\nx(1) = i + j\nend\nend\n",
        )],
        "main p()\ni = 1\ncall q()\nsubroutine q() in p\nx[1] = (i + j)",
    );
}

#[test]
fn mpi_calls_and_constants() {
    check_body(
        "include 'mpif.h'\ninteger s(mpi_status_size)",
        "call MPI_Send(x, 1, mpi_real, 1, 0, mpi_comm_world, ierr)\ncall mpi_none_such(0, i, ierr)\ncall mpi_win_fence(0, i, ierr)\nt = mpi_wtime()\ncall mpi_recv(x, 1, mpi_real, 0, 0, mpi_comm_world, s, ierr)",
        "call MPI_Send(x, 1, mpi_real, 1, 0, mpi_comm_world, ierr)\ncall unknown-mpi mpi_none_such(0, i, ierr)\ncall MPI_Win_fence(0, i, ierr)\nt = MPI_Wtime()\ncall MPI_Recv(x, 1, mpi_real, 0, 0, mpi_comm_world, s, ierr)",
    );
    check_body(
        "double precision mpi_wtime\nexternal mpi_wtime",
        "t = mpi_wtime()",
        "t = MPI_Wtime()",
    );
    check_body("real*8 mpi_wtime", "t = mpi_wtime()", "t = MPI_Wtime()");
    check_body(
        "use mpi_f08",
        "call mpi_barrier(comm=mpi_comm_world, ierror=i)",
        "call MPI_Barrier(mpi_comm_world, i)",
    );
}

#[test]
fn exits_are_stops_unless_the_program_has_its_own() {
    check_body("", "call exit(1)\ncall abort", "stop\nstop");
    check_program(
        &[("a.f90", "call exit(1)\nend\nsubroutine exit(i)\nend\n")],
        "main main()\ncall exit(1)\nsubroutine exit(i)",
    );
}

#[test]
fn procedures_as_arguments_and_dummies() {
    check_program(
        &[(
            "a.f90",
            "subroutine s(f, g)\nexternal f\nx = f(2)\ncall g(x)\ncall t(f)\nend\nsubroutine t(h)\nexternal u\ncall s(u, h)\nend\n",
        )],
        "subroutine s(f, g)\nx = dummy f(2)\ncall dummy g(x)\ncall t(f)\nsubroutine t(h)\ncall s(external u(), h)",
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
fn the_library_of_openmp_is_known() {
    check_body(
        "use omp_lib\ninteger(omp_lock_kind) :: l",
        "call omp_init_lock(l)\ni = omp_get_thread_num()",
        "call intrinsic omp_init_lock(l)\ni = intrinsic omp_get_thread_num()",
    );
}

#[test]
fn statement_functions() {
    check_body("f(x) = x*c", "y = f(2.0) + 1", "y = ({2.0, (x * c)} + 1)");
}

#[test]
fn associate_and_block() {
    check_body(
        "type(t) :: a(3)",
        "associate (x => a(2)%y, n => m)\nx(1) = n\nend associate\nblock\ninteger :: z(2)\nz(1) = m\nend block",
        "scope reads {a%y[2], m}\na%y[2, 1] = m\nscope reads {2}\nz[1] = m",
    );
}

#[test]
fn ends_of_blocks_may_have_labels() {
    for (head, end) in [
        ("block", "end block"),
        ("b: block", "ENDBLOCK b"),
        ("associate (x => n)", "end associate"),
        ("associate (x => n)", "endassociate"),
    ] {
        let scope = if head.contains("associate") {
            "scope reads {n}"
        } else {
            "scope reads {}"
        };
        check_body(
            "integer :: n",
            &format!("{head}\nif (n > 3) goto 20\nn = 4\n20 {end}\nn = 5"),
            &format!("{scope}\nlogical if (n > 3)\ngoto [20]\nn = 4\n20: continue\nn = 5"),
        );
    }
}

#[test]
fn attributes_are_given_in_blocks() {
    for said in ["volatile :: n", "asynchronous n", "VOLATILE n"] {
        check_body(
            "",
            &format!("block\ninteger :: n\n{said}\nn = 1\nend block"),
            "scope reads {}\nn = 1",
        );
    }
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
fn missing_declarations_are_reported() {
    check_program(
        &[(
            "a.f90",
            "program p\nimplicit none\ninclude 'x.h'\ni = 1\nend\n",
        )],
        "main p()\ni = 1\nWarning: a.f90:1: i is declared nowhere in p, nor in what it includes or uses\nError: a.f90:3: the included file 'x.h' was not found: name its directory with -I",
    );
    check_program(
        &[("x.f90", "Dear all,\nthis is a letter.\n")],
        "Error: x.f90:1: not Fortran: found 'Dear all,', expected a program unit: is this the right file?",
    );
    check_program(
        &[("a.f90", "subroutine s\nend\nsubroutine s\nend\n")],
        "subroutine s()\nsubroutine s()\nError: a.f90:3: a second procedure named s: the first one is used",
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
fn procedure_pointers_are_called_through_variables() {
    check_body(
        "procedure(f), pointer :: p\nexternal f",
        "p => f\ncall p(1)",
        "p => external f()\ncall dummy p(1)",
    );
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

#[test]
fn incomplete_mpi_calls_are_reported() {
    let remarks = |of: &str| {
        let calls = "call mpi_barrier(mpi_comm_world)\n".repeat(2);
        let text = format!("program p\n{of}\n{calls}call mpi_finalize(i)\nend\n");
        diagnostics_text(&lower(&[("a.f90", &text)]).1)
    };
    same(
        &remarks("include 'mpif.h'"),
        "Warning: MPI_Barrier is called with 1 argument and has 2 in Fortran: comm, ierror (also a.f90:4)",
    );
    same(&remarks("use mpi_f08"), "");
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
