! ui: ir
! Inside modules.
!case 1
module m
integer :: n
contains
subroutine s
do while (n < 3)
n = n + 1
end subroutine s
subroutine t
!case 2
module m
integer :: n
contains
subroutine t
!case 3
module m
integer :: n
type t
integer :: i
contains
subroutine t
!case 4
module m
interface
subroutine x
end subroutine
contains
subroutine t
!case 5
subroutine s(n,
!end case
n = 4
!case 1
end subroutine t
end module m
program p
use m
call t
end program p
!case 2
end subroutine t
program p
use m
call t
end program p
!case 3 4
end subroutine t
end module
subroutine u(k)
k = 4
end
!case 5
end subroutine s
subroutine u(k)
k = 4
end
!end case
