//! Work terms of loops whose bounds read the index of a loop around them.

use crate::work_terms::{check, terms};
use npb_fixtures::skipped::skip;

fn program(body: &str) -> String {
    format!(
        "program t
  use mpi
  integer :: ierr, i, j, k, l, n, nb, me, np, last
  integer(8) :: long
  integer :: rows(1000)
  real :: u(1000), x
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  n = 10*np
  nb = 4
  read *, x, u, rows
  call mpi_barrier(mpi_comm_world, ierr)
{body}
  call mpi_finalize(ierr)
end program
subroutine column(k, last)
  integer :: k, last, i
  real :: v(50)
  do i = k, last
    v(mod(i, 50) + 1) = i
  end do
end subroutine
"
    )
}

/// The loops one in the other, around one statement.
fn nest(controls: &[&str]) -> String {
    let heads: String = controls
        .iter()
        .enumerate()
        .map(|(at, one)| format!("  do {one} {}\n", if at == 0 { "!block" } else { "" }))
        .collect();
    program(&format!(
        "{heads}    u(1) = u(1) + 1\n{}",
        "  end do\n".repeat(controls.len())
    ))
}

/// The last term of a nest.
#[track_caller]
fn check_last(controls: &[&str], expected: &str) {
    let (found, depends) = terms(&nest(controls));
    assert_eq!(
        (found.last().map(String::as_str), depends),
        (Some(expected), false),
        "{found:?}"
    );
}

#[test]
fn triangle_is_sum_over_outer_loop() {
    check_last(
        &["k = 1, n", "j = k, n"],
        "(1_8 + max(0_8, int(n, 8))/4096_8)*sum((/ (max(0_8, int(n - int(mpiete_index1, 4) + 1, 8)), \
         mpiete_index1 = 1, n, (1_8 + max(0_8, int(n, 8))/4096_8)) /))",
    );
}

#[test]
fn constant_outer_loop_needs_no_stride() {
    check_last(
        &["k = 1, 20", "j = k, min(n, k + nb - 1)"],
        "sum((/ (max(0_8, int(min(n, int(mpiete_index1, 4) + nb - 1) - int(mpiete_index1, 4) + 1, 8)), \
         mpiete_index1 = 1, 20) /))",
    );
}

#[test]
fn loop_inside_that_reads_no_index_is_factor() {
    let (found, depends) = terms(&nest(&["i = 1, 9", "j = i, n", "k = 1, n"]));
    assert!(
        !depends
            && found
                .last()
                .is_some_and(|term| term.ends_with("/)), 8))*max(0_8, int(n, 8))")),
        "{found:?}"
    );
}

#[test]
fn value_assigned_in_loop_is_followed() {
    let body = "  do k = 1, 9 !block
    last = min(n, k + nb)
    do j = k, last
      u(1) = u(1) + 1
    end do
  end do";
    let (found, depends) = terms(&program(body));
    assert!(
        !depends && found.len() == 1 && found[0].contains("min(n, int(mpiete_index1, 4) + nb)"),
        "{found:?}"
    );
    let other = body.replace("    end do\n", "    end do\n    last = 0\n");
    check(&program(&other), &[], true);
    let conditional = body.replace("    last = min", "    if (k > 3) last = min");
    check(&program(&conditional), &[], true);
}

#[test]
fn calls_and_sections_read_indices() {
    let call = "  do k = 1, 9 !block\n    call column(k, n)\n  end do";
    let (found, depends) = terms(&program(call));
    assert!(
        !depends && found.len() == 1 && found[0].contains("n - int(mpiete_index1, 4) + 1"),
        "{found:?}"
    );
    let section = "  do k = 1, 9 !block\n    u(k:n) = u(k:n) + 1\n  end do";
    let (found, depends) = terms(&program(section));
    assert!(
        !depends && found.len() == 1 && found[0].contains("mpiete_index1 = 1, 9"),
        "{found:?}"
    );
}

#[test]
fn element_chosen_by_index_has_no_term() {
    check(
        &nest(&["k = 1, 9", "j = rows(k), rows(k + 1) - 1"]),
        &[],
        true,
    );
}

#[test]
fn fourth_loop_of_a_simplex_has_no_term() {
    let (found, depends) = terms(&nest(&[
        "i = 1, 9",
        "j = i, n",
        "k = j, n",
        "l = k, n",
        "long = l, n",
    ]));
    assert!(
        depends && found.iter().all(|term| !term.contains("index4")),
        "{found:?}"
    );
}

#[test]
fn variable_named_sum_hides_no_term() {
    let source = nest(&["k = 1, 9", "j = k, n"])
        .replace("last\n", "last, sum\n")
        .replace("nb = 4", "sum = 4");
    let (found, depends) = terms(&source);
    assert!(
        !depends && found[0].starts_with("dot_product((/ ("),
        "{found:?}"
    );
}

/// Nests of loops, of which the innermost one's count is compared with how often it is executed.
const NESTS: [&[&str]; 14] = [
    &["k = me + 1, n, np", "j = k, n"],
    &["k = me*nb + 1, n, np*nb", "j = k, min(n, k + nb - 1)"],
    &["k = me + 1, n, np", "j = k, n, np"],
    &["j = 1, 5", "i = me, n, np*j"],
    &["k = n, me, -np", "j = me, k, 2"],
    &["k = 1, n", "j = max(k - nb, 1), min(k + nb, n)"],
    &["k = 1, n", "j = mod(k, 3), n/2, 1 + k/4"],
    &["k = 1, n", "j = k, 1, -nb"],
    &["k = 1, n, nb", "i = 1, 3", "j = k, n, i"],
    &["k = 1, n", "i = k, n", "j = i, k + nb"],
    &["k = 1, n", "i = 1, k", "j = i, n, k"],
    &["k = -n, n, np", "j = k, k*k"],
    &["k = 1, n", "j = 1, k*(k + 1)/2 - nb"],
    &["k = 5, 1", "j = k, n"],
];

/// For all of these ranks, sizes and lengths: the term is what the loops make.
#[test]
fn terms_are_what_loops_execute() {
    let mut source = String::from(
        "program check\n  implicit none\n  integer :: me, np, n, nb, i, j, k\n  integer(8) :: found\n  \
         integer(8) :: mpiete_index1, mpiete_index2, mpiete_index3\n  do np = 1, 5\n  do me = 0, np - 1\n  \
         do n = -2, 23, 5\n  do nb = 1, 4\n",
    );
    for controls in NESTS {
        let (found, depends) = terms(&nest(controls));
        assert!(!depends, "{controls:?}: {found:?}");
        let term = found.last().expect("a term");
        let heads: String = controls.iter().map(|one| format!("  do {one}\n")).collect();
        let ends = "  end do\n".repeat(controls.len());
        let term = term
            .replace(" (/", " &\n    (/")
            .replace(", mpiete_index", ", &\n    mpiete_index");
        source += &format!(
            "  found = 0\n{heads}  found = found + 1\n{ends}  if (found /= max(0_8, int( &\n    {term}, 8))) \
             print *, '{}', np, me, n, nb, found, int( &\n    {term}, 8)\n",
            controls.join("; ")
        );
    }
    source += "  end do\n  end do\n  end do\n  end do\nend program\n";
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("loop_sums");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("check.f90"), &source).expect("a source");
    let compiler = std::process::Command::new("gfortran")
        .args([
            "-O0",
            "-fcheck=all",
            "-ffree-line-length-none",
            "check.f90",
            "-o",
            "check",
        ])
        .current_dir(&folder)
        .output();
    let Ok(compiled) = compiler else {
        skip("there is no gfortran");
        return;
    };
    assert!(
        compiled.status.success(),
        "{}\n{source}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let run = std::process::Command::new(folder.join("check"))
        .output()
        .expect("a run");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(
        run.status.success() && said.is_empty(),
        "{said}{}",
        String::from_utf8_lossy(&run.stderr)
    );
}
