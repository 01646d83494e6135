//! Names that modules keep to themselves: which one of several with the same name a statement means.

use crate::harness::check_kept;
use crate::work_terms::check;

#[test]
fn a_private_variable_hides_no_public_one() {
    check_kept(
        "module a
  integer :: n
end module
module b
  implicit none
  private
  integer :: n = 0
  public :: count_up
contains
  subroutine count_up()
    n = n + 1
  end subroutine
end module
module c
  integer, private :: n = 3
  real :: z
end module
program t
  use mpi
  use a
  use b
  use c
  integer :: ierr, x(9)
  n = 5 !+
  call count_up()
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

#[test]
fn a_name_that_is_public_in_a_private_module_is_meant() {
    check_kept(
        "module a
  private
  integer, public :: n
  integer :: m
  public m
end module
program t
  use mpi
  use a
  integer :: ierr, x(9)
  n = 5 !+
  m = 6 !+
  call mpi_bcast(x, n, mpi_integer, m, mpi_comm_world, ierr) !+
end program
",
    );
}

/// Specific procedures of generic names, and operators, are looked for where the interface stands.
#[test]
fn private_procedures_of_one_name_are_distinguished() {
    check_kept(
        "module a
  implicit none
  private
  interface send_all
    module procedure by_number, by_value
  end interface
  public :: send_all
contains
  subroutine by_number(k)
    integer, intent(inout) :: k
    k = k + 5 !+
  end subroutine
  subroutine by_value(k)
    real, intent(inout) :: k
    k = k + 1
  end subroutine
end module
module b
  implicit none
  private
  interface receive_all
    module procedure by_number, by_value
  end interface
  public :: receive_all
contains
  subroutine by_number(k)
    integer, intent(inout) :: k
    k = k*2 !+
  end subroutine
  subroutine by_value(k)
    real, intent(inout) :: k
    k = k - 1
  end subroutine
end module
program t
  use mpi
  use a
  use b
  integer :: ierr, x(99), k
  k = 1 !+
  call send_all(k) !+
  call receive_all(k) !+
  call mpi_bcast(x, k, mpi_integer, 0, mpi_comm_world, ierr) !+
end program
",
    );
}

/// A caller that does not mention a module's variable can name it if it uses the module.
#[test]
fn a_bound_in_a_module_is_known_to_those_who_use_it() {
    check(&stepping("integer :: n", "use field"), &["n"], false);
    check(
        &stepping("integer :: n", "use field, only: step, n"),
        &["n"],
        false,
    );
}

#[test]
fn a_bound_is_not_known_where_its_name_means_nothing_or_something_else() {
    check(&stepping("integer, private :: n", "use field"), &[], true);
    check(
        &stepping("integer :: n", "use field, only: step"),
        &[],
        true,
    );
    check(
        &stepping("integer :: n", "use other\n  use field"),
        &[],
        true,
    );
    check(
        &stepping("integer :: n", "use field\n  use other"),
        &[],
        true,
    );
    check(
        &stepping("integer :: n", "use field, only: step, k => n"),
        &[],
        true,
    );
}

fn stepping(declaration: &str, used: &str) -> String {
    format!(
        "module other
  integer :: n = 4
end module
module field
  implicit none
  {declaration}
  real :: w(1000)
contains
  subroutine set(k)
    integer, intent(in) :: k
    n = k
  end subroutine
  subroutine step()
    integer :: i
    do i = 1, n
      w(i) = w(i)*1.01
    end do
  end subroutine
end module
subroutine prepare(k)
  use field, only: set
  integer, intent(in) :: k
  call set(k)
end subroutine
program t
  use mpi
  {used}
  integer :: ierr, me
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call prepare(me)
  call mpi_barrier(mpi_comm_world, ierr)
  call step() !block
  call mpi_barrier(mpi_comm_world, ierr)
end program
"
    )
}
