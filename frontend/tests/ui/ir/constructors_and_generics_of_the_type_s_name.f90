! ui: ir
! Constructors and generics of the type s name.
module m
  type t
    integer i
  end type
  interface t
    module procedure make
    end interface
  contains
    type(t) function make(a, b)
    real a, b
  end
end
subroutine s
  use m
  type(t) x
  x = t(1)
  x = t(1.0, 2.0)
end
