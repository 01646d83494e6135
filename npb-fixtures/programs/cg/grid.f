c     The grid of ranks: NPROWS by NPCOLS, both powers of two, equal or
c     NPCOLS twice NPROWS. Rank R stands in row R/NPCOLS.
      subroutine mkgrid
      include 'cgdata.h'
      include 'mpif.h'
      integer ierr, l2

      l2 = 0
 10   if (2**l2 .lt. nranks) then
         l2 = l2 + 1
         goto 10
      endif
      if (2**l2 .ne. nranks) then
c        The barrier lets the sentence out before anybody ends the run.
         if (me .eq. 0) write (0, 900) nranks
         call MPI_Barrier(MPI_COMM_WORLD, ierr)
         call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
         stop
      endif

      l2cols = (l2 + 1)/2
      npcols = 2**l2cols
      nprows = nranks/npcols
      myrow = me/npcols
      mycol = mod(me, npcols)
      call mkslic
      call prtnrs
      return
 900  format (' CG needs a power of two of ranks, not ', i5)
      end

c     Shares out rows and columns. Where there are twice as many columns
c     of ranks as rows, a slice of rows has two slices of columns as its
c     halves, so that a sum over a row of the grid can be cut to the
c     half that is needed.
      subroutine mkslic
      include 'cgdata.h'
      integer whole

      call share(na, nprows, myrow, row1, nrows)
      rown = row1 + nrows - 1
      if (npcols .eq. nprows) then
         call share(na, npcols, mycol, col1, ncols)
         mypos = 0
         mylen = nrows
      else
         call share(na, nprows, mycol/2, col1, whole)
         call half(whole, mod(mycol, 2), mypos, ncols)
         col1 = col1 + mypos
         call half(nrows, mod(mycol, 2), mypos, mylen)
      endif
      coln = col1 + ncols - 1
      return
      end

c     Share number K (from 0) of 1..N cut in PARTS nearly equal ones.
      subroutine share(n, parts, k, first, length)
      implicit none
      integer n, parts, k, first, length, extra

      length = n/parts
      extra = mod(n, parts)
      first = k*length + min(k, extra) + 1
      if (k .lt. extra) length = length + 1
      return
      end

c     Half number K (0 or 1) of LENGTH, as offset and length.
      subroutine half(length, k, pos, len)
      implicit none
      integer length, k, pos, len

      if (k .eq. 0) then
         pos = 0
         len = (length + 1)/2
      else
         pos = (length + 1)/2
         len = length/2
      endif
      return
      end

c     Partners of a sum over the row of the grid, one per bit of the
c     column. In a grid that is not square the first step swaps halves
c     (the partner has the other one), the later ones add up own halves.
c     The partner of the transpose exchange has, as its columns, what
c     this rank has of its row's sum, and the other way round.
      subroutine prtnrs
      include 'cgdata.h'
      integer i, bit, other

      bit = 1
      do 20 i = 1, l2cols
         if (mod(mycol/bit, 2) .eq. 0) then
            other = mycol + bit
         else
            other = mycol - bit
         endif
         partnr(i) = myrow*npcols + other
         rcvpos(i) = mypos
         rcvlen(i) = mylen
         sndpos(i) = mypos
         sndlen(i) = mylen
         bit = 2*bit
 20   continue

      if (npcols .eq. nprows) then
         tpart = mycol*npcols + myrow
      else
         call half(nrows, 1 - mod(mycol, 2), sndpos(1), sndlen(1))
         tpart = (mycol/2)*npcols + 2*myrow + mod(mycol, 2)
      endif
      return
      end
