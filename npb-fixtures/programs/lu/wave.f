c     The wave: what a plane of points gets from the neighbours that are
c     done with it, and gives to those that wait for it. In memory the
c     points of a row in x follow each other; those of a row in y do not
c     and are copied.

c     Plane K: the points at IAT from rank FROMX, those at JAT from rank
c     FROMY.
      subroutine getrow(v, k, iat, fromx, jat, fromy)
      include 'ludata.h'
      include 'mpif.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts), row(5,npts)
      integer k, iat, fromx, jat, fromy, j, m, ierr
      integer status(MPI_STATUS_SIZE)

      if (fromx .ne. nobody) then
         call MPI_Recv(row(1,jlo), 5*(jhi-jlo+1), MPI_DOUBLE_PRECISION,
     >                 fromx, 2, MPI_COMM_WORLD, status, ierr)
         do j = jlo, jhi
            do m = 1, 5
               v(m,iat,j,k) = row(m,j)
            enddo
         enddo
      endif
      if (fromy .ne. nobody)
     >   call MPI_Recv(v(1,ilo,jat,k), 5*(ihi-ilo+1),
     >                 MPI_DOUBLE_PRECISION, fromy, 3, MPI_COMM_WORLD,
     >                 status, ierr)
      return
      end

c     Plane K: the points at IAT to rank TOX, those at JAT to rank TOY.
      subroutine putrow(v, k, iat, tox, jat, toy)
      include 'ludata.h'
      include 'mpif.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts), row(5,npts)
      integer k, iat, tox, jat, toy, j, m, ierr

      if (tox .ne. nobody) then
         do j = jlo, jhi
            do m = 1, 5
               row(m,j) = v(m,iat,j,k)
            enddo
         enddo
         call MPI_Send(row(1,jlo), 5*(jhi-jlo+1), MPI_DOUBLE_PRECISION,
     >                 tox, 2, MPI_COMM_WORLD, ierr)
      endif
      if (toy .ne. nobody)
     >   call MPI_Send(v(1,ilo,jat,k), 5*(ihi-ilo+1),
     >                 MPI_DOUBLE_PRECISION, toy, 3, MPI_COMM_WORLD,
     >                 ierr)
      return
      end
