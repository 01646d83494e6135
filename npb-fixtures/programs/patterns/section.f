c     For sections: ONCE is executed once, SWEEP twice, UNUSED never, and
c     the timed section of the main program once.
      program sectn
      implicit none
      include 'mpif.h'
      integer me, ierr, i
      double precision t0, total(1), local(1)

      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
      local(1) = dble(me)
      call sweep(local, 3)

      t0 = MPI_Wtime()
      call once(local)
      do i = 1, 4
         call MPI_Allreduce(local, total, 1, MPI_DOUBLE_PRECISION,
     >                      MPI_SUM, MPI_COMM_WORLD, ierr)
         local(1) = 0.5d0*total(1)
      enddo
      t0 = MPI_Wtime() - t0

      call sweep(local, 5)
      if (me .lt. 0) call unused(local)
      if (me .eq. 0) write (*, *) 'section', local(1), t0
      call MPI_Finalize(ierr)
      end

      subroutine once(v)
      implicit none
      include 'mpif.h'
      double precision v(1)
      integer ierr

      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      v(1) = v(1) + 1.0d0
      call MPI_Bcast(v, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD,
     >               ierr)
      return
      end

      subroutine sweep(v, n)
      implicit none
      include 'mpif.h'
      integer n, i, ierr
      double precision v(1), most(1)

      do i = 1, n
         call MPI_Allreduce(v, most, 1, MPI_DOUBLE_PRECISION, MPI_MAX,
     >                      MPI_COMM_WORLD, ierr)
         v(1) = 0.5d0*(v(1) + most(1))
      enddo
      return
      end

      subroutine unused(v)
      implicit none
      include 'mpif.h'
      double precision v(1)
      integer ierr

      call MPI_Bcast(v, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD,
     >               ierr)
      return
      end
