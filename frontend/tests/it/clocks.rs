//! Which decisions depend on clocks, random numbers without a seed and what else is another one in each run, and how they
//! are told. What depends on the order of messages is in [`crate::time_dependence`].

use crate::harness::analyse;
use crate::time_dependence::{DECLARED, analysed};

/// All clocks are clocks; random numbers without a seed differ in each run. Neither is predicted.
#[test]
fn whatever_reads_a_clock_decides() {
    let is_named = |body: &str| {
        let analysed = analysed(body);
        let is_refused = !analysed.analysis.time_dependent.is_empty();
        assert_eq!(
            is_refused,
            analysed
                .remarks()
                .contains("decides here which MPI calls are made"),
            "{body}"
        );
        is_refused
    };
    let decides = "  if (y > 2) call mpi_barrier(mpi_comm_world, error)\n";
    for clock in [
        "call cpu_time(y)",
        "y = omp_get_wtime()",
        "call random_number(y)",
    ] {
        assert!(is_named(&format!("  {clock}\n{decides}")), "{clock}");
    }
    assert!(is_named(
        "  call system_clock(k)\n  if (k > 2) call mpi_barrier(mpi_comm_world, error)"
    ));
    let date = "  call date_and_time(values=table)\n  if (table(1) > 2) call mpi_barrier(mpi_comm_world, error)";
    assert!(is_named(date));
    assert!(!is_named(&format!(
        "  call random_seed(put=table)\n  call random_number(y)\n{decides}"
    )));
    assert!(!is_named("  call cpu_time(y)\n  print *, y"));
}

/// Compilers' own clocks, as functions and as subroutines; a procedure of the program may have their names.
#[test]
fn clocks_of_compilers_are_clocks() {
    let is_named = |body: &str| !analysed(body).analysis.time_dependent.is_empty();
    for clock in ["etime(x, y)", "dtime(x, y)", "second(y)"] {
        let body =
            format!("  call {clock}\n  if (y > 2) call mpi_barrier(mpi_comm_world, error)\n");
        assert!(is_named(&body), "{clock}");
    }
    for clock in [
        "call itime(table)",
        "call idate(table)",
        "y = etime(table)",
        "table = time8()",
    ] {
        let body =
            format!("  {clock}\n  if (table(2) > 2) call mpi_barrier(mpi_comm_world, error)\n");
        assert!(is_named(&body), "{clock}");
    }
    // An array that a clock writes is no computed data.
    let exit = "  do i = 1, n\n    call etime(x, y)\n    if (y > 2) exit\n    call mpi_barrier(mpi_comm_world, error)\n  end do\n";
    assert!(is_named(exit));
    let broken = "  m = time()\n  call ltime(m, table)\n  do i = 1, table(1)\n    call mpi_barrier(mpi_comm_world, \
                  error)\n  end do\n";
    assert!(is_named(broken));
    assert!(!is_named(&broken.replace("m = time()", "m = 3")));
    assert!(is_named(&broken.replace("m = time()", "m = getpid()")));
    let own = "  call second(y)\n  if (y > 2) call mpi_barrier(mpi_comm_world, error)\n  call mpi_finalize(error)\n\
               end program\nsubroutine second(y)\n  real :: y\n  y = 3\nend subroutine\n";
    let analysed = analyse(&format!("{DECLARED}{own}"));
    assert!(
        analysed.analysis.time_dependent.is_empty(),
        "{}",
        analysed.remarks()
    );
}

/// What begins random numbers must be the same each time: PUT=, or REPEATABLE as a constant.
#[test]
fn random_seeds_are_kept() {
    let is_named = |seed: &str| {
        let body = format!(
            "  {seed}\n  call random_number(y)\n  if (y > 2) call mpi_barrier(mpi_comm_world, error)\n"
        );
        !analysed(&body).analysis.time_dependent.is_empty()
    };
    assert!(is_named("call random_init(.false., .false.)"));
    assert!(is_named(
        "call random_init(image_distinct=.true., repeatable=.false.)"
    ));
    assert!(is_named("call random_init(flag, .true.)"));
    assert!(!is_named("call random_init(.true., .false.)"));
    assert!(!is_named(
        "call random_init(image_distinct=.false., repeatable=.TRUE.)"
    ));
    assert!(is_named("call random_seed(size=k)"));
    assert!(is_named("call random_seed()"));
    assert!(!is_named(
        "call random_seed(size=k)\n  call random_seed(put=table)"
    ));
    assert!(is_named(
        "call system_clock(k)\n  table = k\n  call random_seed(put=table)"
    ));
}

/// A decision is reported with its own place and the clock readings that reach it, and no others.
#[test]
fn clock_decisions_list_their_readings() {
    let found = |body: &str| {
        let analysed = analysed(body);
        let places = analysed.analysis.time_dependent.iter();
        let reported = places.map(|place| {
            let ends = place
                .reason
                .split("the data read at ")
                .nth(1)
                .unwrap_or_default();
            (
                analysed.analysis.sites[place.site.0 as usize].function.name,
                ends.to_string(),
            )
        });
        reported.collect::<Vec<_>>()
    };
    let body = "  call cpu_time(y)
  sum = mpi_wtime()
  call mpi_barrier(mpi_comm_world, error)
  if (y > 1) m = 2
  x = sum
  call mpi_bcast(x, m, mpi_real, 0, mpi_comm_world, error)
  call random_number(y)
  k = int(y)
  do i = 1, k
    call mpi_barrier(mpi_comm_world, error)
  end do";
    let expected = [
        ("MPI_Bcast", "t.f90:10 determine t.f90:13"),
        ("MPI_Barrier", "t.f90:16 determine t.f90:18"),
    ];
    assert_eq!(
        found(body),
        expected.map(|(name, ends)| (name, ends.to_string()))
    );
    let body = "  sum = mpi_wtime()\n  if (sum > 1) call mpi_barrier(mpi_comm_world, error)";
    assert_eq!(
        found(body),
        [("MPI_Wtime", "t.f90:10 determine t.f90:11".to_string())]
    );
}

/// A time that is written to a file and read from it is one still; other files, and what is written after all is
/// read, carry none.
#[test]
fn times_pass_through_files_of_the_program() {
    let is_named = |body: &str| !analysed(body).analysis.time_dependent.is_empty();
    let decides = "  do i = 1, k\n    call mpi_barrier(mpi_comm_world, error)\n  end do\n";
    let whole = |first: &str, second: &str| is_named(&format!("{first}\n{second}\n{decides}"));
    let write = "  open (20, file='a')\n  write (20, *) mpi_wtime()";
    assert!(whole(write, "  rewind (20)\n  read (20, *) k"));
    assert!(whole(
        write,
        "  close (20)\n  open (n, file='a')\n  read (n, *) k"
    ));
    assert!(!whole(write, "  open (n, file='b')\n  read (n, *) k"));
    assert!(!whole(
        "  open (20, file='b')\n  read (20, *) k\n  close (20)",
        write
    ));
    assert!(is_named(&format!(
        "  do j = 1, 2\n  read (20, *) k\n  write (20, *) mpi_wtime()\n{decides}  end do\n"
    )));
}
