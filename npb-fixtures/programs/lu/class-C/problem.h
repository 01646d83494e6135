c     LU, problem class C: points a side, steps, length of a step; what
c     to compare with: norms of residual and error, surface integral.
      implicit none
      character*1 prbcls
      integer npts, nsteps
      double precision dt, resok1, resok2, resok3, resok4, resok5
      double precision errok1, errok2, errok3, errok4, errok5, srfok
      parameter (prbcls = 'C')
      parameter (npts = 162, nsteps = 250, dt = 2.0d0)
      parameter (resok1 = 1.03766980323537846d+04,
     >           resok2 = 8.92212458801008552d+02,
     >           resok3 = 2.56238814582660871d+03,
     >           resok4 = 2.19194343857831427d+03,
     >           resok5 = 1.78078057261061185d+04)
      parameter (errok1 = 2.15986399716949279d+02,
     >           errok2 = 1.55789559239863600d+01,
     >           errok3 = 5.41318863077207766d+01,
     >           errok4 = 4.82262643154045421d+01,
     >           errok5 = 4.55902910043250358d+02)
      parameter (srfok = 6.66404553572181300d+01)
