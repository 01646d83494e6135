! ui: ir
! Operators are renamed by use.
module m
!case 1
  integer k, l
  interface operator(.dot.)
    module procedure dot
    end interface
  contains
    real function dot(x, y)
      real, intent(in) :: x(:), y(:)
      dot = 1
    end
  end
  subroutine s
    use m, only: operator(.by.) => operator(.dot.)
    real p(3), q(3)
    z = p .by. q
  end
!case 2
  integer k, l
  interface operator(.dot.)
    module procedure dot
    end interface
  contains
    real function dot(x, y)
      real, intent(in) :: x(:), y(:)
      dot = 1
    end
  end
  subroutine s
    use m, operator( .by. )=>operator(.dot.)
    real p(3), q(3)
    z = p .by. q
  end
!case 3
integer k, l
interface operator(.dot.)
module procedure dot
end interface
contains
real function dot(x, y)
real, intent(in) :: x(:), y(:)
dot = 1
end
end
subroutine s
use m, only: k, OPERATOR(.by.) => &
  operator(.DOT.), n => l
real p(3), q(3)
z = p .by. q
end
!end case
