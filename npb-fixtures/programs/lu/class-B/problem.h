c     LU, problem class B: points a side, steps, length of a step; what
c     to compare with: norms of residual and error, surface integral.
      implicit none
      character*1 prbcls
      integer npts, nsteps
      double precision dt, resok1, resok2, resok3, resok4, resok5
      double precision errok1, errok2, errok3, errok4, errok5, srfok
      parameter (prbcls = 'B')
      parameter (npts = 102, nsteps = 250, dt = 2.0d0)
      parameter (resok1 = 3.5532672969982736d+03,
     >           resok2 = 2.6214750795310692d+02,
     >           resok3 = 8.8333721850952190d+02,
     >           resok4 = 7.7812774739425265d+02,
     >           resok5 = 7.3087969592545314d+03)
      parameter (errok1 = 1.1401176380212709d+02,
     >           errok2 = 8.1098963655421574d+00,
     >           errok3 = 2.8480597317698308d+01,
     >           errok4 = 2.5905394567832939d+01,
     >           errok5 = 2.6054907504857413d+02)
      parameter (srfok = 4.7887162703308227d+01)
