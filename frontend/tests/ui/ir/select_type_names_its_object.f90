! ui: ir
! Select type names its object.
module shapes
  type shape
    integer :: n
    integer, pointer :: data(:)
    procedure(work), pointer, nopass :: hook => null()
  contains
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
  class(shape) :: o
  class(*) :: any
  select type (p => o)
  type is (circle)
  k = p%area()
  class default
  k = 0
end select
select type (any)
type is (integer)
k = any
end select
end
