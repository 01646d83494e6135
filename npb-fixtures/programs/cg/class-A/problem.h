c     CG, problem class A: order of the matrix, nonzeros of a generating
c     vector, outer iterations, shift, condition, zeta to compare with.
      implicit none
      character*1 prbcls
      integer na, nonzer, niter
      double precision shift, rcond, zetaok
      parameter (prbcls = 'A')
      parameter (na = 14000, nonzer = 11, niter = 15)
      parameter (shift = 20.0d0, rcond = 0.1d0,
     >           zetaok = 17.130235054029d0)
