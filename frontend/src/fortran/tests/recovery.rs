//! A file with errors is analysed around them: units that cannot be read are kept whole, each with one error,
//! and the others are what they would be alone.

use super::{diagnostics_text, lower, same};
use crate::ir::dump;

#[track_caller]
fn check(path: &str, text: &str, expect: &str) {
    let (_, lowered) = lower(&[(path, text)]);
    let found = dump::procedures(&lowered.program);
    same(&(found + "\n" + &diagnostics_text(&lowered)), expect);
}

#[test]
fn an_if_that_is_not_closed() {
    check(
        "a.f90",
        "subroutine s(n)
integer :: n
n = 1
if (n > 0) then
n = 2
end subroutine s
subroutine t(k)
k = 3
end
",
        "subroutine s(n)
  opaque reads {n} writes {n}
subroutine t(k)
  k = 3
Error: a.f90:6: found 'end subroutine s', expected END IF of what begins at a.f90:4, in 'subroutine s(n)' at a.f90:1, which is kept whole: close it there
",
    );
}

#[test]
fn a_do_that_is_not_closed_in_fixed_form() {
    check(
        "a.f",
        "      subroutine s(n)
      do i = 1, n
      call f(i)
      end

      subroutine t(k)
      do 10 i = 1, k
   10 k = 3
      end
",
        "subroutine s(n)
  opaque reads {n} writes {n}
subroutine t(k)
  do i = 1, k to 10
    10: k = 3
Error: a.f:4: found 'end', expected END DO of what begins at a.f:2, in 'subroutine s(n)' at a.f:1, which is kept whole: close it there
",
    );
    check(
        "a.f",
        "      program p
      do 10 i = 1, n
      n = 2
      end
      subroutine t(k)
      k = 3
      end
",
        "main p()
  opaque reads {} writes {}
subroutine t(k)
  k = 3
Error: a.f:4: found 'end', expected END DO of what begins at a.f:2, in 'program p' at a.f:1, which is kept whole: close it there
",
    );
}

#[test]
fn an_end_too_many_or_of_another_construct() {
    check(
        "a.f90",
        "subroutine s(n)
n = 1
end if
end
subroutine t(k)
k = 3
end
",
        "subroutine s(n)
  opaque reads {n} writes {n}
subroutine t(k)
  k = 3
Error: a.f90:3: found 'end if', expected IF before it, in 'subroutine s(n)' at a.f90:1, which is kept whole: begin the construct or remove this line
",
    );
    check(
        "a.f90",
        "subroutine s(n)
if (n > 1) then
n = 1
end do
end
subroutine t(k)
k = 3
end
",
        "subroutine s(n)
  opaque reads {n} writes {n}
subroutine t(k)
  k = 3
Error: a.f90:4: found 'end do', expected END IF of what begins at a.f90:2, in 'subroutine s(n)' at a.f90:1, which is kept whole: close it there
",
    );
    check(
        "a.f90",
        "subroutine t(k)
k = 3
end
end module
subroutine u(k)
k = 4
end
",
        "subroutine t(k)
  k = 3
subroutine u(k)
  k = 4
Error: a.f90:4: found 'end module', expected a program unit before it: remove it
",
    );
}

#[test]
fn a_unit_without_end() {
    check(
        "a.f90",
        "subroutine s(n)
n = 1



subroutine t(k)
k = 3
end
",
        "subroutine s(n)
  opaque reads {n} writes {n}
subroutine t(k)
  k = 3
Error: a.f90:6: found 'subroutine t(k)', expected END SUBROUTINE of 'subroutine s(n)' at a.f90:1, which is kept whole: add it
",
    );
    check(
        "a.f90",
        "subroutine s(n)
n = 1
subroutine t(k)
k = 3
end subroutine t
",
        "subroutine s(n)
  opaque reads {n} writes {n}
subroutine t(k)
  k = 3
Error: a.f90:3: found 'subroutine t(k)', expected END SUBROUTINE of 'subroutine s(n)' at a.f90:1, which is kept whole: add it
",
    );
    check(
        "a.f90",
        "subroutine t(k)
k = 3
end
subroutine s(n)
n = 1
",
        "subroutine t(k)
  k = 3
subroutine s(n)
  n = 1
Error: a.f90:5: found the end of the file, expected END SUBROUTINE of 'subroutine s(n)' at a.f90:4: add it
",
    );
    check(
        "a.f90",
        "subroutine t(k)
k = 3
end function
subroutine s(n)
n = 1
end
",
        "subroutine t(k)
  k = 3
subroutine s(n)
  n = 1
Error: a.f90:3: found 'end function', expected END SUBROUTINE of 'subroutine t(k)' at a.f90:1: add it
",
    );
}

#[test]
fn inside_modules() {
    check(
        "a.f90",
        "module m
integer :: n
contains
subroutine s
do while (n < 3)
n = n + 1
end subroutine s
subroutine t
n = 4
end subroutine t
end module m
program p
use m
call t
end program p
",
        "subroutine s() in m
  opaque reads {n} writes {n}
subroutine t() in m
  n = 4
main p()
  call t()
Error: a.f90:7: found 'end subroutine s', expected END DO of what begins at a.f90:5, in 'subroutine s' at a.f90:4, which is kept whole: close it there
",
    );
    check(
        "a.f90",
        "module m
integer :: n
contains
subroutine t
n = 4
end subroutine t
program p
use m
call t
end program p
",
        "subroutine t() in m
  n = 4
main p()
  call t()
Error: a.f90:7: found 'program p', expected END MODULE of 'module m' at a.f90:1: add it
",
    );
    check(
        "a.f90",
        "module m
integer :: n
type t
integer :: i
contains
subroutine t
n = 4
end subroutine t
end module
subroutine u(k)
k = 4
end
",
        "subroutine t() in m
  n = 4
subroutine u(k)
  k = 4
Error: a.f90:5: found 'contains', expected END TYPE of what begins at a.f90:3, in 'module m' at a.f90:1, which is kept whole: close it there
",
    );
    check(
        "a.f90",
        "module m
interface
subroutine x
end subroutine
contains
subroutine t
n = 4
end subroutine t
end module
subroutine u(k)
k = 4
end
",
        "subroutine t() in m
  n = 4
subroutine u(k)
  k = 4
Error: a.f90:5: found 'contains', expected END INTERFACE of what begins at a.f90:2, in 'module m' at a.f90:1, which is kept whole: close it there
",
    );
    check(
        "a.f90",
        "subroutine s(n,
n = 4
end subroutine s
subroutine u(k)
k = 4
end
",
        "subroutine u(k)
  k = 4
Error: a.f90:1: found 'subroutine s(n,', expected a statement of Fortran, in 'subroutine s(n,' at a.f90:1, which is kept whole: correct it
",
    );
}
