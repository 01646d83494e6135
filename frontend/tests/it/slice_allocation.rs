//! What the slice keeps so that arrays are allocated, and as large as they should be, where assignments may do that.

use crate::harness::check_kept;

/// A program that broadcasts as many numbers as `a` has, after `body`.
fn check(body: &str) {
    check_kept(&format!(
        "program t
  use mpi
  type box
    real, allocatable :: a(:)
  end type
  type(box) :: o, tiles(2)
  real, allocatable :: a(:), b(:)
  character(:), allocatable :: c
  real :: x, y(9)
  integer :: ierr, n, k
  call mpi_init(ierr) !+
{body}  call mpi_finalize(ierr) !+
end program
"
    ));
}

const OF_A: &str = "  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr) !+\n";

/// Neither a scalar nor an expression of the array itself gives it another shape.
#[test]
fn assignments_that_leave_the_shape_go() {
    for value in [
        "0",
        "x",
        "y(3) * x",
        "a",
        "-a",
        "a * x + y",
        "x + (a + 1) ** 2",
        "sqrt(a)",
        "x - max(2 * a, y)",
    ] {
        check(&format!(
            "  x = 3\n  y = 4\n  allocate (a(4)) !+\n  a = {value}\n{OF_A}"
        ));
    }
    for value in ["0", "o%a + x * a", "exp(-o%a)"] {
        let of_part = OF_A.replace("size(a)", "size(o%a)");
        check(&format!(
            "  x = 3\n  allocate (o%a(4)) !+\n  o%a = {value}\n{of_part}"
        ));
    }
    let of_tile = OF_A.replace("size(a)", "size(tiles(k)%a)");
    check(&format!(
        "  k = 1 !+\n  allocate (tiles(k)%a(4)) !+\n  tiles(k)%a = 2 * tiles(k)%a\n{of_tile}"
    ));
}

/// All other values may.
#[test]
fn assignments_that_may_allocate_stay() {
    for value in [
        "[1, 2]",
        "b",
        "2 * b",
        "a(2:)",
        "pack(a, a > 0)",
        "y(:3)",
        "sqrt(b)",
        "o%a",
    ] {
        check(&format!(
            "  allocate (a(4), b(3)) !+\n  a = {value} !+\n{OF_A}"
        ));
    }
    for target in [
        "o%a = [1, 2]",
        "o = box([1, 2])",
        "o%a = tiles(1)%a",
        "o%a = 2 * o%a(2:)",
    ] {
        check(&format!(
            "  {target} !+\n{}",
            OF_A.replace("size(a)", "size(o%a)")
        ));
    }
    check(&format!(
        "  c = 'abc' !+\n  c = c // 'd' !+\n{}",
        OF_A.replace("size(a)", "len(c)")
    ));
}
