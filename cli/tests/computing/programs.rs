//! Random programs: what is known at the set-up, what changes in the time loop and what others send, with blocks of
//! [`super::statements`] between messages. Nothing that decides a call of MPI depends on data.

use super::program_tree::{Program, ProgramNode, Unit};
use super::rng::Rng;
use super::statements::{self, Scope};

/// Numbers of ranks.
const RANKS: [u32; 5] = [2, 4, 6, 9, 12];

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut chance = Rng::new(seed);
    let ranks = RANKS[chance.below(RANKS.len())];
    let sizes = Unit {
        head: SETUP.lines().map(String::from).collect(),
        body: set_up(&mut chance),
        end: vec!["end subroutine".into()],
    };
    // Only in some programs does control flow depend on received data: that work is known only if all ranks run.
    let quiet = !chance.one_in(4);
    let scope = Scope {
        sent: chance.one_in(4),
        quiet,
        steps: true,
        ..Scope::default()
    };
    let mut body: Vec<ProgramNode> = Vec::new();
    if chance.one_in(2) {
        body.push(statements::block(
            &mut chance,
            &Scope {
                steps: false,
                ..scope.clone()
            },
        ));
        body.push(message(&mut chance));
    }
    let count = if quiet {
        1 + chance.below(2)
    } else {
        2 + chance.below(3)
    };
    let mut steps: Vec<ProgramNode> = Vec::new();
    for _ in 0..count {
        steps.push(statements::block(&mut chance, &scope));
        if chance.one_in(2) {
            steps.push(ProgramNode::line(chance.pick(&CHANGES)));
        }
        steps.push(message(&mut chance));
    }
    let head = vec![format!("do step = 1, {}", 4 + chance.below(16))];
    body.push(ProgramNode::around(head, steps, vec!["end do".into()]));
    let main = Unit {
        head: HEAD.lines().map(String::from).collect(),
        body,
        end: END.lines().map(String::from).collect(),
    };
    Program {
        ranks,
        units: vec![sizes, main],
    }
}

/// What is the program's and all its procedures'.
const SETUP: &str = "\
module shared
  implicit none
  include 'mpif.h'
  integer, parameter :: cap = 24
  integer :: rank, ranks, error, status(mpi_status_size), left, right
  integer :: n, lo, hi, width, grow, flip, late, got, most, given, nc, mc
  integer :: shape(0:19), mine(0:19)
  real(8) :: s, x(200), y(200), a(130, 60)
  real(8), allocatable :: own(:)
  character(1000) :: text
  common /sizes/ nc, mc
end module
subroutine set_up()
  use shared
  implicit none
  integer :: i
  n = 20
  width = 120/ranks
  lo = rank*width + 1
  hi = lo + width - 1
  nc = 12
  mc = 7
  grow = 3
  flip = 0
  late = 0
  got = 4
  most = 5
  given = 6
  s = 0
  do i = 0, 19
    shape(i) = mod(7*i, 11) + 1
    mine(i) = mod(5*i + 3*rank, 13) + 1
  end do
  do i = 1, 200
    x(i) = mod(i*37, 100)*0.01d0
    y(i) = mod(i*53 + 29*rank, 100)*0.01d0
  end do
  a = 0.5d0";

/// What the set-up may decide besides.
fn set_up(chance: &mut Rng) -> Vec<ProgramNode> {
    let size = chance.pick(&[
        "n = 16 + 4*rank",
        "n = 96/ranks",
        "n = 30 - 2*rank",
        "n = 25",
    ]);
    let common = chance.pick(&["nc = 10 + rank", "nc = 60/ranks", "nc = 15", "nc = mine(3)"]);
    let own = chance.pick(&[
        "allocate(own(10 + 3*rank))",
        "allocate(own(n))",
        "allocate(own(40))",
    ]);
    vec![
        ProgramNode::line(size),
        ProgramNode::line(common),
        ProgramNode::line(chance.pick(&["mc = 5 + mod(rank, 3)", "mc = 9", "mc = shape(2)"])),
        ProgramNode::Lines(vec![own.into(), "own = 0.25d0".into()]),
    ]
}

/// The program and its procedures.
const HEAD: &str = "\
subroutine row(many)
  use shared
  implicit none
  integer :: many, l
  do l = 1, many
    s = s + x(l)
    s = s*0.5d0
  end do
end subroutine
subroutine corner(many)
  use shared
  implicit none
  integer :: many, l, m
  do l = 1, many
    do m = l, many
      s = s + 0.001d0*a(l, m)
    end do
  end do
end subroutine
subroutine until(many, last)
  use shared
  implicit none
  integer :: many, last, l
  do l = 1, many
    if (l > last) return
    s = s + 0.5d0*x(l)
    s = s*0.75d0
  end do
  s = s + 1
end subroutine
subroutine onto(field, many)
  use shared
  implicit none
  integer :: many, l
  real(8) :: field(many)
  do l = 1, size(field)
    field(l) = field(l)*0.5d0 + 0.25d0
  end do
end subroutine
real(8) function of(number)
  use shared
  implicit none
  integer :: number, l
  of = 0
  do l = 1, mod(number, 4)
    of = of + x(l)
  end do
end function
program main
  use shared
  implicit none
  real(8), external :: of
  integer :: step, i, j, k, m, v, w
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  call set_up()";

const END: &str = "\
  call mpi_finalize(error)
  if (s < -1) print *, s, y, own, a
end program";

/// What the time loop changes.
const CHANGES: [&str; 6] = [
    "grow = grow + 1",
    "flip = 1 - flip",
    "x(1:100) = x(1:100)*0.9d0",
    "y(1:100) = y(2:101)",
    "if (step > 5) late = 8",
    "n = 14 + 2*mod(step, 3)",
];

/// A message.
fn message(chance: &mut Rng) -> ProgramNode {
    let lines: &[&str] = match chance.below(6) {
        0 => &["call mpi_barrier(mpi_comm_world, error)"],
        1 => &[
            "call mpi_allreduce(s, y(101), 1, mpi_double_precision, mpi_max, mpi_comm_world, error)",
        ],
        2 => &[
            "call mpi_sendrecv(mine(3), 1, mpi_integer, right, 1, got, 1, mpi_integer, left, 1, &",
            "  mpi_comm_world, status, error)",
        ],
        3 => &["call mpi_allreduce(mine(4), most, 1, mpi_integer, mpi_max, mpi_comm_world, error)"],
        4 => &["call mpi_bcast(given, 1, mpi_integer, 0, mpi_comm_world, error)"],
        _ => &[
            "call mpi_sendrecv(x(1), 4, mpi_double_precision, right, 2, x(101), 4, mpi_double_precision, left, 2, &",
            "  mpi_comm_world, status, error)",
        ],
    };
    ProgramNode::Lines(lines.iter().map(|line| line.to_string()).collect())
}
