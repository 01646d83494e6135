c     Z = an approximate solution of A z = x by 25 iterations of
c     conjugate gradients; RNORM = |x - A z|.
      subroutine conjgd(rnorm)
      include 'cgdata.h'
      include 'vector.h'
      integer cgit, cgmax, j
      parameter (cgmax = 25)
      double precision rnorm, rho(1), rho0, d(1), alpha, beta, resid(1)

      rho(1) = 0.0d0
      do j = 1, ncols
         z(j) = 0.0d0
         r(j) = x(j)
         p(j) = x(j)
         rho(1) = rho(1) + x(j)*x(j)
      enddo
      call rowsum(rho, 1)

      do 30 cgit = 1, cgmax
         call matvec(p, q)

         d(1) = 0.0d0
         do j = 1, ncols
            d(1) = d(1) + p(j)*q(j)
         enddo
         call rowsum(d, 1)
         alpha = rho(1)/d(1)

         rho0 = rho(1)
         rho(1) = 0.0d0
         do j = 1, ncols
            z(j) = z(j) + alpha*p(j)
            r(j) = r(j) - alpha*q(j)
            rho(1) = rho(1) + r(j)*r(j)
         enddo
         call rowsum(rho, 1)

         beta = rho(1)/rho0
         do j = 1, ncols
            p(j) = r(j) + beta*p(j)
         enddo
 30   continue

      call matvec(z, r)
      resid(1) = 0.0d0
      do j = 1, ncols
         resid(1) = resid(1) + (x(j) - r(j))**2
      enddo
      call rowsum(resid, 1)
      rnorm = dsqrt(resid(1))
      return
      end

c     OUT = A V, both by columns of the grid: own part of the product,
c     sum over the row of the grid, transpose exchange.
      subroutine matvec(v, out)
      include 'cgdata.h'
      include 'matrix.h'
      include 'vector.h'
      include 'mpif.h'
      double precision v(*), out(*), total
      integer j, k, i, request, ierr
      integer status(MPI_STATUS_SIZE)

      if (timlev .gt. 0) call tbegin(2)
      do j = 1, nrows
         total = 0.0d0
         do k = rowstr(j), rowstr(j+1) - 1
            total = total + a(k)*v(colidx(k))
         enddo
         w(j) = total
      enddo
      if (timlev .gt. 0) call tend(2)

      if (timlev .gt. 0) call tbegin(3)
      do i = 1, l2cols
         call MPI_Irecv(recbuf(1), rcvlen(i), MPI_DOUBLE_PRECISION,
     >                  partnr(i), i, MPI_COMM_WORLD, request, ierr)
         call MPI_Send(w(sndpos(i)+1), sndlen(i), MPI_DOUBLE_PRECISION,
     >                 partnr(i), i, MPI_COMM_WORLD, ierr)
         call MPI_Wait(request, status, ierr)
         do j = 1, rcvlen(i)
            w(rcvpos(i)+j) = w(rcvpos(i)+j) + recbuf(j)
         enddo
      enddo

      if (l2cols .ne. 0) then
         call MPI_Irecv(out(1), ncols, MPI_DOUBLE_PRECISION, tpart,
     >                  1, MPI_COMM_WORLD, request, ierr)
         call MPI_Send(w(mypos+1), mylen, MPI_DOUBLE_PRECISION, tpart,
     >                 1, MPI_COMM_WORLD, ierr)
         call MPI_Wait(request, status, ierr)
      else
         do j = 1, ncols
            out(j) = w(j)
         enddo
      endif
      if (timlev .gt. 0) call tend(3)
      return
      end

c     V(1..N), N at most 2, summed over the row of the grid.
      subroutine rowsum(v, n)
      include 'cgdata.h'
      include 'mpif.h'
      integer n, i, j, request, ierr
      integer status(MPI_STATUS_SIZE)
      double precision v(n), part(2)

      if (timlev .gt. 0) call tbegin(4)
      do i = 1, l2cols
         call MPI_Irecv(part(1), n, MPI_DOUBLE_PRECISION, partnr(i),
     >                  i, MPI_COMM_WORLD, request, ierr)
         call MPI_Send(v(1), n, MPI_DOUBLE_PRECISION, partnr(i),
     >                 i, MPI_COMM_WORLD, ierr)
         call MPI_Wait(request, status, ierr)
         do j = 1, n
            v(j) = v(j) + part(j)
         enddo
      enddo
      if (timlev .gt. 0) call tend(4)
      return
      end
