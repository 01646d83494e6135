! ui: ir
! Generics are resolved by type kind rank and number.
module m
  use iso_fortran_env
  interface g
    module procedure g4, g8, gv, go
    end interface
  contains
    subroutine g4(x)
      real(real32) x
    end
    subroutine g8(x)
      real(real64) x
    end
    subroutine gv(x)
      real(real64) x(:)
    end
    subroutine go(i, j)
      integer i
      integer, optional :: j
    end
  end
  subroutine s
    use m
!case 1
    real(8) v(3), w(3, 3)
    call g(1.0)
    call g(v(1))
    call g(v)
    call g(w(:, 1))
    call g(3)
    call g(3, j=4)
    call g(real(3))
    call g(2*v)
    call g(sqrt(v(2)))
!case 2
    use elsewhere
    call g(y(1))
!end case
  end
