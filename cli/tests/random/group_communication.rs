//! Forms of messages among some or all ranks: topologies and missing neighbours, communicators made in loops, counts
//! that arrays hold, collectives that are waited for, packed data, parts of arrays as types, groups.

use super::features::{Form, lines, piece, sent_value};
use super::statements::Generator;

impl Generator {
    pub fn group_communication(&mut self) -> Form {
        match self.chance.below(11) {
            0 | 1 => self.neighbours(),
            2 => self.split_in_loop(),
            3 => self.counts_in_arrays(),
            4 => self.nonblocking_collective(),
            5 => self.prefixes(),
            6 => self.packed(),
            7 => self.parts_as_types(),
            8 => self.grouped(),
            9 => self.waitall_statuses(),
            _ => self.as_long_as_it_is(),
        }
    }

    /// A line or ring of ranks; the neighbour at an end may be MPI_PROC_NULL.
    fn neighbours(&mut self) -> Form {
        let periodic = self.chance.pick(&[
            "periods = .false.",
            "periods = .true.",
            "periods = modulo(n, 2) == 0",
        ]);
        let exchanged = self.chance.pick(&[
            "call mpi_sendrecv(a, 1 + modulo(l, 3), mpi_integer, k, 51, b, 8, mpi_integer, j, 51, cart, st, ierr)",
            "b = a\ncall mpi_sendrecv_replace(b, 2, mpi_integer, k, 51, j, 51, cart, st, ierr)",
            "call mpi_irecv(b, 8, mpi_integer, j, 51, cart, rq(1), ierr)\ncall mpi_send(a, 2, mpi_integer, k, 51, cart, ierr)\ncall mpi_wait(rq(1), st, ierr)",
        ]);
        let asked = self.chance.pick(&[
            "v = b(1)",
            "call mpi_get_count(st, mpi_integer, v, ierr)",
            "v = 0\nif (j /= mpi_proc_null) v = 20 + j",
            "if (st(mpi_source) == mpi_proc_null) v = 30",
            "call mpi_cart_coords(cart, rank, 1, dims, ierr)\nv = dims(1)",
            "call mpi_cart_get(cart, 1, dims, periods, u, ierr)\nif (periods(1)) v = dims(1) + u",
        ]);
        let body = vec![
            piece(&format!(
                "dims = nprocs\n{periodic}\ncall mpi_cart_create(mpi_comm_world, 1, dims, periods, .false., cart, ierr)
call mpi_cart_shift(cart, 0, 1 + modulo(n, 2), j, k, ierr)"
            )),
            piece("a(1:3) = 5 + 3 * rank + modulo(l, 4)"),
            piece(exchanged),
            piece(asked),
            piece("call mpi_comm_free(cart, ierr)"),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines("  integer :: dims(1), cart\n  logical :: periods(1)"),
            body,
            ..Form::default()
        }
    }

    /// Communicators of other members in each iteration.
    fn split_in_loop(&mut self) -> Form {
        let colour = self.chance.pick(&[
            "modulo(rank + k * n, 2)",
            "merge(mpi_undefined, k, rank == modulo(k, nprocs))",
            "modulo(v + rank, 2)",
            "rank / k",
        ]);
        let key = self.chance.pick(&["rank", "-rank", "modulo(l, 3)"]);
        let does = self.chance.pick(&[
            "call mpi_allreduce(l, u, 1, mpi_integer, mpi_max, part, ierr)\nv = modulo(v + u, 97)",
            "call mpi_comm_rank(part, u, ierr)\nv = v + u",
            "call mpi_comm_size(part, u, ierr)\nv = 10 * v + u",
            "call mpi_bcast(v, 1, mpi_integer, 0, part, ierr)",
        ]);
        let body = vec![
            piece(&format!(
                "do k = 1, 2 + modulo(n, 2)
  call mpi_comm_split(mpi_comm_world, {colour}, {key}, part, ierr)
  if (part /= mpi_comm_null) then
{does}
    call mpi_comm_free(part, ierr)
  end if
end do"
            )),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines("  integer :: part"),
            body,
            ..Form::default()
        }
    }

    /// Counts and displacements of the ranks' contributions, which the ranks exchange first.
    fn counts_in_arrays(&mut self) -> Form {
        let counted = self.chance.pick(&[
            "1 + modulo(l, 3)",
            "modulo(rank + n, 3)",
            "1 + modulo(rank, 2)",
        ]);
        let moved = self.chance.pick(&[
            "call mpi_allgatherv(a, ic, mpi_integer, big, counts, places, mpi_integer, mpi_comm_world, ierr)",
            "call mpi_gatherv(a, ic, mpi_integer, big, counts, places, mpi_integer, modulo(n, nprocs), mpi_comm_world, ierr)",
            "call mpi_alltoallv(big, sent, begins, mpi_integer, b, counts, places, mpi_integer, mpi_comm_world, ierr)\nbig(1:8) = b",
        ]);
        let asked = self.chance.pick(&[
            "big(2)",
            "counts(nprocs)",
            "places(nprocs)",
            "sum(counts(1:nprocs))",
        ]);
        let agreed = match moved.contains("alltoallv") {
            // As many to each as that one expects.
            true => {
                "sent = 1 + modulo(rank, 2)\ncall mpi_alltoall(sent, 1, mpi_integer, counts, 1, mpi_integer, mpi_comm_world, ierr)"
            }
            false => {
                "call mpi_allgather(ic, 1, mpi_integer, counts, 1, mpi_integer, mpi_comm_world, ierr)"
            }
        };
        let body = vec![
            piece(&format!(
                "ic = {counted}\na = 3 + rank\ncounts = 0; sent = 1; begins = 0\n{agreed}"
            )),
            piece(
                "places(1) = 0\ndo k = 2, nprocs\n  places(k) = places(k - 1) + counts(k - 1)\nend do",
            ),
            piece(moved),
            piece(&format!("v = {asked}")),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines("  integer :: counts(4), places(4), sent(4), begins(4)"),
            body,
            ..Form::default()
        }
    }

    /// Collectives that are started and waited for.
    fn nonblocking_collective(&mut self) -> Form {
        let started = self.chance.pick(&[
            "call mpi_iallreduce(u, m, 1, mpi_integer, mpi_sum, mpi_comm_world, rq(1), ierr)",
            "m = u\ncall mpi_ibcast(m, 1, mpi_integer, modulo(n, nprocs), mpi_comm_world, rq(1), ierr)",
            "call mpi_iallgather(u, 1, mpi_integer, big, 1, mpi_integer, mpi_comm_world, rq(1), ierr)",
            "call mpi_ireduce(u, m, 1, mpi_integer, mpi_max, 0, mpi_comm_world, rq(1), ierr)",
        ]);
        let between = self.chance.pick(&[
            "v = 7",
            "do k = 1, 9\n  w(k) = w(k) * 0.5d0\nend do",
            "call mpi_barrier(mpi_comm_world, ierr)",
        ]);
        let ended = self.chance.pick(&[
            "call mpi_wait(rq(1), mpi_status_ignore, ierr)",
            "call mpi_ibarrier(mpi_comm_world, rq(2), ierr)\ncall mpi_waitall(2, rq, sts, ierr)",
        ]);
        let asked = self.chance.pick(&["v + m", "m + big(2)", "m"]);
        let body = vec![
            piece("u = 4 + 3 * rank + modulo(l, 2)"),
            piece(started),
            piece(between),
            piece(ended),
            piece(&sent_value(asked)),
        ];
        Form {
            body,
            ..Form::default()
        }
    }

    /// Results that depend on the order of ranks, or stand where the data stood.
    fn prefixes(&mut self) -> Form {
        let reduced = self.chance.pick(&[
            "call mpi_scan(u, v, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)",
            "v = 40\ncall mpi_exscan(u, v, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)\nif (rank == 0) v = 40",
            "v = u\ncall mpi_allreduce(mpi_in_place, v, 1, mpi_integer, mpi_max, mpi_comm_world, ierr)",
            "a(1:nprocs) = u\ncall mpi_reduce_scatter_block(a, v, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)",
            "a(1:2) = [u, rank]\ncall mpi_allreduce(a, b, 1, mpi_2integer, mpi_maxloc, mpi_comm_world, ierr)\nv = b(2) + 50",
            "call mpi_reduce(u, v, 1, mpi_integer, mpi_sum, 0, mpi_comm_world, ierr)\ncall mpi_bcast(v, 1, mpi_integer, 0, mpi_comm_world, ierr)",
            "a(1:nprocs) = [(k + rank, k = 1, nprocs)]\ncall mpi_alltoall(a, 1, mpi_integer, b, 1, mpi_integer, mpi_comm_world, ierr)\nv = b(nprocs)",
            "a(1:nprocs) = 60 + n\ncall mpi_scatter(a, 1, mpi_integer, v, 1, mpi_integer, modulo(n, nprocs), mpi_comm_world, ierr)",
        ]);
        let body = vec![
            piece("u = 3 + 2 * rank + modulo(n, 3)"),
            piece(reduced),
            piece(&sent_value("v")),
        ];
        Form {
            body,
            ..Form::default()
        }
    }

    /// MPI_Pack and MPI_Unpack, with the place they go on from.
    fn packed(&mut self) -> Form {
        let also = self.chance.pick(&[
            "",
            "if (modulo(n, 2) == 0) call mpi_pack(b, 2, mpi_integer, room, 200, at, mpi_comm_world, ierr)",
        ]);
        let sent = self.chance.pick(&[
            "call mpi_sendrecv_replace(room, 200, mpi_packed, modulo(rank + 1, nprocs), 52, modulo(rank - 1, nprocs), 52, mpi_comm_world, st, ierr)",
            "call mpi_bcast(room, at, mpi_packed, 0, mpi_comm_world, ierr)",
        ]);
        let asked = self.chance.pick(&["v + at", "v", "at", "int(x)"]);
        let body = vec![
            piece("x = 30.5d0 + rank\nm = 12 + modulo(n, 9)\nat = 0\nroom = ' '"),
            piece("call mpi_pack(m, 1, mpi_integer, room, 200, at, mpi_comm_world, ierr)"),
            piece(also),
            piece("call mpi_pack(x, 1, mpi_double_precision, room, 200, at, mpi_comm_world, ierr)"),
            piece(sent),
            piece("k = 0\ncall mpi_unpack(room, 200, k, v, 1, mpi_integer, mpi_comm_world, ierr)"),
            piece(
                "k = at - 8\ncall mpi_unpack(room, 200, k, x, 1, mpi_double_precision, mpi_comm_world, ierr)",
            ),
            piece(&sent_value(asked)),
        ];
        Form {
            declared: lines("  integer :: at\n  character(200) :: room"),
            body,
            ..Form::default()
        }
    }

    /// Types that say which part of an array goes.
    fn parts_as_types(&mut self) -> Form {
        let made = self.chance.pick(&[
            "call mpi_type_create_subarray(1, [8], [2], [3 + modulo(n, 3)], mpi_order_fortran, mpi_integer, part, ierr)",
            "call mpi_type_indexed(2, [1, 2], [1, 4 + modulo(n, 3)], mpi_integer, part, ierr)",
            "call mpi_type_contiguous(1 + modulo(n, 3), mpi_integer, part, ierr)",
            "call mpi_type_create_indexed_block(2, 1, [2, 6], mpi_integer, part, ierr)",
            "call mpi_type_vector(3, 1, 2, mpi_integer, part, ierr)",
        ]);
        let asked = self.chance.pick(&[
            "call mpi_type_size(part, v, ierr)",
            "v = b(5) + b(4)",
            "call mpi_get_count(st, part, v, ierr)",
            "call mpi_get_elements(st, part, v, ierr)",
            "v = b(1) + b(6)",
        ]);
        let body = vec![
            piece("a = [(9 + k + rank, k = 1, 8)]\nb = 2"),
            piece(made),
            piece("call mpi_type_commit(part, ierr)"),
            piece(
                "call mpi_sendrecv(a, 1, part, modulo(rank + 1, nprocs), 53, b, 1, part, modulo(rank - 1, nprocs), 53, mpi_comm_world, st, ierr)",
            ),
            piece(asked),
            piece("call mpi_type_free(part, ierr)"),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines("  integer :: part"),
            body,
            ..Form::default()
        }
    }

    /// Groups of ranks, and communicators of them.
    fn grouped(&mut self) -> Form {
        let chosen = self.chance.pick(&[
            "call mpi_group_incl(whole, 1, [modulo(n, nprocs)], some, ierr)",
            "call mpi_group_excl(whole, 1, [modulo(n, nprocs)], some, ierr)",
            "call mpi_group_incl(whole, 2, [1, 0], some, ierr)",
            "call mpi_group_range_incl(whole, 1, [0, nprocs - 1, 2], some, ierr)",
        ]);
        let asked = self.chance.pick(&[
            "call mpi_group_rank(some, v, ierr)",
            "call mpi_group_size(some, v, ierr)",
            "call mpi_group_translate_ranks(whole, 1, [1], some, dims, ierr)\nv = dims(1)",
            "if (part /= mpi_comm_null) call mpi_allreduce(rank, v, 1, mpi_integer, mpi_sum, part, ierr)",
            "if (part /= mpi_comm_null) call mpi_comm_rank(part, v, ierr)",
        ]);
        let body = vec![
            piece("call mpi_comm_group(mpi_comm_world, whole, ierr)"),
            piece(chosen),
            piece("call mpi_comm_create(mpi_comm_world, some, part, ierr)"),
            piece(asked),
            piece(
                "if (part /= mpi_comm_null) call mpi_comm_free(part, ierr)\ncall mpi_group_free(some, ierr)\ncall mpi_group_free(whole, ierr)",
            ),
            piece(&sent_value("v + 10")),
        ];
        Form {
            declared: lines("  integer :: whole, some, part, dims(1)"),
            body,
            ..Form::default()
        }
    }

    /// Values in the statuses of several requests.
    fn waitall_statuses(&mut self) -> Form {
        let asked = self.chance.pick(&[
            "do k = 1, 2\n  call mpi_get_count(sts(:, k), mpi_integer, u, ierr)\n  v = v + k * u\nend do",
            "v = sts(mpi_source, 2)",
            "st = sts(:, 1 + modulo(n, 2))\nv = st(mpi_tag)",
            "call mpi_get_count(sts(1, 2), mpi_integer, v, ierr)",
        ]);
        let started = self.chance.pick(&["isend", "issend"]);
        let body = vec![
            piece(&format!(
                "do k = 1, 2
  call mpi_irecv(b(4 * k - 3), 4, mpi_integer, modulo(rank - k, nprocs), 54 + k, mpi_comm_world, rq(k), ierr)
end do
do k = 1, 2
  call mpi_{started}(a, k + modulo(l, 2), mpi_integer, modulo(rank + k, nprocs), 54 + k, mpi_comm_world, rq(2 + k), ierr)
end do
call mpi_waitall(4, rq, sts, ierr)"
            )),
            piece(asked),
            piece(&sent_value("v")),
        ];
        Form {
            body,
            ..Form::default()
        }
    }

    /// A message of unknown length: it is asked for first, and there is room made for it.
    fn as_long_as_it_is(&mut self) -> Form {
        let made = self.chance.pick(&[
            "allocate(q(u))",
            "allocate(q(0:u - 1))",
            "allocate(q(u + 1))",
        ]);
        let asked = self.chance.pick(&[
            "size(q)",
            "q(lbound(q, 1)) + u",
            "sum(q(:u - 1)) + ubound(q, 1)",
        ]);
        let body = vec![
            piece(
                "a = 8 + rank\ncall mpi_isend(a, 2 + modulo(l, 5), mpi_integer, modulo(rank + 1, nprocs), 57, mpi_comm_world, rq(1), ierr)",
            ),
            piece(
                "call mpi_probe(modulo(rank - 1, nprocs), 57, mpi_comm_world, st, ierr)\ncall mpi_get_count(st, mpi_integer, u, ierr)",
            ),
            piece(&format!("{made}\nq = 1")),
            piece(
                "call mpi_recv(q, u, mpi_integer, st(mpi_source), 57, mpi_comm_world, mpi_status_ignore, ierr)\ncall mpi_wait(rq(1), mpi_status_ignore, ierr)",
            ),
            piece(&format!("v = {asked}")),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines("  integer, allocatable :: q(:)"),
            body,
            ..Form::default()
        }
    }
}
