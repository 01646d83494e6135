//! Sections that are refused. Others are in `tests/ui/section`.

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
    analyse_with(
        SOURCE,
        &Options {
            section: Some(section),
            ..Options::default()
        },
    )
}

fn lines(file: &str, first: u32, last: u32) -> Analysed {
    find(SectionRequest::Lines {
        file: file.into(),
        first,
        last,
    })
}

#[test]
fn lines_of_several_procedures_are_no_section() {
    let analysed = lines("t.f90", 1, 999);
    assert!(analysed.analysis.section.is_none());
    let remarks = analysed.remarks();
    assert!(
        remarks.contains("lines 1-999 begin in t and end in solve"),
        "{remarks}"
    );
    assert!(remarks.contains("give lines up to 10,"), "{remarks}");
}

#[test]
fn missing_sections_are_reported() {
    for (analysed, sentence) in [
        (lines("t.f90", 9, 9), "no executable statement"),
        (lines("u.f90", 5, 9), "no such file"),
        (
            find(SectionRequest::Procedure("missing".into())),
            "no such procedure",
        ),
    ] {
        assert!(analysed.analysis.section.is_none() && analysed.analysis.is_refused());
        assert!(
            analysed.remarks().contains(sentence),
            "{}",
            analysed.remarks()
        );
    }
}

#[test]
fn an_entry_is_no_section() {
    let source = "program t\n  call later(1)\nend program\nsubroutine first(k)\n  integer :: k\n  k = 1\n  \
                  entry later(k)\n  k = 2\nend subroutine\n";
    for (name, entry) in [("LATER", true), ("late", false), ("first", false)] {
        let section = SectionRequest::Procedure(name.into());
        let remarks = analyse_with(
            source,
            &Options {
                section: Some(section),
                ..Options::default()
            },
        )
        .remarks();
        let sentence = format!("t.f90:7: {name} is an ENTRY of first");
        assert_eq!(remarks.contains(&sentence), entry, "{name}: {remarks}");
    }
}
