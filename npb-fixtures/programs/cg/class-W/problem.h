c     CG, problem class W: order of the matrix, nonzeros of a generating
c     vector, outer iterations, shift, condition, zeta to compare with.
      implicit none
      character*1 prbcls
      integer na, nonzer, niter
      double precision shift, rcond, zetaok
      parameter (prbcls = 'W')
      parameter (na = 7000, nonzer = 8, niter = 15)
      parameter (shift = 12.0d0, rcond = 0.1d0,
     >           zetaok = 10.362595087124d0)
