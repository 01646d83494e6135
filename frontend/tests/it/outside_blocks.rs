//! Work that stands in no run of statements: in what statements with messages ask or pass, and in procedures that are called
//! where others communicate.

use crate::harness::analyse;
use base_data::block_table::BlockKind;

/// A program in a loop with messages, with a function that works and one that answers at once.
fn program(step: &str) -> String {
    format!(
        "module m
  type, abstract :: model
    real :: u(1000)
  contains
    procedure(stepping), deferred :: step
  end type
  abstract interface
    subroutine stepping(self)
      import model
      class(model), intent(inout) :: self
    end subroutine
  end interface
  type, extends(model) :: fluid
  contains
    procedure :: step => step_fluid
  end type
  type, extends(model) :: solid
  contains
    procedure :: step => step_solid
  end type
contains
  subroutine step_fluid(self)
    use mpi
    class(fluid), intent(inout) :: self
    integer :: ierr
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
  subroutine step_solid(self)
    class(solid), intent(inout) :: self
    self%u = self%u*2 !dispatched
  end subroutine
  real function norm(x)
    real, intent(in) :: x(:)
    integer :: i
    norm = 0 !norm
    do i = 1, size(x)
      norm = norm + x(i)**2
    end do
  end function
  integer function next(i)
    integer, intent(in) :: i
    next = i + 1 !next
  end function
end module
program t
  use mpi
  use m
  implicit none
  integer :: ierr, it, k
  real :: x(1000), g
  class(model), allocatable :: one
  call mpi_init(ierr)
  x = 1
  allocate (fluid :: one)
  do it = 1, 9
{step}
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
"
    )
}

/// Whether a compute block begins at a mark.
fn is_block(source: &str, mark: &str) -> bool {
    let analysed = analyse(source);
    let line = analysed
        .lines
        .iter()
        .position(|line| line.ends_with(mark))
        .expect("a mark") as u32
        + 1;
    let mut blocks = analysed.analysis.table.blocks.iter();
    blocks.any(|block| block.kind == BlockKind::Compute && block.span.first_line == line)
}

#[test]
fn functions_that_repeat_anything_are_blocks_where_statements_with_messages_ask_them() {
    for step in [
        "    if (norm(x) > 0) call mpi_barrier(mpi_comm_world, ierr)",
        "    if (norm(x) < 0) exit",
        "    if (norm(x) < 0) cycle",
        "    do while (norm(x) > k)\n      call mpi_barrier(mpi_comm_world, ierr)\n      k = k + 1\n    end do",
        "    call mpi_allreduce(norm(x), g, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)",
        "    do k = 1, int(norm(x))\n      call mpi_barrier(mpi_comm_world, ierr)\n    end do",
        "    select case (int(norm(x)))\n    case (3)\n      call mpi_barrier(mpi_comm_world, ierr)\n    end select",
    ] {
        let source = program(step);
        assert!(
            is_block(&source, "!norm") && !is_block(&source, "!next"),
            "{step}"
        );
    }
}

#[test]
fn functions_within_blocks_are_parts_of_these() {
    for step in [
        "    g = norm(x)",
        "    do k = 1, 5\n      if (norm(x) < k) exit\n      g = k\n    end do",
        "    call mpi_bcast(x, next(k), mpi_real, 0, mpi_comm_world, ierr)",
    ] {
        assert!(!is_block(&program(step), "!norm"), "{step}");
    }
    assert!(!is_block(
        &program("    call mpi_bcast(x, next(k), mpi_real, 0, mpi_comm_world, ierr)"),
        "!next"
    ));
}

#[test]
fn a_procedure_that_is_called_where_another_communicates_is_a_block() {
    assert!(is_block(&program("    call one%step()"), "!dispatched"));
}

/// Data at an address from MPI arrive with messages that do not name them.
#[test]
fn messages_contain_data_at_mpi_addresses() {
    for (buffer, more) in [
        ("mpi_bottom", ""),
        (
            "v",
            "  places(1) = places(1) - places(2)\n  places(2) = 0\n",
        ),
    ] {
        let analysed = analyse(&format!(
            "program t
  use mpi
  implicit none
  integer :: ierr, me, x(99), n, form
  real :: v(10)
  integer(mpi_address_kind) :: places(2)
  call mpi_init(ierr)
  n = 0
  call mpi_get_address(n, places(1), ierr)
  call mpi_get_address(v, places(2), ierr)
{more}  call mpi_type_create_struct(2, [1, 10], places, [mpi_integer, mpi_real], form, ierr)
  call mpi_type_commit(form, ierr)
  call mpi_bcast({buffer}, 1, form, 0, mpi_comm_world, ierr)
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
"
        ));
        assert!(
            analysed.levels().contains(&"MPI_Bcast payload".to_string()),
            "{:?}",
            analysed.levels()
        );
    }
}
