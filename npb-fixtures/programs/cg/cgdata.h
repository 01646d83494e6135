c     What the parts of CG share. NZ bounds the entries of the matrix
c     before equal places are added up, for one rank with all of it:
c     each of NA generating vectors has up to NONZER+1 nonzeros.
      include 'problem.h'
      integer nz, maxl2, ntimer
      parameter (nz = na*(nonzer+1)*(nonzer+1) + na)
      parameter (maxl2 = 16, ntimer = 4)

c     The grid of ranks and where this rank stands in it. PARTNR are
c     the partners of the steps of a sum over the row of the grid, TPART
c     the one of the transpose exchange.
      integer me, nranks, nprows, npcols, l2cols, myrow, mycol
      integer partnr, tpart
      common /grid/ me, nranks, nprows, npcols, l2cols, myrow, mycol,
     >              partnr(maxl2), tpart

c     This rank's rows and columns of the matrix; its part of a slice of
c     rows, as offset and length; what each step of a sum over the row of
c     the grid sends and receives, as offset and length in the slice.
      integer row1, rown, nrows, col1, coln, ncols
      integer mypos, mylen
      integer sndpos, sndlen, rcvpos, rcvlen
      common /slices/ row1, rown, nrows, col1, coln, ncols,
     >                mypos, mylen,
     >                sndpos(maxl2), sndlen(maxl2),
     >                rcvpos(maxl2), rcvlen(maxl2)

c     Level of timing (0: none), start and sum of each timer.
      integer timlev
      double precision tstart, tsum
      common /timing/ tstart(ntimer), tsum(ntimer), timlev
