c     LU, problem class S: points a side, steps, length of a step; what
c     to compare with: norms of residual and error, surface integral.
      implicit none
      character*1 prbcls
      integer npts, nsteps
      double precision dt, resok1, resok2, resok3, resok4, resok5
      double precision errok1, errok2, errok3, errok4, errok5, srfok
      parameter (prbcls = 'S')
      parameter (npts = 12, nsteps = 50, dt = 0.5d0)
      parameter (resok1 = 1.6196343210976702d-02,
     >           resok2 = 2.1976745164821318d-03,
     >           resok3 = 1.5179927653399185d-03,
     >           resok4 = 1.5029584435994323d-03,
     >           resok5 = 3.4264073155896461d-02)
      parameter (errok1 = 6.4223319957960924d-04,
     >           errok2 = 8.4144342047347926d-05,
     >           errok3 = 5.8588269616485186d-05,
     >           errok4 = 5.8474222595157350d-05,
     >           errok5 = 1.3103347914111294d-03)
      parameter (srfok = 7.8418928865937083d+00)
