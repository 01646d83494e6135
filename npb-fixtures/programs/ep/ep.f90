! EP, "embarrassingly parallel", from its specification (RNR-94-007, section 3.1): Gaussian
! deviates by the polar method from the generator x(k+1) = 5**13 x(k) mod 2**46, counted in ten
! square annuli. Ranks share out batches of pairs; nothing is sent until the sums are made.
!
! The problem class comes from the include directory, the number of ranks from the run. If a file
! `timer.flag` exists where rank 0 runs, the time of the two phases is reported as well.
program ep
  use mpi
  implicit none
  include 'problem.inc'
  integer, parameter :: root = 0
  integer, parameter :: log2_batch = 16
  double precision, parameter :: tolerance = 1.0d-8
  integer :: me, ranks, ierr
  integer :: timer_level
  integer :: batches, share, extra, first, last, batch
  integer :: annulus
  double precision :: began, computed, elapsed, longest
  double precision :: sx, sy, sx_all, sy_all
  double precision :: counts(0:9), counts_all(0:9)
  double precision :: phases(2), slowest(2)
  logical :: good

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)

  timer_level = 0
  if (me == root) then
    write (*, '(a,a,a,i0,a)') ' EP, problem class ', problem_class, ' on ', ranks, ' ranks'
    call read_timer_flag(timer_level)
  end if
  call MPI_Bcast(timer_level, 1, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)

  ! The first `extra` ranks take one batch more.
  batches = 2**(log2_pairs - log2_batch)
  share = batches/ranks
  extra = mod(batches, ranks)
  first = me*share + min(me, extra)
  last = first + share - 1
  if (me < extra) last = last + 1

  sx = 0.0d0
  sy = 0.0d0
  do annulus = 0, 9
    counts(annulus) = 0.0d0
  end do

  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  began = MPI_Wtime()

  do batch = first, last
    call add_batch(batch, 2**log2_batch, sx, sy, counts)
  end do
  if (timer_level > 0) computed = MPI_Wtime()

  call MPI_Allreduce(sx, sx_all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(sy, sy_all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(counts(0), counts_all(0), 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)

  elapsed = MPI_Wtime() - began
  call MPI_Allreduce(elapsed, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)

  if (timer_level > 0) then
    phases(1) = computed - began
    phases(2) = elapsed - phases(1)
    call MPI_Reduce(phases, slowest, 2, MPI_DOUBLE_PRECISION, MPI_MAX, root, MPI_COMM_WORLD, ierr)
    if (me == root) then
      write (*, '(a,f12.4,a)') ' longest computation   ', slowest(1), ' s'
      write (*, '(a,f12.4,a)') ' longest communication ', slowest(2), ' s'
    end if
  end if

  if (me == root) then
    good = abs((sx_all - official_sx)/official_sx) <= tolerance .and. &
           abs((sy_all - official_sy)/official_sy) <= tolerance
    write (*, '(a,f14.0)') ' Gaussian pairs ', sum(counts_all)
    write (*, '(a,2es24.15)') ' sums ', sx_all, sy_all
    do annulus = 0, 9
      write (*, '(a,i2,f14.0)') ' annulus ', annulus, counts_all(annulus)
    end do
    write (*, '(a,f12.4,a)') ' time ', longest, ' s'
    if (good) then
      write (*, '(a)') ' EP verification SUCCESSFUL'
    else
      write (*, '(a)') ' EP verification FAILED'
    end if
  end if

  call MPI_Finalize(ierr)
end program ep

! The level in the first line of `timer.flag`; 1 if the file is there but empty, 0 without file.
subroutine read_timer_flag(level)
  implicit none
  integer, intent(out) :: level
  integer :: status

  level = 0
  open (unit=11, file='timer.flag', status='old', action='read', iostat=status)
  if (status /= 0) return
  read (11, *, iostat=status) level
  if (status /= 0) level = 1
  close (11)
end subroutine read_timer_flag

! Adds the pairs of one batch to the sums and the counts. Each batch finds its own place in the
! random sequence, so it does not matter who does which.
subroutine add_batch(batch, pairs, sx, sy, counts)
  implicit none
  integer, intent(in) :: batch, pairs
  double precision, intent(inout) :: sx, sy, counts(0:9)
  integer, parameter :: most_pairs = 2**16
  integer(8), parameter :: multiplier = 1220703125_8, seed = 271828183_8
  double precision, save :: uniform(2*most_pairs)
  integer(8) :: state
  integer :: pair, annulus
  double precision :: u, v, square, factor, x, y
  integer(8), external :: product46, power46

  state = product46(seed, power46(multiplier, 2_8*pairs*batch))
  call draw(2*pairs, state, multiplier, uniform)

  do pair = 1, pairs
    u = 2.0d0*uniform(2*pair - 1) - 1.0d0
    v = 2.0d0*uniform(2*pair) - 1.0d0
    square = u*u + v*v
    if (square > 1.0d0) cycle
    factor = sqrt(-2.0d0*log(square)/square)
    x = u*factor
    y = v*factor
    annulus = int(max(abs(x), abs(y)))
    counts(annulus) = counts(annulus) + 1.0d0
    sx = sx + x
    sy = sy + y
  end do
end subroutine add_batch

! The next n deviates, uniform in (0, 1); state goes on.
subroutine draw(n, state, multiplier, uniform)
  implicit none
  integer, intent(in) :: n
  integer(8), intent(inout) :: state
  integer(8), intent(in) :: multiplier
  double precision, intent(out) :: uniform(n)
  double precision, parameter :: unit = 0.5d0**46
  integer :: i
  integer(8), external :: product46

  do i = 1, n
    state = product46(multiplier, state)
    uniform(i) = unit*dble(state)
  end do
end subroutine draw

! a*b mod 2**46 for a, b below 2**46, in halves of 23 bits so that nothing overflows 63 bits.
integer(8) function product46(a, b)
  implicit none
  integer(8), intent(in) :: a, b
  integer(8), parameter :: low23 = 2_8**23 - 1, low46 = 2_8**46 - 1
  integer(8) :: a_high, a_low, b_high, b_low, middle

  a_high = ishft(a, -23)
  a_low = iand(a, low23)
  b_high = ishft(b, -23)
  b_low = iand(b, low23)
  middle = iand(a_high*b_low + a_low*b_high, low23)
  product46 = iand(ishft(middle, 23) + a_low*b_low, low46)
end function product46

! a**n mod 2**46, by squaring.
integer(8) function power46(a, n)
  implicit none
  integer(8), intent(in) :: a, n
  integer(8) :: square, left
  integer(8), external :: product46

  power46 = 1
  square = a
  left = n
  do while (left > 0)
    if (iand(left, 1_8) == 1_8) power46 = product46(power46, square)
    square = product46(square, square)
    left = left/2
  end do
end function power46
