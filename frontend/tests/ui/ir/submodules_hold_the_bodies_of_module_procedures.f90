! ui: ir
! Submodules hold the bodies of module procedures.
submodule (m) n
contains
  module procedure f
    f = x + k
  end procedure
  module subroutine g(y)
    real y
    y = k
    call h
  end
  subroutine h
  end
end
module m
  integer k
  interface
    module function f(x)
      real x, f
    end
    module subroutine g(y)
      real y
    end
  end interface
end
subroutine s
  use m
  z = f(1.0)
  call g(z)
end
