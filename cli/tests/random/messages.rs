//! Random programs: messages. Each piece is answered within itself: where it is reached by all ranks alike
//! no rank waits for ever, and where ranks differ they only send to themselves.

use super::program_tree::ProgramNode;
use super::statements::{Context, Generator};

fn lines<const N: usize>(lines: [String; N]) -> ProgramNode {
    ProgramNode::Lines(lines.to_vec())
}

impl Generator {
    /// One call, or a few that belong together.
    pub fn message(&mut self, context: Context) -> ProgramNode {
        if self.is_quiet() {
            return self.assignment(context);
        }
        if !context.uniform {
            return self.self_message();
        }
        match self.chance.below(11) {
            0 | 1 => self.decided(),
            2 | 3 => self.allreduce(),
            4 => self.collective(),
            5 | 6 => self.ring(),
            7 if !context.pending => self.wildcards(),
            8 if !context.pending => self.guarded(),
            9 => self.self_message(),
            _ => ProgramNode::line("call mpi_barrier(mpi_comm_world, ierr)"),
        }
    }

    /// Constructs: messages on their way, communicators.
    pub fn exchange(&mut self, context: Context) -> ProgramNode {
        if self.is_quiet() {
            return self.assignment(context);
        }
        match self.chance.below(3) {
            0 | 1 => self.nonblocking(context),
            _ => self.group(),
        }
    }

    fn tag(&mut self) -> String {
        format!("modulo({}, 50)", self.expression(true, 0))
    }

    fn count(&mut self, uniform: bool) -> String {
        match self.chance.below(3) {
            0 => "1".into(),
            _ => format!("1 + modulo({}, 4)", self.expression(uniform, 0)),
        }
    }

    fn root(&mut self) -> String {
        format!("modulo({}, nprocs)", self.scalar(true))
    }

    fn local(&mut self) -> String {
        self.chance
            .pick(&["la", "lb", "lc", "ha", "lx(2)", "hx(1)"])
            .to_string()
    }

    fn received(&mut self) -> &'static str {
        [
            "lb = modulo(rb(1), 97)",
            "lc = modulo(rb(2) + rb(1), 97)",
            "lx(1:2) = modulo(rb(1:2), 97)",
            "",
        ][self.chance.below(4)]
    }

    /// What one rank has decides for all.
    fn decided(&mut self) -> ProgramNode {
        let (target, value, root) = (
            self.chance.pick(&["ua", "ub", "uc", "ga", "gb"]),
            self.local(),
            self.root(),
        );
        if self.chance.one_in(3) {
            let (array, count) = (self.chance.pick(&["lx", "ly", "hx"]), self.count(true));
            return ProgramNode::line(format!(
                "call mpi_bcast({array}, {count}, mpi_integer, {root}, mpi_comm_world, ierr)"
            ));
        }
        // The root must be the same on all ranks until the message has come.
        lines([
            format!("ic = {root}"),
            format!("{target} = {value}"),
            format!("call mpi_bcast({target}, 1, mpi_integer, ic, mpi_comm_world, ierr)"),
        ])
    }

    fn allreduce(&mut self) -> ProgramNode {
        let (target, value) = (
            self.chance.pick(&["ua", "ub", "ud", "ga", "gb"]),
            self.local(),
        );
        let operation = self.chance.pick(&["mpi_sum", "mpi_max", "mpi_min"]);
        if self.chance.one_in(3) {
            return lines([
                "x = sum(w(1:4))".into(),
                format!(
                    "call mpi_allreduce(x, w(5), 1, mpi_double_precision, {operation}, mpi_comm_world, ierr)"
                ),
                "w(5) = w(5) * 0.1d0".into(),
            ]);
        }
        lines([
            format!(
                "call mpi_allreduce({value}, {target}, 1, mpi_integer, {operation}, mpi_comm_world, ierr)"
            ),
            format!("{target} = modulo({target}, 97)"),
        ])
    }

    fn collective(&mut self) -> ProgramNode {
        let (root, count) = (self.root(), self.count(true));
        let (from, to) = (
            self.chance.pick(&["lx", "hx", "ux"]),
            self.chance.pick(&["ly", "rb"]),
        );
        let what = format!("{from}, {to}, {count}, mpi_integer, mpi_max");
        lines([
            format!("call mpi_reduce({what}, {root}, mpi_comm_world, ierr)"),
            self.received().into(),
        ])
    }

    /// To the right, from the left; counts may differ.
    fn ring(&mut self) -> ProgramNode {
        let (tag, shift, count) = (self.tag(), self.scalar(true), self.count(false));
        let from = self.chance.pick(&["lx", "hx", "ux", "sb"]);
        let status = self.of_status();
        lines([
            format!("ic = {shift}"),
            format!(
                "call mpi_sendrecv({from}, {count}, mpi_integer, modulo(rank + ic, nprocs), {tag}, rb, 4, &"
            ),
            format!("  mpi_integer, modulo(rank - ic, nprocs), {tag}, mpi_comm_world, st, ierr)"),
            self.received().into(),
            status,
        ])
    }

    /// A value in a status.
    fn of_status(&mut self) -> String {
        let target = self.target(false);
        match self.chance.below(5) {
            0 => format!("{target} = st(mpi_source)"),
            1 => format!("{target} = st(mpi_tag)"),
            2 => "call mpi_get_count(st, mpi_integer, lb, ierr)".into(),
            _ => String::new(),
        }
    }

    /// One rank takes from all others: whatever the source, only one can have sent.
    fn wildcards(&mut self) -> ProgramNode {
        let (root, value, status) = (self.root(), self.local(), self.of_status());
        let target = self.local();
        let source = self
            .chance
            .pick(&["mpi_any_source", "mpi_any_source", "k4"]);
        lines([
            format!("ic = {root}"),
            "do k4 = 0, nprocs - 1".into(),
            "  if (rank == ic .and. k4 /= ic) then".into(),
            format!(
                "    call mpi_recv({target}, 1, mpi_integer, {source}, 60 + k4, mpi_comm_world, st, ierr)"
            ),
            format!("    {status}"),
            "  else if (rank == k4 .and. k4 /= ic) then".into(),
            format!(
                "    call mpi_send({value}, 1, mpi_integer, ic, 60 + k4, mpi_comm_world, ierr)"
            ),
            "  end if".into(),
            "end do".into(),
        ])
    }

    /// The first sends, the last receives.
    fn guarded(&mut self) -> ProgramNode {
        let (tag, count, status, received) = (
            self.tag(),
            self.count(false),
            self.of_status(),
            self.received(),
        );
        let (taken, from) = (
            self.chance.pick(&["mpi_any_tag", "ic"]),
            self.chance.pick(&["lx", "hx", "ly"]),
        );
        lines([
            format!("ic = {tag}"),
            "if (rank == 0) then".into(),
            format!(
                "  call mpi_send({from}, {count}, mpi_integer, nprocs - 1, ic, mpi_comm_world, ierr)"
            ),
            "else if (rank == nprocs - 1) then".into(),
            format!("  call mpi_recv(rb, 4, mpi_integer, 0, {taken}, mpi_comm_world, st, ierr)"),
            format!("  {received}"),
            format!("  {status}"),
            "end if".into(),
        ])
    }

    /// Whatever the others do.
    fn self_message(&mut self) -> ProgramNode {
        let (tag, count, target) = (self.expression(false, 0), self.count(false), self.local());
        let from = self.chance.pick(&["lx", "hx"]);
        let take = self.chance.pick(&[
            "",
            "lb = modulo(ly(1), 97)",
            "call mpi_get_count(st, mpi_integer, lc, ierr)",
        ]);
        match self.chance.below(5) {
            0 => ProgramNode::line(format!(
                "call mpi_bcast({target}, 1, mpi_integer, 0, mpi_comm_self, ierr)"
            )),
            1 => ProgramNode::line(format!(
                "call mpi_allreduce({from}, ly, {count}, mpi_integer, mpi_sum, mpi_comm_self, ierr)"
            )),
            2 => lines([
                format!("ic = modulo({tag}, 40)"),
                "call mpi_irecv(ly, 4, mpi_integer, rank, 200 + ic, mpi_comm_world, rq(4), ierr)"
                    .into(),
                format!(
                    "call mpi_send({from}, {count}, mpi_integer, rank, 200 + ic, mpi_comm_world, ierr)"
                ),
                "call mpi_wait(rq(4), st, ierr)".into(),
                take.into(),
            ]),
            _ => lines([
                format!("ic = modulo({tag}, 40)"),
                format!(
                    "call mpi_sendrecv({from}, {count}, mpi_integer, 0, ic, ly, 4, mpi_integer, 0, ic, mpi_comm_self, st, ierr)"
                ),
                take.into(),
            ]),
        }
    }

    /// Messages that are on their way while other things are done.
    fn nonblocking(&mut self, context: Context) -> ProgramNode {
        let (shift, value, count) = (1 + self.chance.below(3), self.local(), self.count(false));
        let tag = 100 + 10 * context.depth;
        let mut head = vec![format!("sb = {value} + 1")];
        for (call, buffer, count, peer, request) in [
            ("irecv", "rb", "4", format!("rank - {shift}"), 1),
            ("isend", "sb", &count, format!("rank + {shift}"), 2),
        ] {
            head.push(format!(
                "call mpi_{call}({buffer}, {count}, mpi_integer, modulo({peer}, nprocs), {tag}, &"
            ));
            head.push(format!("  mpi_comm_world, rq({request}), ierr)"));
        }
        let body = self.list(context.closed());
        let status = self.of_status();
        let mut end: Vec<String> = match self.chance.below(3) {
            0 => vec![
                "call mpi_waitall(2, rq, sts, ierr)".into(),
                "st = sts(:, 1)".into(),
            ],
            1 => vec![
                "do k4 = 2, 1, -1".into(),
                "  call mpi_wait(rq(k4), st, ierr)".into(),
                "end do".into(),
            ],
            _ => vec![
                "call mpi_wait(rq(2), sts, ierr)".into(),
                "call mpi_wait(rq(1), st, ierr)".into(),
            ],
        };
        end.extend([self.received().to_string(), status]);
        ProgramNode::around(
            head,
            body,
            end.into_iter().filter(|line| !line.is_empty()).collect(),
        )
    }

    /// A part of the ranks for itself, or all of them again.
    fn group(&mut self) -> ProgramNode {
        let colour = match self.chance.below(2) {
            0 => format!("modulo({}, 2)", self.local()),
            _ => format!("modulo(rank + {}, 2)", self.scalar(true)),
        };
        let head = match self.chance.below(4) {
            0 => "call mpi_comm_dup(mpi_comm_world, cm, ierr)".into(),
            _ => format!("call mpi_comm_split(mpi_comm_world, {colour}, rank, cm, ierr)"),
        };
        self.within(head)
    }

    fn within(&mut self, head: String) -> ProgramNode {
        let mut body = Vec::new();
        for _ in 0..1 + self.chance.below(3) {
            let (from, to) = (self.local(), self.chance.pick(&["lb", "lc", "ly(3)"]));
            body.push(ProgramNode::line(match self.chance.below(4) {
                0 => format!("call mpi_comm_rank(cm, {to}, ierr)"),
                1 => format!("call mpi_comm_size(cm, {to}, ierr)"),
                2 => format!("call mpi_allreduce({from}, {to}, 1, mpi_integer, mpi_max, cm, ierr)"),
                _ => format!("call mpi_bcast({to}, 1, mpi_integer, 0, cm, ierr)"),
            }));
        }
        ProgramNode::around(
            vec![head],
            body,
            vec!["call mpi_comm_free(cm, ierr)".into()],
        )
    }
}
