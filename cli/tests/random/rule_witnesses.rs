//! Forms that need a rule of the slicer: each documents the rule that it detects.

use super::features::{Form, counted, lines, piece, sent_value, unit};
use super::program_tree::{ProgramNode, Unit};
use super::statements::Generator;

impl Generator {
    pub fn rule_witness(&mut self, number: usize) -> Form {
        match self.chance.below(12) {
            0 => self.callback(number),
            1 => self.counted_by_callee(number),
            2 => self.partial_write(),
            3 => self.work_of_first_iteration(),
            4 => self.text(),
            5 => self.written_beside(number),
            6 => self.one_for_two(number),
            7 | 11 => self.status_dependent(),
            8 => self.sent_as_another_type(),
            9 => self.recorded_by_first(number),
            _ => self.drawn(),
        }
    }

    /// MPI calls a reduction operation, which writes a variable that is not an argument and combines values that control flow depends on.
    fn callback(&mut self, number: usize) -> Form {
        let (factor, sent_value) = (2 + self.chance.below(4), sent_value("v"));
        let asked = self.chance.pick(&["v", "calls"]);
        let operation = unit(
            &format!(
                "subroutine zqy{number}(a, b, length, datatype)
  implicit none
  integer :: length, datatype, a(length), b(length), calls
  common /zqe{number}/ calls"
            ),
            vec![
                piece(&format!("b = modulo(a + b + {factor}, 9001)")),
                piece("calls = calls + 7"),
            ],
            "end subroutine",
        );
        let body = vec![piece(&format!(
            "calls = 1
call mpi_op_create(zqy{number}, .true., m, ierr)
u = 11 + 3 * rank
call mpi_allreduce(u, v, 1, mpi_integer, m, mpi_comm_world, ierr)
call mpi_op_free(m, ierr)
v = {asked}
{sent_value}"
        ))];
        let declared = lines(&format!(
            "  integer :: calls\n  common /zqe{number}/ calls\n  external :: zqy{number}"
        ));
        Form {
            declared,
            body,
            beside: vec![operation],
            ..Form::default()
        }
    }

    /// An iteration carries something to the next that only what it calls knows.
    fn counted_by_callee(&mut self, number: usize) -> Form {
        let (used, included) = self.constants();
        let (step, times) = (1 + self.chance.below(3), 3 + self.chance.below(3));
        let (kept, counted) = (
            self.chance.pick(&[
                "  integer, save :: c = 1",
                "  integer :: c\n  common /zqe/ c",
            ]),
            counted("c"),
        );
        let kept = kept.replace("zqe", &format!("zqe{number}"));
        let mut body = vec![
            piece(&format!("c = modulo(c + {step}, 50)")),
            piece(&counted),
        ];
        if self.chance.one_in(2) {
            body.reverse();
        }
        let head = format!(
            "subroutine zqy{number}(m)\n{used}\n  implicit none\n{included}\n  integer :: m, ierr, big(32)\n{kept}"
        );
        let callee = unit(&head, body, "end subroutine");
        let calls = piece(&format!("do k = 1, {times}\n  call zqy{number}(m)\nend do"));
        let first = piece("c = 3");
        let (declared, body) = match kept.contains("common") {
            true => (lines(&kept), vec![first, calls]),
            false => (vec![], vec![calls]),
        };
        Form {
            declared,
            body,
            beside: vec![callee],
            ..Form::default()
        }
    }

    /// What an iteration writes is a part, and another part is as the one before left it.
    fn partial_write(&mut self) -> Form {
        let (times, counted) = (3 + self.chance.below(3), counted("a(2)"));
        let written = self.chance.pick(&[
            "a(1) = n",
            "a(u) = 2",
            "a(3:5) = 1",
            "a(modulo(n, 2) + 5) = 3",
        ]);
        let loops =
            format!("do k = 1, {times}\n  {written}\n  {counted}\n  a(2) = a(2) + 1\nend do");
        Form {
            body: vec![piece(&loops)],
            ..Form::default()
        }
    }

    /// The first iteration works more than all others, which no call depends on.
    fn work_of_first_iteration(&mut self) -> Form {
        let (first, others) = (20 + self.chance.below(9), 2 + self.chance.below(6));
        let body = piece(&format!(
            "m = {first}
do k = 1, 6
  do j = 1, m
    w(j) = w(j) * 0.5d0 + 0.1d0
  end do
  call mpi_barrier(mpi_comm_self, ierr)
  m = {others}
end do"
        ));
        Form {
            body: vec![body],
            ..Form::default()
        }
    }

    /// A number goes through a text.
    fn text(&mut self) -> Form {
        let (value, sent_value) = (
            self.chance.pick(&["n", "l", "3 * u + modulo(n, 9)"]),
            sent_value("v"),
        );
        let form = match self.chance.below(3) {
            0 => vec![
                piece(&format!("write(tx, '(i6)') {value}")),
                piece("read(tx, '(i6)') v"),
            ],
            1 => vec![
                piece(&format!("write(lists(1 + modulo(n, 2)), *) {value}, u")),
                piece("read(lists(1 + modulo(n, 2)), *) ic, v\nv = v + 100 * ic"),
            ],
            _ => vec![
                piece("tx = '0123456'"),
                piece(&format!("write(tx(3:4), '(i2.2)') modulo({value}, 50)")),
                piece("read(tx, '(2x, i4)') v"),
            ],
        };
        let mut body = form;
        body.push(piece(&sent_value));
        Form {
            declared: lines("  character(40) :: lists(2)"),
            body,
            ..Form::default()
        }
    }

    /// What is called writes what its caller does not name.
    fn written_beside(&mut self, number: usize) -> Form {
        let (factor, sent_value) = (2 + self.chance.below(4), sent_value("c(2)"));
        let common = format!("  integer :: c(3)\n  common /zqe{number}/ c");
        let changed = self
            .chance
            .pick(&["c(2) = c(2) * 3 + ", "c = ", "c(1:2) = c(2) + "]);
        let changed = vec![piece(&format!("{changed}{factor}"))];
        let (callee, call, own) = match self.chance.one_in(3) {
            true => (
                unit(
                    &format!(
                        "integer function zqy{number}(m)\n  implicit none\n  integer :: m\n{common}\n  zqy{number} = m"
                    ),
                    changed,
                    "end function",
                ),
                format!("u = zqy{number}(m)"),
                format!("{common}\n  integer, external :: zqy{number}"),
            ),
            false => (
                unit(
                    &format!("subroutine zqy{number}\n  implicit none\n{common}"),
                    changed,
                    "end subroutine",
                ),
                format!("call zqy{number}"),
                common.clone(),
            ),
        };
        let body = vec![
            piece("c = modulo(n, 9) + 40"),
            piece(&call),
            piece(&sent_value),
            piece("n = modulo(c(2), 97)"),
        ];
        Form {
            declared: lines(&own),
            body,
            beside: vec![callee],
            ..Form::default()
        }
    }

    /// Two dummies, or a dummy and a member of COMMON, are one variable.
    fn one_for_two(&mut self, number: usize) -> Form {
        let (used, included) = self.constants();
        let (value, sent_value) = (20 + self.chance.below(30), sent_value("one"));
        let common = format!("  integer :: c\n  common /zqe{number}/ c");
        let head = format!(
            "subroutine zqy{number}(one, two)\n{used}\n  implicit none\n{included}\n  integer :: one, two, ierr, big(32)\n{common}"
        );
        let by_common = self.chance.one_in(3);
        let written = if by_common { "c" } else { "two" };
        let body = vec![
            piece("one = 4"),
            piece(&format!("{written} = {value}")),
            piece(&sent_value),
        ];
        let callee = unit(&head, body, "end subroutine");
        let call = match by_common {
            true => format!("call zqy{number}(c, v)"),
            false => format!(
                "call zqy{number}({})",
                self.chance.pick(&["v, v", "a(2), a(u - 2)", "n, n"])
            ),
        };
        Form {
            declared: lines(&common),
            body: vec![piece(&call)],
            beside: vec![callee],
            ..Form::default()
        }
    }

    /// A status, or what is asked of it, decides.
    fn status_dependent(&mut self) -> Form {
        let (source, tag) = (
            self.chance.pick(&["0", "mpi_any_source"]),
            self.chance.pick(&["mpi_any_tag", "70 + modulo(l, 9)"]),
        );
        let asked = self.chance.pick(&[
            "v = st(mpi_tag)",
            "call mpi_get_count(st, mpi_integer, v, ierr)",
            "v = st(mpi_source) + 30",
        ]);
        let taken = self.chance.pick(&["call mpi_recv(a, 8, mpi_integer, SOURCE, TAG, mpi_comm_self, st, ierr)",
            "call mpi_irecv(a, 8, mpi_integer, SOURCE, TAG, mpi_comm_self, rq(2), ierr)\ncall mpi_wait(rq(2), st, ierr)",
            "call mpi_probe(SOURCE, TAG, mpi_comm_self, st, ierr)\ncall mpi_recv(a, 8, mpi_integer, SOURCE, TAG, mpi_comm_self, st, ierr)"]);
        let (taken, sent_value) = (
            taken.replace("SOURCE", source).replace("TAG", tag),
            sent_value("v"),
        );
        let body = piece(&format!(
            "call mpi_isend(b, 1 + modulo(l, 4), mpi_integer, 0, 70 + modulo(l, 9), mpi_comm_self, rq(1), ierr)
{taken}
call mpi_wait(rq(1), mpi_status_ignore, ierr)
{asked}
{sent_value}
l = modulo(v, 97)"
        ));
        Form {
            body: vec![body],
            ..Form::default()
        }
    }

    /// One collective from two statements: in one its type is a constant, in the other a variable.
    fn sent_as_another_type(&mut self) -> Form {
        let sent_value = sent_value("v");
        let collective = self.chance.pick(&[
            "mpi_bcast(u, 1, TYPE, ic, mpi_comm_world, ierr)|mpi_bcast(v, 1, TYPE, ic, mpi_comm_world, ierr)",
            "mpi_reduce(u, m, 1, TYPE, mpi_sum, modulo(ic + 1, nprocs), mpi_comm_world, ierr)|mpi_reduce(m, v, 1, TYPE, mpi_sum, modulo(ic + 1, nprocs), mpi_comm_world, ierr)",
        ]);
        let (sent, taken) = collective.split_once('|').expect("both");
        let types = self.chance.pick(&["j|mpi_integer", "mpi_integer|j"]);
        let (one, other) = types.split_once('|').expect("both");
        let body = piece(&format!(
            "j = mpi_integer
ic = modulo(n, nprocs)
if (rank == ic) then
  u = 30 + 7 * modulo(n, 9)
  call {}
else
  call {}
end if
{sent_value}",
            sent.replace("TYPE", one),
            taken.replace("TYPE", other)
        ));
        Form {
            body: vec![body],
            ..Form::default()
        }
    }

    /// The answer of a call that made messages decides what the next makes: a function, a subroutine.
    fn recorded_by_first(&mut self, number: usize) -> Form {
        let (used, included) = self.constants();
        let sent_value = sent_value("v");
        let head = format!(
            "subroutine zqy{number}(given, answer)\n{used}\n  implicit none\n{included}\n  integer :: given, answer, ierr"
        );
        let reduced =
            "call mpi_allreduce(given, answer, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)";
        let callee: Unit = unit(&head, vec![piece(reduced)], "end subroutine");
        let again = format!("call zqy{number}(v, u)\nv = modulo(u, 997)");
        let mut body = vec![
            piece("u = 3 + 2 * rank"),
            piece(&format!("call zqy{number}(u, v)")),
        ];
        if self.chance.one_in(2) {
            body.push(piece(&again));
        }
        body.push(ProgramNode::Lines(lines(&sent_value)));
        Form {
            body,
            beside: vec![callee],
            ..Form::default()
        }
    }

    /// The second of random numbers from known seeds.
    fn drawn(&mut self) -> Form {
        let (seed, sent_value) = (1 + self.chance.below(90), sent_value("v"));
        let body = piece(&format!(
            "seeds = {seed}
call random_seed(put=seeds)
call random_number(x)
call random_number(w(2:3))
v = int(w(3) * 9000)
{sent_value}"
        ));
        Form {
            declared: lines("  integer :: seeds(64)"),
            body: vec![body],
            ..Form::default()
        }
    }
}
