! ui: ir
! Associate and block.
subroutine s
  type(t) :: a(3)
  associate (x => a(2)%y, n => m)
    x(1) = n
  end associate
  block
    integer :: z(2)
    z(1) = m
  end block
end
