//! Why statements stay. Which ones stay is in `tests/ui/slice`.

use crate::harness::analyse;

/// Each kept statement says who needed it first, back to an MPI call.
#[test]
fn reasons_lead_to_the_criterion() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr, n, m
  call mpi_init(ierr)
  m = 2
  n = m
  call mpi_bcast(n, n, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
",
    );
    let why = |line: usize| {
        let index = (0..analysed.analysis.slice.kept.len())
            .find(|&i| analysed.line(i) == line)
            .unwrap();
        let reason = analysed.analysis.slice.reasons[index].clone().unwrap();
        (
            reason.because,
            reason.needed_by.map(|by| analysed.line(by.0 as usize)),
        )
    };
    assert_eq!(why(5), ("defines `m`".into(), Some(6)));
    assert_eq!(why(6), ("defines `n`".into(), Some(7)));
    assert_eq!(why(7), ("is an MPI call".into(), None));
}
