c     A wave runs through the ranks, plane by plane: each rank waits for
c     its left neighbour's edge, sweeps its own strip, and passes its edge
c     to the right.
      program wave
      implicit none
      include 'mpif.h'
      integer nx, ny, nplane
      parameter (nx = 64, ny = 32, nplane = 20)
      integer me, nranks, ierr, k, i, j, status(MPI_STATUS_SIZE)
      double precision u(0:nx, ny), edge(ny)

      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
      do 20 j = 1, ny
         do 10 i = 0, nx
            u(i, j) = 1.0d0
 10      continue
 20   continue

      do 50 k = 1, nplane
         if (me .gt. 0) then
            call MPI_Recv(edge(1), ny, MPI_DOUBLE_PRECISION, me-1, k,
     >                    MPI_COMM_WORLD, status, ierr)
            do j = 1, ny
               u(0, j) = edge(j)
            enddo
         endif
         do 40 j = 1, ny
            do 30 i = 1, nx
               u(i, j) = 0.5d0*(u(i, j) + u(i-1, j)) + 1.0d-3*k
 30         continue
            edge(j) = u(nx, j)
 40      continue
         if (me .lt. nranks-1)
     >      call MPI_Send(edge(1), ny, MPI_DOUBLE_PRECISION, me+1, k,
     >                    MPI_COMM_WORLD, ierr)
 50   continue

      if (me .eq. nranks-1) write (*, *) 'wave', u(nx, ny)
      call MPI_Finalize(ierr)
      end
