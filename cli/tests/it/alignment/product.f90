! SUMMA on the squarest grid, broadcasts along rows and columns
program product_of_matrices
  use mpi
  implicit none
  integer, parameter :: n = 48, nb = 12
  integer :: me, np, ierr, px, py, x, y, rowc, colc, nx, ny, k, ox, oy, i, j, l
  double precision, allocatable :: a(:,:), b(:,:), c(:,:), ap(:,:), bp(:,:)
  double precision :: t0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
  px = int(sqrt(dble(np)) + 1d-6)
  do while (mod(np, px) /= 0)
    px = px - 1
  end do
  py = np/px
  x = me/py
  y = mod(me, py)
  call MPI_Comm_split(MPI_COMM_WORLD, x, y, rowc, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, y, x, colc, ierr)
  nx = n/px
  ny = n/py
  allocate (a(nx,ny), b(nx,ny), c(nx,ny), ap(nx,nb), bp(nb,ny))
  a = 1
  b = 2
  c = 0
  t0 = MPI_Wtime()
  do k = 0, n-1, nb
    oy = k/ny
    ox = k/nx
    if (y == oy) ap = a(:, k-oy*ny+1:k-oy*ny+nb)
    if (x == ox) bp = b(k-ox*nx+1:k-ox*nx+nb, :)
    call MPI_Bcast(ap, nx*nb, MPI_DOUBLE_PRECISION, oy, rowc, ierr)
    call MPI_Bcast(bp, nb*ny, MPI_DOUBLE_PRECISION, ox, colc, ierr)
    do j = 1, ny
      do l = 1, nb
        do i = 1, nx
          c(i,j) = c(i,j) + ap(i,l)*bp(l,j)
        end do
      end do
    end do
  end do
  if (me == 0) print *, 'TIME', MPI_Wtime() - t0, c(1,1)
  call MPI_Finalize(ierr)
end program
