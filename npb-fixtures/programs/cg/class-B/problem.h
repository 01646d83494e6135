c     CG, problem class B: order of the matrix, nonzeros of a generating
c     vector, outer iterations, shift, condition, zeta to compare with.
      implicit none
      character*1 prbcls
      integer na, nonzer, niter
      double precision shift, rcond, zetaok
      parameter (prbcls = 'B')
      parameter (na = 75000, nonzer = 13, niter = 75)
      parameter (shift = 60.0d0, rcond = 0.1d0,
     >           zetaok = 22.712745482631d0)
