c     One-sided communication, which is not modelled: to be named by file
c     and line, and refused.
      program unknwn
      implicit none
      include 'mpif.h'
      integer me, nranks, ierr, window
      integer(kind=MPI_ADDRESS_KIND) extent, offset
      double precision room(8), mine(8)
      integer i

      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
      do i = 1, 8
         mine(i) = dble(me)
         room(i) = -1.0d0
      enddo

      extent = 64
      offset = 0
      call MPI_WIN_CREATE(room, extent, 8, MPI_INFO_NULL,
     >                    MPI_COMM_WORLD, window, ierr)
      call MPI_WIN_FENCE(0, window, ierr)
      call MPI_PUT(mine, 8, MPI_DOUBLE_PRECISION, mod(me+1, nranks),
     >             offset, 8, MPI_DOUBLE_PRECISION, window, ierr)
      call MPI_WIN_FENCE(0, window, ierr)
      if (me .eq. 0) write (*, *) 'put', room(1)
      call MPI_WIN_FREE(window, ierr)
      call MPI_Finalize(ierr)
      end
