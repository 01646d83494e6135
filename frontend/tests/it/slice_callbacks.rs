//! What the slice keeps of procedures that are reached by their binding labels, from interfaces of the sources or from
//! code without source. Marked lines (`!+`) stay, others go.

use crate::harness::{Analysed, check_kept};

/// A module procedure that C knows as `k_update`, and a program with these interfaces and this call.
#[track_caller]
fn check(interfaces: &str, call: &str) -> Analysed {
    check_kept(&format!(
        "module kernels
  use iso_c_binding
  implicit none
  integer :: calls = 0, others = 0
contains
  subroutine upd(n, cnt) bind(c, name='k_update')
    integer(c_int), value :: n
    integer(c_int), intent(out) :: cnt
    others = others + 1
    calls = calls + 1 !+
    cnt = n + calls !+
  end subroutine
end module
program main
  use mpi
  use iso_c_binding
  implicit none
  interface
{interfaces}
  end interface
  integer :: e
  integer(c_int) :: c
  real(8) :: b(100)
  call mpi_init(e) !+
  {call} !+
  call mpi_bcast(b, c, mpi_real8, 0, mpi_comm_world, e) !+
  call mpi_finalize(e) !+
end program
"
    ))
}

fn interface(name: &str, dummies: [&str; 2], binding: &str) -> String {
    let [n, cnt] = dummies;
    format!(
        "    subroutine {name}({n}, {cnt}) {binding}
      import c_int
      integer(c_int), value :: {n}
      integer(c_int), intent(out) :: {cnt}
    end subroutine"
    )
}

#[test]
fn an_interface_means_the_procedure_of_its_label() {
    let bindings = [
        "bind(c)",
        "bind(c, name='k_update')",
        "bind(C, NAME=c_char_\" k_update\")",
    ];
    for binding in bindings {
        let analysed = check(
            &interface("k_update", ["n", "cnt"], binding),
            "call k_update(5_c_int, c)",
        );
        assert!(
            !analysed.remarks().contains("no source"),
            "{}",
            analysed.remarks()
        );
    }
    let other = interface("flux", ["n", "cnt"], "bind(c, name='k_update')");
    check(&other, "call flux(5_c_int, c)");
    check(
        &format!(
            "{}\n{other}",
            interface("k_update", ["n", "cnt"], "bind(c)")
        ),
        "call flux(5_c_int, c)",
    );
}

/// Dummies of an interface body may have other names than the procedure's own, and each other's.
#[test]
fn keywords_are_those_of_the_interface() {
    let swapped = interface("flux", ["cnt", "n"], "bind(c, name='k_update')");
    check(&swapped, "call flux(n=c, cnt=5_c_int)");
    let others = interface("flux", ["a", "b"], "bind(c, name='k_update')");
    check(&others, "call flux(b=c, a=5_c_int)");
}

#[test]
fn labels_are_case_sensitive_and_no_names() {
    for (name, binding) in [
        ("flux", "bind(c, name='K_update')"),
        ("upd", "bind(c, name='other')"),
        ("upd", "bind(c)"),
    ] {
        let source = SOURCE_OUTSIDE.replace("CALL", &format!("call {name}(5_c_int, c)"));
        let analysed =
            check_kept(&source.replace("INTERFACE", &interface(name, ["n", "cnt"], binding)));
        assert!(
            analysed.remarks().contains("no source"),
            "{name} {binding}: {}",
            analysed.remarks()
        );
    }
}

/// An external procedure with a label, which C may call; its name is another one's.
const SOURCE_OUTSIDE: &str = "subroutine upd(n, cnt) bind(c, name='k_update')
  use iso_c_binding
  integer(c_int), value :: n
  integer(c_int), intent(out) :: cnt
  integer :: unused
  unused = n
  cnt = n + 1 !+
end subroutine
program main
  use mpi
  use iso_c_binding
  implicit none
  interface
INTERFACE
  end interface
  integer :: e
  integer(c_int) :: c
  real(8) :: b(100)
  call mpi_init(e) !+
  CALL !+
  call mpi_bcast(b, c, mpi_real8, 0, mpi_comm_world, e) !+
  call mpi_finalize(e) !+
end program
";

/// A program that calls `lib`, which has no source, with these procedures beside it.
#[track_caller]
fn check_beside(procedures: &str, before: &str, arguments: &str) {
    check_kept(&format!(
        "{procedures}
program main
  use mpi
  use iso_c_binding
  use w
  integer :: e, c
  type(c_funptr) :: p
  real(8) :: b(100)
  call mpi_init(e) !+
{before}
  call lib({arguments}) !+
  call mpi_bcast(b, c, mpi_real8, 0, mpi_comm_world, e) !+
  call mpi_finalize(e) !+
end program
"
    ));
}

const EMPTY: &str = "module w\nend module\n";

#[test]
fn what_code_without_source_may_call_leaves_its_dummies_and_its_result() {
    let procedure = "SUB hook(n, cnt) BIND
  integer :: n, cnt, w, unused
  unused = n
  w = n + 1 !+
  cnt = w !+
  RESULT
end SUB
";
    let forms = [
        ("subroutine", "", ""),
        ("subroutine", "bind(c)", ""),
        (
            "integer function",
            "bind(c, name='Hook')",
            "hook = cnt + w !+",
        ),
    ];
    for (kind, binding, result) in forms {
        let head = procedure
            .replacen("SUB", kind, 1)
            .replace("SUB", kind.trim_start_matches("integer "));
        let text = head.replace("BIND", binding).replace("RESULT", result);
        check_beside(&format!("{EMPTY}{text}"), "", "c");
        check_beside(&format!("module w\ncontains\n{text}end module\n"), "", "c");
    }
    // Passed, or by its address.
    let passed = procedure
        .replace("SUB", "subroutine")
        .replace("BIND", "bind(c)")
        .replace("RESULT", "");
    let called = format!("module w\ncontains\n{passed}end module\n");
    check_beside(&called, "", "c, hook");
    check_beside(&called, "  p = c_funloc(hook) !+", "p, c");
}

/// What it passes on, and what it reaches by an address that it was passed.
#[test]
fn what_its_callees_leave_stays_too() {
    check_beside(
        "module w
  use iso_c_binding
contains
subroutine hook(at, k) bind(c)
  type(c_ptr), value :: at
  integer(c_int) :: k
  integer(c_int), pointer :: there(:)
  call c_f_pointer(at, there, [4]) !+
  there(2) = 3 !+
  call fill(at, k) !+
end subroutine
subroutine fill(at, k)
  type(c_ptr), value :: at
  integer(c_int) :: k, unused
  integer(c_int), pointer :: there(:)
  unused = k
  k = 4 !+
  call c_f_pointer(at, there, [4]) !+
  there(3) = 3 !+
end subroutine
end module
",
        "",
        "c",
    );
}

/// Where all procedures have source or only compute, there are no hidden calls.
#[test]
fn programs_with_full_source_have_no_callbacks() {
    check_kept(
        "subroutine hook(n) bind(c)
  integer :: n
  n = 3
end subroutine
program main
  use mpi
  integer :: e
  real(8) :: b(100)
  call mpi_init(e) !+
  call mpi_bcast(b, 4, mpi_real8, 0, mpi_comm_world, e) !+
  call mpi_finalize(e) !+
end program
",
    );
}
