! ui: ir
! Attributes are given in blocks.
subroutine s

  block
    integer :: n
!case 1
    volatile :: n
!case 2
    asynchronous n
!case 3
    VOLATILE n
!end case
    n = 1
  end block
end
