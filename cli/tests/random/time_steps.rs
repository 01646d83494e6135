//! Random programs: time steps. Loops whose iterations make the same calls, or nearly: something is carried
//! from one to the next, the first, the last or each third is another, one more is done each time. All ranks
//! come here alike. Gathered values are never read, so the slice does not need them.

use super::names::Who;
use super::program_tree::{ProgramNode, Unit};
use super::statements::{Context, Generator};

/// What decides messages in a loop; the same on all ranks.
const CARRIED: [&str; 5] = ["uc", "ud", "ga", "gb", "gx(2)"];

impl Generator {
    /// A loop of steps.
    pub fn steps(&mut self, context: Context) -> ProgramNode {
        let counter = format!("i{}", context.depth + 1);
        let (decides, other) = (self.chance.pick(&CARRIED), self.chance.pick(&CARRIED));
        let mut body = vec![self.step_message(decides)];
        let change = self.change(decides, other, &counter);
        let at = self.chance.below(2);
        body.insert(at, change);
        if self.chance.one_in(3) {
            let left = self.chance.pick(&[decides, other]);
            body.push(ProgramNode::line(format!(
                "{left} = {}",
                1 + self.chance.below(6)
            )));
        }
        for _ in 0..self.chance.below(3) {
            let (piece, at) = (
                self.part_of_step(decides, other, &counter, context),
                self.chance.below(body.len() + 1),
            );
            body.insert(at, piece);
        }
        let (before, after) = self.around_steps(&counter, &mut body);
        let last = self
            .chance
            .pick(&["5", "7", "3 + modulo(ua, 5)", "nprocs + 2"]);
        let head = [before, vec![format!("do {counter} = 1, {last}")]].concat();
        ProgramNode::around(head, body, [vec!["end do".to_string()], after].concat())
    }

    /// A message that depends on a variable, as little else does.
    fn step_message(&mut self, decides: &str) -> ProgramNode {
        let count = self.chance.pick(&["1", "2", "3"]);
        let from = self.chance.pick(&["lx", "hx", "sb"]);
        ProgramNode::line(match self.chance.below(4) {
            0 => format!(
                "call mpi_gather({from}, {count}, mpi_integer, big, {count}, mpi_integer, modulo({decides}, nprocs), mpi_comm_world, ierr)"
            ),
            1 => format!(
                "call mpi_scan({from}, big, 1 + modulo({decides}, 4), mpi_integer, mpi_sum, mpi_comm_world, ierr)"
            ),
            2 => format!(
                "if (modulo({decides}, 3) /= 1) call mpi_scan({from}, big, {count}, mpi_integer, mpi_max, mpi_comm_world, ierr)"
            ),
            _ => format!(
                "call mpi_allgather({from}, 1 + modulo({decides}, 4), mpi_integer, big, 1 + modulo({decides}, 4), mpi_integer, mpi_comm_world, ierr)"
            ),
        })
    }

    /// What becomes of the variable in a step: often nothing that lasts.
    fn change(&mut self, decides: &str, other: &str, counter: &str) -> ProgramNode {
        let value = 1 + self.chance.below(6);
        let lines = match self.chance.below(12) {
            0..=3 => vec![format!("{decides} = {value}")],
            4 => vec![format!("{decides} = modulo({decides} + 1, 97)")],
            5 => vec![
                format!("ic = {decides}"),
                format!("{decides} = {other}"),
                format!("{other} = ic"),
            ],
            6 => vec![format!("if (modulo({other}, 2) == 0) {decides} = {value}")],
            7 => vec![
                format!("{decides} = {other}"),
                format!("{other} = modulo({other} + {value}, 5)"),
            ],
            8 => vec![format!("{other} = {counter}")],
            9 => vec![format!("{decides} = modulo({other} + nprocs, 7)")],
            10 => vec![format!("if ({counter} > 2) {decides} = {value}")],
            _ => vec![],
        };
        ProgramNode::Lines(lines)
    }

    /// Something else that a step does.
    fn part_of_step(
        &mut self,
        decides: &str,
        other: &str,
        counter: &str,
        context: Context,
    ) -> ProgramNode {
        let message = self.step_message(decides);
        let inside = |head: String, end: &str| {
            ProgramNode::around(vec![head], vec![message.clone()], vec![end.into()])
        };
        let remainder = self.chance.below(3);
        match self.chance.below(17) {
            0 => inside(
                format!("if (modulo({counter}, 3) == {remainder}) then"),
                "end if",
            ),
            1 => inside(
                format!("if ({counter} == {}) then", 1 + remainder),
                "end if",
            ),
            2 => inside(
                format!("if ({counter} > 3 .and. {decides} < 4) then"),
                "end if",
            ),
            3 => inside(format!("do j1 = 1, modulo({decides}, 3)"), "end do"),
            4 => inside(format!("do j1 = 1, {counter}, 2"), "end do"),
            5 => ProgramNode::Lines(
                [
                    &format!("do j1 = 1, 3 * {counter}"),
                    "  w(j1) = w(j1) * 0.5d0 + 0.1d0",
                    "end do",
                ]
                .map(String::from)
                .to_vec(),
            ),
            6 => ProgramNode::line(format!("if ({decides} == {}) exit", self.chance.below(8))),
            7 => ProgramNode::line(format!("if ({counter} == {}) cycle", 2 + remainder)),
            8 if self.who == Who::Main || self.who == Who::Outer => {
                let array = self.chance.pick(&["ux", "gx"]);
                ProgramNode::line(format!(
                    "call zqi({}, {decides}, {array}, lb, ly)",
                    self.chance.pick(&CARRIED)
                ))
            }
            9 => ProgramNode::line(format!("w(1) = w(1) * 0.5d0 + 0.1d0 * {counter}")),
            10 => message,
            15 | 16 => ProgramNode::Lines(
                [
                    &format!("do j1 = 1, 3 + modulo({other}, 20)"),
                    "  w(j1) = w(j1) * 0.5d0 + 0.1d0",
                    "end do",
                ]
                .map(String::from)
                .to_vec(),
            ),
            13 | 14 => {
                let other = self.chance.pick(&["uc", "ud", "2"]);
                ProgramNode::line(format!("call zqs({decides}, {other})"))
            }
            11 if self.chance.one_in(2) => self.message(context.inside()),
            _ => self.work(),
        }
    }

    /// A procedure that steps call. It may know how often it was called.
    pub fn step_procedure(&mut self) -> Unit {
        let head = [
            "subroutine zqs(it, other)",
            "  implicit none",
            "  include 'mpif.h'",
            "  integer :: it, other, most, ierr, ga, gb, gx(4), ha, hx(4), big(16)",
            "  integer, save :: calls = 1",
            "  common /zqc/ ga, gb, gx, ha, hx",
            "  most = it; big = 1",
        ];
        let count = self.chance.pick(&["it", "calls", "ga", "gx(3)", "most"]);
        let changed = self.chance.pick(&[
            "calls = modulo(calls + 1, 3)",
            "most = gb",
            "gb = 3",
            "calls = 2",
            "gx(3) = it",
        ]);
        let condition = self
            .chance
            .pick(&["calls == 1", "other > 2", "it < 3", "ga < 4"]);
        let mut body = vec![
            ProgramNode::line(format!(
                "call mpi_scan(hx, big, 1 + modulo({count}, 4), mpi_integer, mpi_sum, mpi_comm_world, ierr)"
            )),
            ProgramNode::line(changed),
        ];
        if self.chance.one_in(2) {
            body.reverse();
        }
        if self.chance.one_in(2) {
            let inside = vec![ProgramNode::line(self.chance.pick(&[
                "calls = calls + 2",
                "return",
                "most = 2",
                "ga = 1",
            ]))];
            body.insert(
                1,
                ProgramNode::around(
                    vec![format!("if ({condition}) then")],
                    inside,
                    vec!["end if".into()],
                ),
            );
        }
        Unit {
            head: head.map(String::from).to_vec(),
            body,
            end: vec!["end subroutine".into()],
        }
    }

    /// What is read after the steps, or is on its way from one to the next.
    fn around_steps(
        &mut self,
        counter: &str,
        body: &mut Vec<ProgramNode>,
    ) -> (Vec<String>, Vec<String>) {
        let after = |line: &str| (vec![], vec![line.to_string()]);
        match self.chance.below(8) {
            0 => after(&format!(
                "if (modulo({counter}, 2) == 0) call mpi_barrier(mpi_comm_world, ierr)"
            )),
            1 => {
                body.push(ProgramNode::line(format!("ic = {counter}")));
                after("if (modulo(ic, 2) == 0) call mpi_barrier(mpi_comm_world, ierr)")
            }
            2 => after("if (modulo(uc, 2) == 0) call mpi_barrier(mpi_comm_world, ierr)"),
            3 => {
                let ring = "2, mpi_integer, 0, 77, mpi_comm_self";
                let started = vec![
                    "sb = 2".to_string(),
                    format!("call mpi_isend(sb, {ring}, rq(1), ierr)"),
                    format!("call mpi_irecv(rb, {ring}, rq(2), ierr)"),
                ];
                let ended = vec!["call mpi_waitall(2, rq, sts, ierr)".to_string()];
                let again = [ended.clone(), started.clone()].concat();
                match self.chance.one_in(2) {
                    true => {
                        body.insert(0, ProgramNode::Lines(again));
                        (started, ended)
                    }
                    false => {
                        body.push(ProgramNode::Lines([started, ended].concat()));
                        (vec![], vec![])
                    }
                }
            }
            _ => (vec![], vec![]),
        }
    }
}
