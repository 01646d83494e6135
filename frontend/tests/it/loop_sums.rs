//! Work terms of loops whose bounds read the index of a loop around them.

use crate::harness::terms;
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

/// The lines that begin and end loops and conditions one in the other.
fn begin_and_end(controls: &[&str]) -> (Vec<String>, String) {
    let (mut begin, mut end) = (Vec::new(), String::new());
    for one in controls {
        if one.starts_with("if ") {
            begin.push(format!("  {one} then"));
            end.insert_str(0, "  end if\n");
        } else {
            begin.push(format!("  do {one}"));
            end.insert_str(0, "  end do\n");
        }
    }
    (begin, end)
}

/// The loops one in the other, around one statement.
fn nest(controls: &[&str]) -> String {
    let (mut begin, end) = begin_and_end(controls);
    begin[0] += " !block";
    program(&format!("{}\n    u(1) = u(1) + 1\n{end}", begin.join("\n")))
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

/// The same with conditions, of which no bound and step express which iterations they select.
const SELECTED: [&[&str]; 8] = [
    &["j = 1, n", "if (mod(me - j, np) == 0)", "i = 1, nb"],
    &["j = 1, n", "if (iand(j - 1, np - 1) == me)", "i = 1, j"],
    &[
        "j = 0, np - 1",
        "if (abs(j - me) <= 1 .or. abs(j - me) == np - 1)",
        "i = 1, nb",
    ],
    &["j = -n, n, 3", "if (modulo(j, np) == me)", "i = 1, nb"],
    &["k = me + 1, n, np", "if (k > nb)", "i = 1, 5"],
    &[
        "k = me, n, np",
        "if (mod(k/np, 2) /= 0)",
        "i = 1, 20 + k/np",
    ],
    &[
        "j = 1, n",
        "if (mod(j, np) /= 0)",
        "if (mod(j, np) == me)",
        "i = 1, nb",
    ],
    &[
        "k = 1, n",
        "j = 1, k",
        "if (mod(j + k, np) == me)",
        "i = j, k",
    ],
];

/// For all of these ranks, sizes and lengths: the term is what the loops make.
#[test]
fn terms_are_what_loops_execute() {
    let mut source = String::from(
        "program check\n  implicit none\n  integer :: me, np, n, nb, i, j, k\n  integer(8) :: found\n  \
         integer(8) :: mpiete_index1, mpiete_index2, mpiete_index3\n  do np = 1, 5\n  do me = 0, np - 1\n  \
         do n = -2, 23, 5\n  do nb = 1, 4\n",
    );
    for controls in NESTS.into_iter().chain(SELECTED) {
        let term = innermost_term(controls);
        let (begin, end) = begin_and_end(controls);
        source += &format!(
            "  found = 0\n{}\n  found = found + 1\n{end}  if (found /= max(0_8, int( &\n    {term}, 8))) \
             print *, '{}', np, me, n, nb, found, int( &\n    {term}, 8)\n",
            begin.join("\n"),
            controls.join("; ")
        );
    }
    source += "  end do\n  end do\n  end do\n  end do\nend program\n";
    prints_nothing("loop_sums", &source);
}

/// A sum over more iterations than it evaluates takes every k-th, which no number of ranks divides.
#[test]
fn long_sums_miss_no_rank() {
    let controls = &["j = 1, n", "if (mod(me - j, np) == 0)", "i = 1, nb"];
    let term = innermost_term(controls);
    let source = format!(
        "program check\n  implicit none\n  integer :: me, np, n, nb\n  integer(8) :: found\n  \
         integer(8) :: mpiete_index1\n  n = 3*2**20\n  nb = 1\n  do np = 1, 12\n  do me = 0, np - 1\n  found = int( &\n    \
         {term}, 8)\n  if (abs(found*np - n) > n/100) print *, np, me, found\n  end do\n  end do\nend program\n"
    );
    prints_nothing("long_sums", &source);
}

/// The last term of a nest, on lines that are not too long.
fn innermost_term(controls: &[&str]) -> String {
    let (found, depends) = terms(&nest(controls));
    assert!(!depends, "{controls:?}: {found:?}");
    let term = found.last().expect("a term");
    term.replace(" (/", " &\n    (/")
        .replace(", mpiete_index", ", &\n    mpiete_index")
}

/// Compiles and runs a program.
fn prints_nothing(name: &str, source: &str) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("check.f90"), source).expect("a source");
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
