c     The blocks of plane K for the lower half of a step: on the
c     diagonal, and of the neighbours before each point.
      subroutine jaclow(u, k, diag, nearx, neary, nearz)
      include 'ludata.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts)
      double precision diag(5,5,nx,ny), nearx(5,5,nx,ny)
      double precision neary(5,5,nx,ny), nearz(5,5,nx,ny)
      integer i, j, k

      do j = jlo, jhi
         do i = ilo, ihi
            call dblock(u(1,i,j,k), diag(1,1,i,j))
            call nblock(u(1,i-1,j,k), 2, dif2xy, -r2h, nearx(1,1,i,j))
            call nblock(u(1,i,j-1,k), 3, dif2xy, -r2h, neary(1,1,i,j))
            call nblock(u(1,i,j,k-1), 4, dif2z, -r2h, nearz(1,1,i,j))
         enddo
      enddo
      return
      end

c     The same for the upper half: neighbours after each point.
      subroutine jacupp(u, k, diag, nearx, neary, nearz)
      include 'ludata.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts)
      double precision diag(5,5,nx,ny), nearx(5,5,nx,ny)
      double precision neary(5,5,nx,ny), nearz(5,5,nx,ny)
      integer i, j, k

      do j = jlo, jhi
         do i = ilo, ihi
            call dblock(u(1,i,j,k), diag(1,1,i,j))
            call nblock(u(1,i+1,j,k), 2, dif2xy, r2h, nearx(1,1,i,j))
            call nblock(u(1,i,j+1,k), 3, dif2xy, r2h, neary(1,1,i,j))
            call nblock(u(1,i,j,k+1), 4, dif2z, r2h, nearz(1,1,i,j))
         enddo
      enddo
      return
      end

c     The block on the diagonal at a point whose state is Q: one, and
c     twice the step times what diffuses away in the three directions.
      subroutine dblock(q, d)
      include 'ludata.h'
      double precision q(5), d(5,5), w(5), step, smear, volume, drag
      double precision heat, energy
      integer l, m

      do m = 1, 5
         do l = 1, 5
            d(l,m) = 0.0d0
         enddo
      enddo
      step = 2.0d0*dt*rhh
      smear = 1.0d0 + step*(2.0d0*dif2xy + dif2z)
      volume = 1.0d0/q(1)
      drag = step*(2.0d0 + along)*visc*volume
      heat = step*3.0d0*cond*volume
      energy = 0.0d0
      d(1,1) = smear
      do m = 2, 4
         w(m) = volume*q(m)
         energy = energy + w(m)**2
         d(m,1) = -drag*w(m)
         d(m,m) = smear + drag
         d(5,m) = (drag - heat)*w(m)
      enddo
      d(5,1) = -(drag - heat)*energy - heat*volume*q(5)
      d(5,5) = smear + heat
      return
      end

c     The block of a neighbour whose state is Q, in the direction whose
c     momentum is at place N. SIDE is the factor of first differences,
c     negative for a neighbour before the point.
      subroutine nblock(q, n, dif2, side, b)
      include 'ludata.h'
      double precision q(5), dif2, side, b(5,5)
      integer n
      double precision w(5), carry, smear, volume, drag, heat, energy
      double precision total
      integer l, m

      do m = 1, 5
         do l = 1, 5
            b(l,m) = 0.0d0
         enddo
      enddo
      carry = dt*side
      smear = -dt*rhh*dif2
      volume = 1.0d0/q(1)
      drag = dt*rhh*visc*volume
      heat = dt*rhh*cond*volume
      do m = 2, 4
         w(m) = volume*q(m)
      enddo
      energy = 0.5d0*(w(2)**2 + w(3)**2 + w(4)**2)
      total = volume*q(5)

      b(1,1) = smear
      b(1,n) = carry
      do m = 2, 4
         b(m,1) = (drag - carry*w(n))*w(m)
         b(m,n) = carry*w(m)
         b(m,m) = carry*w(n) - drag + smear
         b(n,m) = -carry*gam1*w(m)
         b(5,m) = (heat - drag - carry*gam1*w(n))*w(m)
      enddo
      b(n,1) = carry*(gam1*energy - w(n)**2) + along*drag*w(n)
      b(n,n) = carry*(2.0d0 - gam1)*w(n) - along*drag + smear
      b(n,5) = carry*gam1
      b(5,1) = carry*(2.0d0*gam1*energy - gam*total)*w(n)
     >       + 2.0d0*(drag - heat)*energy
     >       + (along - 1.0d0)*drag*w(n)**2 + heat*total
      b(5,n) = carry*(gam*total - gam1*(energy + w(n)**2))
     >       - (along*drag - heat)*w(n)
      b(5,5) = carry*gam*w(n) - heat + smear
      return
      end
