c     CG, problem class C: order of the matrix, nonzeros of a generating
c     vector, outer iterations, shift, condition, zeta to compare with.
      implicit none
      character*1 prbcls
      integer na, nonzer, niter
      double precision shift, rcond, zetaok
      parameter (prbcls = 'C')
      parameter (na = 150000, nonzer = 15, niter = 75)
      parameter (shift = 110.0d0, rcond = 0.1d0,
     >           zetaok = 28.973605592845d0)
