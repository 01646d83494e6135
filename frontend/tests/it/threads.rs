//! OpenMP's parallel regions and settings: what slices keep of them, and what is remarked. Which lines are
//! conditional is tested where they are read.

use frontend::Analysis;
use frontend::options::Options;
use frontend::source::{Reading, Sources};

/// Of a file whose directives make threads, or do not.
fn analyse(source: &str, threads: bool) -> Analysis {
    let mut sources = Sources::default();
    sources.add_as(
        "t.f90",
        source.as_bytes(),
        Reading {
            threads,
            ..Reading::default()
        },
    );
    frontend::analyze(&mut sources, &Options::default(), &|_, _| None)
}

/// Lines of the diagnostics and of the regions that a slice reports.
#[track_caller]
fn check(source: &str, remarks: &[(u32, &str)], regions: &[(u32, u32)]) {
    let found = analyse(source, true);
    let line = |offset: u32| 1 + source[..offset as usize].matches('\n').count() as u32;
    let reported: Vec<(u32, &str)> = found
        .diagnostics
        .iter()
        .map(|said| {
            (
                line(said.span.expect("a place").start),
                said.sentence.as_str(),
            )
        })
        .collect();
    assert_eq!(reported.len(), remarks.len(), "{reported:?}");
    for ((line, word), (at, sentence)) in remarks.iter().zip(&reported) {
        assert!(
            line == at && sentence.contains(word),
            "{line}: {word} is missing in {reported:?}"
        );
    }
    let asked: Vec<_> = found
        .parallel_regions
        .iter()
        .map(|one| (line(one.begin), line(one.end)))
        .collect();
    assert_eq!(asked, regions);
    let serial = analyse(source, false);
    assert!(
        serial.parallel_regions.is_empty() && serial.diagnostics.is_empty(),
        "{:?}",
        serial.diagnostics
    );
}

#[test]
fn regions_in_the_slice_are_reported_if_the_number_of_threads_is_queried() {
    let program = "program t
  use mpi
  use omp_lib
  integer :: ierr, n
  real :: x(9)
  !$omp parallel &
  !$omp shared(n)
  !$omp master
  n = ASKED
  !$omp end master
  !$omp end parallel
  !$omp parallel
  x = 0
  !$omp end parallel
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
end program
";
    check(
        &program.replace("ASKED", "omp_get_num_threads()"),
        &[],
        &[(8, 11)],
    );
    check(
        &program.replace("ASKED", "merge(1, 2, omp_in_parallel())"),
        &[],
        &[(8, 11)],
    );
    check(&program.replace("ASKED", "3"), &[], &[]);
}

#[test]
fn queries_of_the_number_of_threads_are_reported() {
    check(
        "program t
  use mpi
  use omp_lib
  integer :: ierr, n, m, k, l
  m = 0
  k = 0
  n = 1
  !$omp parallel num_threads(2) reduction(+: k, m)
  if (omp_get_thread_num() == 0) n = omp_get_num_threads()
  k = k + 1
  l = omp_get_thread_num()
  !$omp end parallel
  !$omp parallel if(n > 1) reduction(+: m)
  !$omp do
  do l = 1, n
    m = m + 1
  end do
  !$omp single
  m = m + 2
  !$omp end single
  !$omp end parallel
  do l = 1, m + n + k
    call mpi_barrier(mpi_comm_world, ierr)
  end do
end program
",
        &[
            (8, "from its NUM_THREADS"),
            (9, "thread 0 alone"),
            (10, "computes k as one thread"),
        ],
        &[(9, 12), (14, 21)],
    );
}
