c     CG, problem class S: order of the matrix, nonzeros of a generating
c     vector, outer iterations, shift, condition, zeta to compare with.
      implicit none
      character*1 prbcls
      integer na, nonzer, niter
      double precision shift, rcond, zetaok
      parameter (prbcls = 'S')
      parameter (na = 1400, nonzer = 7, niter = 15)
      parameter (shift = 10.0d0, rcond = 0.1d0,
     >           zetaok = 8.5971775078648d0)
