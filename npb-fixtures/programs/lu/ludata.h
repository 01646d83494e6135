c     What the parts of LU share. The cube has NPTS points a side; a
c     field has 5 numbers a point and room for the whole cube and its
c     ghost points on one rank. A rank has it in the shape
c     (5, -1:nx+2, -1:ny+2, npts): whole columns of points in z.
      include 'problem.h'
      integer nobody, maxfld, maxhal, maxblk, ntimer
      parameter (nobody = -1, ntimer = 5)
      parameter (maxfld = 5*npts*(npts+4)*(npts+4))
      parameter (maxhal = 10*npts*npts, maxblk = 25*npts*npts)

c     Factors of second and first differences; relaxation; the norms at
c     which the steps end early.
      double precision rhh, r2h, omega, tolres
      parameter (rhh = (npts-1)**2, r2h = 0.5d0*(npts-1))
      parameter (omega = 1.2d0, tolres = 1.0d-8)

c     The gas: ratio of specific heats, and one less; that ratio by the
c     Prandtl number; viscosity, and conduction of heat; the factor of
c     viscosity along the normal. Smoothing: of second differences in x
c     and y, and in z; of fourth differences.
      double precision gam, gam1, gampr, visc, cond, along
      double precision dif2xy, dif2z, dif4
      parameter (gam = 1.4d0, gam1 = 0.4d0, gampr = 1.96d0)
      parameter (visc = 0.1d0, cond = 0.196d0, along = 4.0d0/3.0d0)
      parameter (dif2xy = 0.75d0, dif2z = 1.0d0, dif4 = 0.25d0)

c     The grid of ranks, NPX in x by NPY in y; the neighbours of this
c     one, NOBODY where the cube ends.
      integer me, nranks, npx, npy, xlow, xhigh, ylow, yhigh
      common /grid/ me, nranks, npx, npy, xlow, xhigh, ylow, yhigh

c     This rank's points: how many, how many of the cube come before
c     them, which are inside the cube, which at least three points
c     inside.
      integer nx, ny, ioff, joff, ilo, ihi, jlo, jhi
      integer ilo3, ihi3, jlo3, jhi3
      common /points/ nx, ny, ioff, joff, ilo, ihi, jlo, jhi,
     >                ilo3, ihi3, jlo3, jhi3

c     Level of timing (0: none), start and sum of each timer.
      integer timlev
      double precision tstart, tsum
      common /timing/ tstart(ntimer), tsum(ntimer), timlev
