//! Where how much is computed depends on the order in which requests complete, by ways that do not name it: what
//! procedures read themselves, states of functions, sizes of arrays. Named each, with what is like it and is not.

use crate::harness::analyse;

const DECLARED: &str = "module shared
  use mpi
  integer, parameter :: n = 3
  integer :: list(n), statuses(mpi_status_size, n), number, total, last
  real :: w(1000)
contains
  subroutine first()
    integer :: j
    do j = 1, list(1)
      w(j) = 0
    end do
  end subroutine
  subroutine by_number()
    integer :: j
    do j = 1, number
      w(j) = 0
    end do
  end subroutine
  subroutine upto(many)
    integer :: many, j
    do j = 1, many
      w(j) = 0
    end do
  end subroutine
  integer function numbered()
    numbered = number
  end function
  integer function next()
    integer, save :: state = 0
    state = state + 1
    next = state
  end function
  integer function sum_with(more)
    integer :: more
    total = total + more
    sum_with = total
  end function
  integer function twice(of)
    integer :: of
    twice = 2 * of
  end function
  subroutine automatic(many)
    integer :: many
    real :: made(many)
    made = 1
    w(1) = sum(made)
  end subroutine
  subroutine text(many)
    integer :: many
    character(len=many) :: made
    made = 'a'
    print *, made
  end subroutine
  subroutine sized(array, many)
    integer :: many
    real :: array(many)
    array = array + 1
  end subroutine
end module
";

/// How many calls are named in a program that does this and has that declared.
fn found(body: &str) -> usize {
    let source = format!(
        "{DECLARED}program t
  use shared
  integer :: i, j, index, count, done, error, reqs(n)
  integer, allocatable :: made(:)
  character(len=100) :: line
  call mpi_init(error)
{body}
  call mpi_finalize(error)
end program
"
    );
    analyse(&source).analysis.time_dependent.len()
}

/// Of a loop over MPI_Waitsome with this for each request, and behind that.
fn some(each: &str, beside: &str) -> usize {
    found(&format!(
        "  done = 0
  do while (done < n)
    call mpi_waitsome(n, reqs, count, list, statuses, error)
    do number = 1, count
      {each}
    end do
    done = done + count
{beside}  end do"
    ))
}

/// Of a loop over MPI_Waitany with this for each request; `last` depends on the order.
fn any(each: &str) -> usize {
    found(&format!(
        "  do i = 1, n
    call mpi_waitany(n, reqs, index, mpi_status_ignore, error)
    last = last + index
    {each}
  end do"
    ))
}

#[test]
fn procedures_that_read_completed_indices_themselves() {
    let work = |bound: &str| format!("do j = 1, {bound}\n w(j) = 0\n end do");
    assert_eq!(some("call upto(list(number))", ""), 0);
    assert_eq!(some(&work("list(number)"), ""), 0);
    assert_eq!(some("call first()", ""), 1);
    assert_eq!(some("call by_number()", ""), 1);
    assert_eq!(some("if (list(number) == 2) call by_number()", ""), 1);
    assert_eq!(some("call upto(list(number) + numbered())", ""), 1);
    assert_eq!(some(&work("numbered()"), ""), 1);
}

/// How often that is made depends on time.
#[test]
fn what_is_made_beside_the_loop_over_requests() {
    let work = "do j = 1, last\n w(j) = 0\n end do";
    assert_eq!(some(work, ""), 0);
    assert_eq!(some(work, "    i = 3\n"), 0);
    assert_eq!(some(work, "    last = 3\n"), 1);
    assert_eq!(some(work, "    last = last + 1\n"), 1);
    assert_eq!(some(work, "    last = last + count * count\n"), 1);
    assert_eq!(some(work, "    i = 3\n    last = i\n"), 1);
}

#[test]
fn functions_with_a_state() {
    let guarded = |condition: &str| {
        format!("if ({condition}) then\n do j = 1, 100\n w(j) = 0\n end do\n end if")
    };
    assert_eq!(any(&guarded("twice(index) > 2")), 0);
    assert_eq!(any(&guarded("sum_with(index) > 2")), 1);
    assert_eq!(any(&guarded("index == next()")), 1);
    assert_eq!(any("w(1:twice(index)) = 0"), 0);
    assert_eq!(any("w(1:sum_with(index)) = 0"), 1);
    assert_eq!(any("call upto(twice(index))"), 0);
    assert_eq!(any("call upto(sum_with(index))"), 1);
    assert_eq!(any("call upto(twice(sum_with(index)))"), 1);
    assert_eq!(any("w(1) = sum_with(index)"), 0);
}

#[test]
fn order_dependent_array_sizes() {
    for (of_request, of_order) in [
        ("call automatic(index)", "call automatic(last)"),
        ("call text(index)", "call text(last)"),
        ("call sized(w, index)", "call sized(w, last)"),
        (
            "w(1) = sum([(w(j), j = 1, index)])",
            "w(1) = sum([(w(j), j = 1, last)])",
        ),
        (
            "w(1) = sum([w(index), w(2), w(3)])",
            "print *, (w(j), j = 1, last)",
        ),
        ("print *, index, last", "print *, (w(j), j = 1, 3, last)"),
        (
            "w(1) = sum(spread(w(2), 1, index))",
            "w(1) = sum(spread(w(2), 1, last))",
        ),
        ("line = repeat('a', index)", "line = repeat('a', last)"),
    ] {
        assert_eq!(any(of_request), 0, "{of_request}");
        assert_eq!(any(of_order), 1, "{of_order}");
    }
    let made = |size: &str| format!("allocate(made({size}))\n made = 1\n deallocate(made)");
    assert_eq!(any(&made("index")), 0);
    assert_eq!(any(&made("last")), 1);
    assert_eq!(any(&made("1:last")), 1);
}
