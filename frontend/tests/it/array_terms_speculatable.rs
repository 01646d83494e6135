//! How many elements statements go over is asked at a block's entry only where that has an answer whatever the program
//! finds before it comes to the array, or wherever the program comes for certain.

use crate::harness::terms;

fn program(statements: &str) -> String {
    format!(
        "program t
  use mpi
  type box
    integer :: cells
    real, allocatable :: held(:)
    real, pointer :: lent(:)
    real :: part(10)
    character(20) :: name
  end type
  integer :: ierr, i, j, n, me, none, few(3)
  integer, pointer :: named
  integer, allocatable :: made
  type(box) :: one, many(10)
  type(box), pointer :: boxed
  real, allocatable :: free(:)
  real, pointer :: lent(:)
  real :: x(100), y(100), z
  logical :: flag
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  flag = me > 3
  none = me - 1
  few = me
  read *, x, y, z
  call mpi_barrier(mpi_comm_world, ierr)
{statements}
  call mpi_finalize(ierr)
contains
  real function swept(k)
    integer, intent(in) :: k
    integer :: l
    swept = 0
    do l = 1, k
      swept = swept + x(l)
    end do
  end function
  subroutine given(k, u, v)
    integer, intent(in), optional :: k
    real, intent(in), optional :: u(:)
    integer, intent(in) :: v
    call mpi_barrier(mpi_comm_world, ierr)
    z = z + 1 !given
    if (present(k) .and. sum(x(1:k)) > 0) z = 1
    call mpi_barrier(mpi_comm_world, ierr)
    z = z + 1 !shaped
    if (present(u)) z = sum(u(1:size(u)))
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
end program
"
    )
}

/// Bounds that have no answer in some state of the program.
const UNSAFE: [&str; 5] = ["size(lent)", "few(none)", "named", "made", "boxed%cells"];

/// The names in an expression.
fn names(expression: &str) -> impl Iterator<Item = &str> {
    let words = expression.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic()))
}

/// A block in which an array stands that has a bound.
fn guarded(form: &str, bound: &str) -> String {
    program(&format!("  z = z + 1 !block\n{}", form.replace('@', bound)))
}

#[test]
fn non_speculatable_bounds_are_no_terms_where_they_may_not_be_reached() {
    for bound in UNSAFE {
        for form in [
            "  if (flag) then\n    z = 2\n  else if (any(x(1:@) > 0)) then\n    z = 3\n  end if",
            "  if (flag .and. any(x(1:@) > 0)) z = 3",
            "  if (flag .or. sum(x(1:@)) > 0) z = 3",
            "  z = merge(sum(x(1:@)), 0.0, flag)",
            "  z = maxval(x(1:@), flag .and. x(1:@) > 0)",
            "  if (flag) z = sum(x(1:@))",
            "  if (flag) x(1:@) = 3",
            "  if (allocated(free) .and. associated(lent)) then\n    z = sum(x(1:@))\n  end if",
            "  where (x(1:@) > 0) x(1:@) = 3",
            "  do i = 1, 3\n    if (flag) cycle\n    z = z + sum(x(1:@))\n  end do",
            "  do i = 1, 3\n    if (flag) exit\n    z = z + sum(x(1:@))\n  end do",
            "  select case (me)\n  case (1)\n    z = sum(x(1:@))\n  end select",
            "  if (flag) goto 10\n  z = sum(x(1:@))\n10 continue",
            "  print *, (sum(x(1:@)), i = 1, n - 2)",
        ] {
            let (found, data_dependent) = terms(&guarded(form, bound));
            let is_asked = found
                .iter()
                .any(|term| names(term).any(|name| names(bound).any(|other| other == name)));
            assert!(!is_asked && data_dependent, "{bound}, {found:?}:\n{form}");
        }
    }
}
