! ui: ir
! Operators and assignments of the program.
!case 1
module shapes
  type shape
    integer :: n
    integer, pointer :: data(:)
    procedure(work), pointer, nopass :: hook => null()
!case 2
module m
  interface operator(.dot.)
    module procedure dot
    end interface
!end case
  contains
!case 1
    procedure :: area => shape_area
    procedure :: grow
    procedure, nopass :: count => counted
    procedure, pass(self) :: add
    procedure :: add_two
    generic :: more => add, add_two
    generic :: operator(+) => sum
    procedure :: sum
    generic :: assignment(=) => take
    procedure :: take
  end type
  type, extends(shape) :: circle
    type(shape) :: inner(3)
  contains
    procedure :: area => circle_area
  end type
contains
  integer function shape_area(this)
    class(shape) :: this
    shape_area = 1
  end function
  integer function circle_area(this)
    class(circle) :: this
    circle_area = 2
  end function
  subroutine grow(this, by)
    class(shape) :: this
    integer :: by
  end subroutine
  integer function counted(i)
    integer :: i
    counted = i
  end function
  subroutine add(i, self)
    class(shape) :: self
    integer :: i
  end subroutine
  subroutine add_two(self, x, y)
    class(shape) :: self
    real :: x, y
  end subroutine
  function sum(a, b)
    class(shape), intent(in) :: a, b
    type(shape) :: sum
  end function
  subroutine take(a, b)
    class(shape), intent(out) :: a
    integer, intent(in) :: b
  end subroutine
end module
subroutine s
  use shapes
  type(shape) :: a, b, c
  c = a + b
  a = 1
  i = 1 + 2
end
!case 2
    real function dot(x, y)
      real, intent(in) :: x(:), y(:)
      dot = 1
    end
  end
  subroutine s
    use m, only: operator(.dot.)
    real p(3), q(3)
    z = p .dot. q
  end
!end case
