//! Forms of messages: answers of any request, wildcards in variables, wrappers. What is made of answers is the same in
//! whatever order they come.

use super::features::{Form, lines, piece, sent_value, unit};
use super::program_tree::{ProgramNode, Unit};
use super::statements::Generator;

impl Generator {
    pub fn message_completion(&mut self, number: usize) -> Form {
        match self.chance.below(6) {
            0 => self.waitany(),
            1 => self.waitsome(),
            2 => self.any_source(),
            3 => self.wrapped(number),
            4 => self.wrapped_in_function(number),
            _ => self.request_of_caller(number),
        }
    }

    /// Receives from two neighbours that are under way.
    fn two_pending_messages(&mut self) -> ProgramNode {
        piece(
            "do k = 1, 2
  call mpi_irecv(b(4 * k - 3), 4, mpi_integer, modulo(rank - k, nprocs), 80 + k, mpi_comm_world, rq(k), ierr)
end do
do k = 1, 2
  a(k) = 3 * k + l
  call mpi_isend(a(k), k, mpi_integer, modulo(rank + k, nprocs), 80 + k, mpi_comm_world, rq(2 + k), ierr)
end do",
        )
    }

    /// MPI_Waitany until all were there.
    fn waitany(&mut self) -> Form {
        let taken = self.chance.pick(&[
            "  v = v + b(4 * ic - 3)",
            "  call mpi_get_count(st, mpi_integer, u, ierr)\n  v = v + u",
            "  do j = 1, 3 * ic\n    w(j) = w(j) * 0.5d0\n  end do",
            "  v = v + ic",
        ]);
        let drain = format!(
            "do k = 1, 2\n  call mpi_waitany(2, rq, ic, st, ierr)\n{taken}\nend do\ncall mpi_waitall(2, rq(3), sts, ierr)"
        );
        let body = vec![
            self.two_pending_messages(),
            piece(&drain),
            piece(&sent_value("v")),
        ];
        Form {
            body,
            ..Form::default()
        }
    }

    /// MPI_Waitsome, or MPI_Testany, of messages that are there already.
    fn waitsome(&mut self) -> Form {
        let sent = piece(
            "do k = 1, 2
  call mpi_irecv(b(4 * k - 3), 4, mpi_integer, 0, 80 + k, mpi_comm_self, rq(k), ierr)
  a(k) = 3 * k + l
  call mpi_send(a(k), k, mpi_integer, 0, 80 + k, mpi_comm_self, ierr)
end do",
        );
        let drain = match self.chance.below(3) {
            0 => {
                "m = 0
do while (m < 2)
  call mpi_waitsome(2, rq, j, big, sts, ierr)
  do k = 1, j
    v = v + b(4 * big(k) - 3)
  end do
  m = m + j
end do"
            }
            1 => {
                "do m = 1, 2
  lo = .false.
  do while (.not. lo)
    call mpi_testany(2, rq, ic, lo, st, ierr)
  end do
  v = v + b(4 * ic - 3)
end do"
            }
            _ => {
                "do
  call mpi_waitany(2, rq, ic, st, ierr)
  if (ic == mpi_undefined) exit
  call mpi_get_count(st, mpi_integer, j, ierr)
  v = v + j * b(4 * ic - 3)
end do"
            }
        };
        Form {
            body: vec![sent, piece(drain), piece(&sent_value("v"))],
            ..Form::default()
        }
    }

    /// A source that is anybody, or a neighbour, as a variable says: by its tag only one can have sent.
    fn any_source(&mut self) -> Form {
        let tag = self.chance.pick(&["33", "33", "any"]);
        let asked = self
            .chance
            .pick(&["v = b(1)", "v = st(mpi_source)", "v = st(mpi_tag)", ""]);
        let body = piece(&format!(
            "m = mpi_any_source
if (modulo(n, 2) == 1) m = modulo(rank - 1, nprocs)
any = 33
if (modulo(n, 3) == 2 .and. m /= mpi_any_source) any = mpi_any_tag
call mpi_isend(l, 1, mpi_integer, modulo(rank + 1, nprocs), 33, mpi_comm_world, rq(1), ierr)
call mpi_recv(b, 8, mpi_integer, m, {tag}, mpi_comm_world, st, ierr)
call mpi_wait(rq(1), mpi_status_ignore, ierr)
call mpi_barrier(mpi_comm_world, ierr)
{asked}
{}",
            sent_value("v")
        ));
        Form {
            declared: lines("  integer :: any"),
            body: vec![body],
            ..Form::default()
        }
    }

    /// A subroutine that exchanges messages; count and partner are arguments.
    fn wrapped(&mut self, number: usize) -> Form {
        let (used, included) = self.constants();
        let head = format!(
            "subroutine zqy{number}(from, length, shift, into, got)\n{used}\n  implicit none\n{included}
  integer :: length, from(length), shift, into(8), got, rank, nprocs, ierr, st(mpi_status_size), rq
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, nprocs, ierr)"
        );
        let exchanged = piece(
            "call mpi_irecv(into, 8, mpi_integer, modulo(rank - shift, nprocs), 44, mpi_comm_world, rq, ierr)
call mpi_send(from, length, mpi_integer, modulo(rank + shift, nprocs), 44, mpi_comm_world, ierr)
call mpi_wait(rq, st, ierr)",
        );
        let got = self.chance.pick(&[
            "call mpi_get_count(st, mpi_integer, got, ierr)",
            "got = into(1)",
            "got = length + 9",
        ]);
        let callee: Unit = unit(&head, vec![exchanged, piece(got)], "end subroutine");
        let given = self.chance.pick(&[
            "a, 1 + modulo(l, 4), 1",
            "a(2:8:2), 2, u",
            "[l, n], 1 + modulo(n, 2), 2",
        ]);
        let body = piece(&format!(
            "a(1:3) = l + 4\ncall zqy{number}({given}, b, v)\n{}\nl = modulo(v, 97)",
            sent_value("v")
        ));
        Form {
            body: vec![body],
            beside: vec![callee],
            ..Form::default()
        }
    }

    /// A function that makes calls, is given an array and stands in an expression.
    fn wrapped_in_function(&mut self, number: usize) -> Form {
        let (used, included) = self.constants();
        let head = format!(
            "integer function zqy{number}(from, length)\n{used}\n  implicit none\n{included}\n  integer :: length, from(length), ierr, all"
        );
        let operation = self.chance.pick(&["mpi_sum", "mpi_max"]);
        let reduced = piece(&format!(
            "call mpi_allreduce(sum(from), all, 1, mpi_integer, {operation}, mpi_comm_world, ierr)"
        ));
        let answer = self.chance.pick(&[
            "zqyN = modulo(all, 97)",
            "zqyN = modulo(all, 7)\nfrom(1) = from(1) + 1",
            "zqyN = length",
        ]);
        let callee = unit(
            &head,
            vec![
                reduced,
                piece(&answer.replace("zqyN", &format!("zqy{number}"))),
            ],
            "end function",
        );
        let f = format!("zqy{number}");
        let asked = match self.chance.below(5) {
            0 => format!("v = 3 + {f}(a, 4) * 2"),
            1 => format!(
                "if ({f}(a, 3) > 20) then\n  v = 9\nelse if ({f}(b(2:), 2) > 4) then\n  v = 8\nelse\n  v = 7\nend if"
            ),
            2 => format!(
                "select case ({f}(a(3:6), 2))\ncase (:3)\n  v = 20\ncase (4, 6, 10:)\n  v = 21\ncase default\n  v = 22\nend select"
            ),
            3 => format!("do k = 1, 1 + modulo({f}(a, 2), 3)\n  v = v + 1\nend do"),
            _ => format!(
                "do while ({f}(a, 8) < 4 .and. v < 9)\n  v = v + 1\nend do\nu = {f}(b, 1 + modulo(n, 3))"
            ),
        };
        let body = vec![
            piece("a(1:4) = 3 * rank + modulo(n, 5)"),
            piece(&asked),
            piece(&sent_value("v + a(1)")),
        ];
        let declared = lines(&format!("  integer, external :: {f}"));
        Form {
            declared,
            body,
            beside: vec![callee],
            ..Form::default()
        }
    }

    /// Requests that one procedure starts and another waits for, in COMMON.
    fn request_of_caller(&mut self, number: usize) -> Form {
        let (used, included) = self.constants();
        let common = format!(
            "  integer :: held(2), got(4), given(4)\n  common /zqe{number}/ held, got, given"
        );
        let declared = |head: &str, more: &str| {
            format!(
                "{head}\n{used}\n  implicit none\n{included}\n  integer :: ierr, rank, nprocs, shift{more}\n{common}"
            )
        };
        let start = unit(
            &declared(&format!("subroutine zqy{number}(shift)"), ""),
            vec![piece(
                "call mpi_comm_rank(mpi_comm_world, rank, ierr)
call mpi_comm_size(mpi_comm_world, nprocs, ierr)
call mpi_irecv(got, 4, mpi_integer, modulo(rank - shift, nprocs), 45, mpi_comm_world, held(1), ierr)
call mpi_isend(given, 1 + modulo(shift, 4), mpi_integer, modulo(rank + shift, nprocs), 45, mpi_comm_world, held(2), ierr)",
            )],
            "end subroutine",
        );
        let end = unit(
            &declared(
                &format!("subroutine zqz{number}"),
                ", sts(mpi_status_size, 2)",
            ),
            vec![piece("call mpi_waitall(2, held, sts, ierr)")],
            "end subroutine",
        );
        let asked = self.chance.pick(&["got(1)", "got(2) + got(1)", "given(2)"]);
        let body = vec![
            piece("given = 12 + 5 * rank; got = 1"),
            piece(&format!(
                "call zqy{number}(1 + modulo(n, 3))\nv = modulo(n, 9) * 11\ncall zqz{number}"
            )),
            piece(&sent_value(asked)),
            piece(&sent_value("v")),
        ];
        Form {
            declared: lines(&common),
            body,
            beside: vec![start, end],
            ..Form::default()
        }
    }
}
