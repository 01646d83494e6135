! ui: ir
! Bodies of interfaces are no suspects.
module m
  abstract interface
    subroutine a(x)
      import
      real x
    end subroutine
    function b() result(c)
      real c
    end function
  end interface
contains
  subroutine s
    i = = 1
  end subroutine
end module
