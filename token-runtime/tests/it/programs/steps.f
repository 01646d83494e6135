C     A sliced program as the instrumenter writes it: time steps with a
C     halo exchange whose data are unused, one broadcast whose data
C     are needed, a section round the steps.
      program steps
      implicit none
      include 'mpif.h'
      integer rank, ranks, ierr, i, n, left, right, request, nsteps
      integer status(MPI_STATUS_SIZE)
      integer*8 none(1)
      double precision u(2), t
      none(1) = 0
      call mpiete_call(0, 0)
      call mpi_init(ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
      nsteps = 0
      if (rank .eq. 0) nsteps = 50
      call mpiete_call(1, 2)
      call mpi_bcast(nsteps, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      left = mod(rank + ranks - 1, ranks)
      right = mod(rank + 1, ranks)
      n = 100
      call mpiete_section(1)
      call mpiete_call(2, 0)
      t = mpi_wtime()
      do i = 1, nsteps
        call mpiete_block(0, 2, (/ int(n, 8), 7_8 /))
        call mpiete_call(3, 0)
        call mpi_irecv(u, 2, MPI_DOUBLE_PRECISION, left, 1,
     &                 MPI_COMM_WORLD, request, ierr)
        call mpiete_call(4, 0)
        call mpi_send(u, 2, MPI_DOUBLE_PRECISION, right, 1,
     &                MPI_COMM_WORLD, ierr)
        call mpiete_call(5, 0)
        call mpi_wait(request, status, ierr)
        call mpiete_block(1, 0, none)
        call mpiete_call(6, 0)
        call mpi_allreduce(u(1), u(2), 1, MPI_DOUBLE_PRECISION, MPI_SUM,
     &                     MPI_COMM_WORLD, ierr)
      end do
      call mpiete_section(2)
      call mpiete_call(7, 0)
      call mpi_finalize(ierr)
      end
