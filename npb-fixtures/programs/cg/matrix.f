c     This rank's part of the matrix: the sum over I of OMEGA(I) times
c     the outer product of a sparse random vector with itself, OMEGA
c     falling from 1 to RCOND; element I of vector I is 1/2. The diagonal
c     is raised by RCOND - SHIFT. Every rank draws all vectors, so that
c     the matrix does not depend on the number of ranks.
      subroutine makea
      include 'cgdata.h'
      include 'matrix.h'
      integer i, n, k, l, place(nonzer+1), power
      double precision value(nonzer+1), omega, ratio, scaled, unused
      double precision deviat

      call reseed
      unused = deviat()

      power = 1
 10   if (power .ge. na) goto 20
      power = 2*power
      goto 10

 20   nentry = 0
      omega = 1.0d0
      ratio = rcond**(1.0d0/dble(na))
      do 50 i = 1, na
         call drawvc(na, power, nonzer, value, place)
         n = nonzer
         call setelt(i, 0.5d0, n, value, place)
         do 40 k = 1, n
            if (place(k).lt.col1 .or. place(k).gt.coln) goto 40
            scaled = omega*value(k)
            do 30 l = 1, n
               if (place(l).ge.row1 .and. place(l).le.rown)
     >            call addelt(place(l), place(k), value(l)*scaled)
 30         continue
 40      continue
         omega = omega*ratio
 50   continue

      do i = max(row1, col1), min(rown, coln)
         call addelt(i, i, rcond - shift)
      enddo
      call sparse
      return
      end

c     One more entry.
      subroutine addelt(row, col, elt)
      include 'cgdata.h'
      include 'matrix.h'
      integer row, col
      double precision elt

      nentry = nentry + 1
      if (nentry .gt. nz) then
         write (0, 900) me, nz
         stop 1
      endif
      arow(nentry) = row - row1 + 1
      acol(nentry) = col - col1 + 1
      aelt(nentry) = elt
      return
 900  format (' CG: rank ', i5, ' has more than ', i10, ' entries')
      end

c     A sparse vector of N elements with NONZ nonzeros in (0, 1) at
c     places all different, drawn in turn: value, place. A place comes
c     from a deviate times POWER, the smallest power of two not below N;
c     places beyond N and places met before are drawn again.
      subroutine drawvc(n, power, nonz, value, place)
      implicit none
      integer n, power, nonz, place(*)
      double precision value(*), newval, deviat
      integer filled, newplc, k

      filled = 0
 100  newval = deviat()
      newplc = int(deviat()*dble(power)) + 1
      if (newplc .gt. n) goto 100
      do 110 k = 1, filled
         if (place(k) .eq. newplc) goto 100
 110  continue
      filled = filled + 1
      value(filled) = newval
      place(filled) = newplc
      if (filled .lt. nonz) goto 100
      return
      end

c     Sets the element at PLC to ELT, whether it was nonzero or not.
      subroutine setelt(plc, elt, n, value, place)
      implicit none
      integer plc, n, place(*), k
      double precision elt, value(*)

      do k = 1, n
         if (place(k) .eq. plc) then
            value(k) = elt
            return
         endif
      enddo
      n = n + 1
      value(n) = elt
      place(n) = plc
      return
      end

c     Entries to rows: counted, put in their rows, and those of equal
c     place added up.
      subroutine sparse
      include 'cgdata.h'
      include 'matrix.h'
      integer j, k, kept, from, to, col, slot
      integer found(na)
      common /seen/ found

      do 10 j = 1, nrows + 1
         rowstr(j) = 0
 10   continue
      do 20 k = 1, nentry
         rowstr(arow(k)) = rowstr(arow(k)) + 1
 20   continue
c     Now the ends of the rows; filling from the end makes them starts.
      do 30 j = 2, nrows + 1
         rowstr(j) = rowstr(j) + rowstr(j-1)
 30   continue
      do 40 k = nentry, 1, -1
         slot = rowstr(arow(k))
         a(slot) = aelt(k)
         colidx(slot) = acol(k)
         rowstr(arow(k)) = slot - 1
 40   continue

      do 50 j = 1, ncols
         found(j) = 0
 50   continue
      kept = 0
      do 70 j = 1, nrows
         from = rowstr(j) + 1
         to = rowstr(j+1)
         rowstr(j) = kept + 1
         do 60 k = from, to
            col = colidx(k)
            if (found(col) .ge. rowstr(j)) then
               a(found(col)) = a(found(col)) + a(k)
            else
               kept = kept + 1
               found(col) = kept
               a(kept) = a(k)
               colidx(kept) = col
            endif
 60      continue
 70   continue
      rowstr(nrows+1) = kept + 1
      return
      end
