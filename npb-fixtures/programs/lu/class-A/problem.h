c     LU, problem class A: points a side, steps, length of a step; what
c     to compare with: norms of residual and error, surface integral.
      implicit none
      character*1 prbcls
      integer npts, nsteps
      double precision dt, resok1, resok2, resok3, resok4, resok5
      double precision errok1, errok2, errok3, errok4, errok5, srfok
      parameter (prbcls = 'A')
      parameter (npts = 64, nsteps = 250, dt = 2.0d0)
      parameter (resok1 = 7.7902107606689367d+02,
     >           resok2 = 6.3402765259692870d+01,
     >           resok3 = 1.9499249727292479d+02,
     >           resok4 = 1.7845301160418537d+02,
     >           resok5 = 1.8384760349464247d+03)
      parameter (errok1 = 2.9964085685471943d+01,
     >           errok2 = 2.8194576365003349d+00,
     >           errok3 = 7.3473412698774742d+00,
     >           errok4 = 6.7139225687777051d+00,
     >           errok5 = 7.0715315688392578d+01)
      parameter (srfok = 2.6030925604886277d+01)
