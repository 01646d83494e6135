! ui: diagnostics
! A file may contain a submodule alone: that its parent is missing is another error.
submodule (m) s
contains
  module subroutine work(n)
    integer, intent(in) :: n
    print *, n
  end subroutine
end submodule
