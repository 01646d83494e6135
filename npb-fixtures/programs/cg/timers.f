c     Timers of the phases, for runs with a timer.flag: 1 conjugate
c     gradients, 2 own part of the product, 3 sums and exchange of
c     vectors, 4 sums of scalars.
      subroutine tbegin(i)
      include 'cgdata.h'
      include 'mpif.h'
      integer i

      tstart(i) = MPI_Wtime()
      return
      end

      subroutine tend(i)
      include 'cgdata.h'
      include 'mpif.h'
      integer i

      tsum(i) = tsum(i) + (MPI_Wtime() - tstart(i))
      return
      end

c     The longest time of each phase over all ranks; at level 2 the
c     shortest as well.
      subroutine treprt
      include 'cgdata.h'
      include 'mpif.h'
      integer i, ierr
      double precision tlong(ntimer), tshort(ntimer)
      character*24 names(ntimer)
      data names /'conjugate gradients', 'product', 'vectors',
     >            'scalars'/

      call MPI_Reduce(tsum, tlong, ntimer, MPI_DOUBLE_PRECISION,
     >                MPI_MAX, 0, MPI_COMM_WORLD, ierr)
      if (timlev .gt. 1) then
         call MPI_Reduce(tsum, tshort, ntimer, MPI_DOUBLE_PRECISION,
     >                   MPI_MIN, 0, MPI_COMM_WORLD, ierr)
      endif
      if (me .ne. 0) return
      do 10 i = 1, ntimer
         write (*, 900) 'longest ', names(i), tlong(i)
         if (timlev .gt. 1) write (*, 900) 'shortest', names(i),
     >                                     tshort(i)
 10   continue
 900  format (1x, a8, 1x, a24, f12.4, ' s')
      end
