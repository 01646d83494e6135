//! The section to be predicted.

use crate::harness::{Analysed, analyse_with};
use frontend::options::{Options, SectionRequest};

const SOURCE: &str = "program t
  use mpi
  integer :: ierr, i
  call mpi_init(ierr)
  do i = 1, 3
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call solve(i)

  call mpi_finalize(ierr)
end program
subroutine solve(i)
  use mpi
  integer :: i, ierr
  if (i > 7) return
  call mpi_barrier(mpi_comm_world, ierr)
end subroutine
";

fn find(section: SectionRequest) -> Analysed {
    analyse_with(SOURCE, &Options { section: Some(section), ..Options::default() })
}

fn lines(file: &str, first: u32, last: u32) -> Analysed {
    find(SectionRequest::Lines { file: file.into(), first, last })
}

fn ends(analysed: &Analysed) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
    let place = analysed.analysis.section.as_ref().expect("a section");
    let at =
        |list: &[frontend::ir::StatementId]| list.iter().map(|id| analysed.line(id.0 as usize)).collect();
    (at(&place.begin_before), at(&place.end_after), at(&place.end_before))
}

#[test]
fn lines_are_whole_statements() {
    assert_eq!(ends(&lines("t.f90", 5, 9)), (vec![5], vec![8], vec![]));
    // A construct that ends outside is not in it, its body is.
    assert_eq!(ends(&lines("t.f90", 6, 6)), (vec![6], vec![6], vec![]));
}

#[test]
fn a_procedure_ends_at_each_return_and_at_its_end() {
    assert_eq!(ends(&find(SectionRequest::Procedure("SOLVE".into()))), (vec![15], vec![16], vec![15]));
}

#[test]
fn what_is_not_there_is_said() {
    for (analysed, sentence) in [
        (lines("t.f90", 9, 9), "no executable statement"),
        (lines("u.f90", 5, 9), "no such file"),
        (find(SectionRequest::Procedure("nobody".into())), "no such procedure"),
    ] {
        assert!(analysed.analysis.section.is_none() && analysed.analysis.is_refused());
        assert!(analysed.remarks().contains(sentence), "{}", analysed.remarks());
    }
}
