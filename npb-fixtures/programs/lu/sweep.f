c     The lower half of a step, plane by plane: V = L**-1 V.
      subroutine lower(u, v)
      include 'ludata.h'
      include 'blocks.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts)
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      integer k

      do k = 2, npts - 1
         if (timlev .gt. 0) call tbegin(3)
         call jaclow(u, k, diag, nearx, neary, nearz)
         if (timlev .gt. 0) call tend(3)

         if (timlev .gt. 0) call tbegin(4)
         call getrow(v, k, 0, xlow, 0, ylow)
         call lowpln(v, k, diag, nearx, neary, nearz)
         call putrow(v, k, nx, xhigh, ny, yhigh)
         if (timlev .gt. 0) call tend(4)
      enddo
      return
      end

c     The upper half, from the last plane back: V = U**-1 V.
      subroutine upper(u, v)
      include 'ludata.h'
      include 'blocks.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts)
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      integer k

      do k = npts - 1, 2, -1
         if (timlev .gt. 0) call tbegin(3)
         call jacupp(u, k, diag, nearx, neary, nearz)
         if (timlev .gt. 0) call tend(3)

         if (timlev .gt. 0) call tbegin(5)
         call getrow(v, k, nx + 1, xhigh, ny + 1, yhigh)
         call upppln(v, k, diag, nearx, neary, nearz)
         call putrow(v, k, 1, xlow, 1, ylow)
         if (timlev .gt. 0) call tend(5)
      enddo
      return
      end

c     Plane K of the lower half: each point after the three before it.
      subroutine lowpln(v, k, diag, nearx, neary, nearz)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      double precision diag(5,5,nx,ny), nearx(5,5,nx,ny)
      double precision neary(5,5,nx,ny), nearz(5,5,nx,ny), s(5)
      integer i, j, k, m

      do j = jlo, jhi
         do i = ilo, ihi
            do m = 1, 5
               s(m) = 0.0d0
            enddo
            call addmul(nearz(1,1,i,j), v(1,i,j,k-1), s)
            call addmul(neary(1,1,i,j), v(1,i,j-1,k), s)
            call addmul(nearx(1,1,i,j), v(1,i-1,j,k), s)
            do m = 1, 5
               s(m) = v(m,i,j,k) - omega*s(m)
            enddo
            call solve5(diag(1,1,i,j), s, v(1,i,j,k))
         enddo
      enddo
      return
      end

c     Plane K of the upper half: each point after the three behind it.
      subroutine upppln(v, k, diag, nearx, neary, nearz)
      include 'ludata.h'
      double precision v(5,-1:nx+2,-1:ny+2,npts)
      double precision diag(5,5,nx,ny), nearx(5,5,nx,ny)
      double precision neary(5,5,nx,ny), nearz(5,5,nx,ny), s(5), x(5)
      integer i, j, k, m

      do j = jhi, jlo, -1
         do i = ihi, ilo, -1
            do m = 1, 5
               s(m) = 0.0d0
            enddo
            call addmul(nearz(1,1,i,j), v(1,i,j,k+1), s)
            call addmul(neary(1,1,i,j), v(1,i,j+1,k), s)
            call addmul(nearx(1,1,i,j), v(1,i+1,j,k), s)
            call solve5(diag(1,1,i,j), s, x)
            do m = 1, 5
               v(m,i,j,k) = v(m,i,j,k) - omega*x(m)
            enddo
         enddo
      enddo
      return
      end

c     S = S + B X
      subroutine addmul(b, x, s)
      implicit none
      double precision b(5,5), x(5), s(5)
      integer m

      do m = 1, 5
         s(m) = s(m) + b(m,1)*x(1) + b(m,2)*x(2) + b(m,3)*x(3)
     >               + b(m,4)*x(4) + b(m,5)*x(5)
      enddo
      return
      end

c     X = D**-1 S by Gaussian elimination; D keeps, S loses its values.
      subroutine solve5(d, s, x)
      implicit none
      double precision d(5,5), s(5), x(5), t(5,5)
      integer row, col

      do col = 1, 5
         do row = 1, 5
            t(row,col) = d(row,col)
         enddo
      enddo
      call clear(t, s, 1)
      call clear(t, s, 2)
      call clear(t, s, 3)
      call clear(t, s, 4)
      x(5) = s(5)/t(5,5)
      x(4) = (s(4) - t(4,5)*x(5))/t(4,4)
      x(3) = (s(3) - t(3,5)*x(5) - t(3,4)*x(4))/t(3,3)
      x(2) = (s(2) - t(2,5)*x(5) - t(2,4)*x(4) - t(2,3)*x(3))/t(2,2)
      x(1) = (s(1) - t(1,5)*x(5) - t(1,4)*x(4) - t(1,3)*x(3)
     >             - t(1,2)*x(2))/t(1,1)
      return
      end

c     Takes multiples of row P from the rows below it, so that column P
c     is zero there (where nobody looks).
      subroutine clear(t, s, p)
      implicit none
      double precision t(5,5), s(5), factor(5)
      integer p, row, col

      do row = p + 1, 5
         factor(row) = t(row,p)/t(p,p)
         s(row) = s(row) - factor(row)*s(p)
      enddo
      do col = p + 1, 5
         do row = p + 1, 5
            t(row,col) = t(row,col) - factor(row)*t(p,col)
         enddo
      enddo
      return
      end
