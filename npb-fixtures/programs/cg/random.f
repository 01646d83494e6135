c     The generator x(k+1) = 5**13 x(k) mod 2**46; deviates x(k)/2**46.

c     Back to the start of the sequence.
      subroutine reseed
      implicit none
      integer*8 state
      common /lcg/ state

      state = 314159265
      return
      end

c     The next deviate. The product is made from halves of 23 bits, so
c     that nothing overflows 63 bits.
      double precision function deviat()
      implicit none
      integer*8 state, low23, low46, mult, high, low
      common /lcg/ state
      double precision unit
      parameter (low23 = 8388607_8, low46 = 70368744177663_8)
      parameter (unit = 0.5d0**46)
      data mult /1220703125/

      high = iand(mult*ishft(state, -23), low23)
      low = mult*iand(state, low23)
      state = iand(ishft(high, 23) + low, low46)
      deviat = unit*dble(state)
      return
      end
