! ui: ir
! Types with one name in two modules are two.
module a
  type t
  contains
    procedure :: f => fa
  end type
contains
  subroutine fa(x)
    class(t) :: x
  end
end
module b
  type t
  contains
    procedure :: f => fb
  end type
contains
  subroutine fb(x)
    class(t) :: x
  end
end
subroutine s
  use a
  use b, only: other => t
  type(t) :: x
  type(other) :: y
  call x%f
  call y%f()
end
