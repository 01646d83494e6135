c     At most N steps in pseudo-time; fewer if all norms of the residual
c     have become small. RESNRM: those norms, before and after.
      subroutine march(n, u, force, resid, resnrm)
      include 'ludata.h'
      integer n, it, m
      double precision u(5,-1:nx+2,-1:ny+2,npts)
      double precision force(5,-1:nx+2,-1:ny+2,npts)
      double precision resid(5,-1:nx+2,-1:ny+2,npts)
      double precision resnrm(5), chgnrm(5)
      logical small

      do 20 it = 1, n
         call scalef(dt, resid)
         call lower(u, resid)
         call upper(u, resid)
         call update(u, resid)
         if (it .eq. nsteps) call rmsnrm(resid, chgnrm)
         call residu(u, force, resid)
         if (it .eq. nsteps) call rmsnrm(resid, resnrm)

         if (me.eq.0 .and. mod(it, 20).eq.0) write (*, 900) it
         if (me.eq.0 .and. it.eq.nsteps) write (*, 910) chgnrm, resnrm

         small = .true.
         do 10 m = 1, 5
            small = small .and. resnrm(m) .lt. tolres
 10      continue
         if (small) goto 30
 20   continue
      return

 30   if (me .eq. 0) write (*, 920) it
      return
 900  format (' step ', i4)
 910  format (' change   ', 5es12.4 / ' residual ', 5es12.4)
 920  format (' converged after ', i4, ' steps')
      end

c     V = FACTOR V, inside the cube.
      subroutine scalef(factor, v)
      include 'ludata.h'
      double precision factor, v(5,-1:nx+2,-1:ny+2,npts)
      integer i, j, k, m

      do k = 2, npts - 1
         do j = jlo, jhi
            do i = ilo, ihi
               do m = 1, 5
                  v(m,i,j,k) = factor*v(m,i,j,k)
               enddo
            enddo
         enddo
      enddo
      return
      end

c     U and the change, relaxed.
      subroutine update(u, change)
      include 'ludata.h'
      double precision u(5,-1:nx+2,-1:ny+2,npts)
      double precision change(5,-1:nx+2,-1:ny+2,npts), factor
      integer i, j, k, m

      factor = 1.0d0/(omega*(2.0d0 - omega))
      do k = 2, npts - 1
         do j = jlo, jhi
            do i = ilo, ihi
               do m = 1, 5
                  u(m,i,j,k) = u(m,i,j,k) + factor*change(m,i,j,k)
               enddo
            enddo
         enddo
      enddo
      return
      end
