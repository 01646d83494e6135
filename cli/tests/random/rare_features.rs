//! Random programs of the wide style: what programs do less often. Derived datatypes, buffered sends, operations
//! of the program's own, infos, random numbers, files that one rank writes and others read, an intrinsic's
//! name for something else, probes and tests whose answer is sure, persistent requests, intercommunicators. All
//! ranks come here alike.

use super::names::Who;
use super::program_tree::{ProgramNode, Unit};
use super::statements::Generator;

/// Declarations of each unit.
pub const DECLARATIONS: [&str; 5] = [
    "  integer :: ty, op, inf, ci, seeds(64)",
    "  integer :: room(2000)",
    "  logical :: lo",
    "  character(8) :: ty8",
    "  external :: zqo",
];

/// First values of what the main program owns.
pub const FIRST_VALUES: [&str; 2] = ["  seeds = 7", "  call random_seed(put=seeds)"];

/// In the module: a function that has the name of an intrinsic one, and leaves something.
pub const OWN_FUNCTION: &str = "contains
  integer function dim(a, b)
    integer, intent(in) :: a, b
    dim = a + 2 * b
    mb = modulo(mb + a, 7)
  end function
end module";

fn piece(lines: Vec<String>) -> ProgramNode {
    ProgramNode::Lines(lines.into_iter().filter(|line| !line.is_empty()).collect())
}

impl Generator {
    /// A few lines that belong together.
    pub fn wide(&mut self) -> ProgramNode {
        if self.is_quiet() || matches!(self.who, Who::Function | Who::Alone) {
            return self.work();
        }
        match self.chance.below(13) {
            0 => self.derived_datatype(),
            1 => self.buffered(),
            2 | 3 => self.own_operation(),
            4 => self.info(),
            5 => self.random_number(),
            6 | 7 => self.shared_file(),
            8 if self.style.modern => self.own_name(),
            9 => self.certain_probe(),
            10 => self.persistent(),
            11 => self.two_groups(),
            _ => self.of_two_types(),
        }
    }

    /// The same, perhaps in a branch or a loop.
    pub fn wide_somewhere(&mut self) -> ProgramNode {
        let (inner, condition) = (vec![self.wide()], self.condition(true));
        match self.chance.below(5) {
            0 => ProgramNode::around(
                vec![format!("if ({condition}) then")],
                inner,
                vec!["end if".into()],
            ),
            1 => ProgramNode::around(vec!["do i3 = 1, 2".into()], inner, vec!["end do".into()]),
            _ => ProgramNode::around(vec![], inner, vec![]),
        }
    }

    fn taken(&mut self, from: &str) -> String {
        match self.chance.below(3) {
            0 => String::new(),
            1 => format!("{} = modulo({from}, 97)", self.target(false)),
            _ => format!("lb = modulo({from} + 1, 97)"),
        }
    }

    /// What all take from all decides.
    fn agreed(&mut self, from: &str) -> String {
        let target = self.target(true);
        format!("{target} = modulo({from}, 97)")
    }

    fn derived_datatype(&mut self) -> ProgramNode {
        let (length, from) = (
            self.expression(true, 0),
            self.chance.pick(&["lx", "hx", "ux"]),
        );
        let taken = self.taken("rb(1)");
        piece(vec![
            format!("call mpi_type_vector(2, 1 + modulo({length}, 2), 2, mpi_integer, ty, ierr)"),
            "call mpi_type_commit(ty, ierr)".into(),
            format!(
                "call mpi_sendrecv({from}, 1, ty, modulo(rank + 1, nprocs), 31, rb, 4, mpi_integer, &"
            ),
            "  modulo(rank - 1, nprocs), 31, mpi_comm_world, st, ierr)".into(),
            "call mpi_type_free(ty, ierr)".into(),
            taken,
        ])
    }

    fn buffered(&mut self) -> ProgramNode {
        let (from, size) = (self.chance.pick(&["lx", "hx"]), 1 + self.chance.below(4));
        let taken = self.taken("rb(1)");
        piece(vec![
            "call mpi_buffer_attach(room, 8000, ierr)".into(),
            format!("call mpi_bsend({from}, {size}, mpi_integer, modulo(rank + 1, nprocs), 32, &"),
            "  mpi_comm_world, ierr)".into(),
            "call mpi_recv(rb, 4, mpi_integer, modulo(rank - 1, nprocs), 32, mpi_comm_world, st, ierr)"
                .into(),
            "call mpi_buffer_detach(room, ic, ierr)".into(),
            taken,
        ])
    }

    fn own_operation(&mut self) -> ProgramNode {
        let value = self.chance.pick(&["la", "lb", "lc", "ha"]);
        let agreed = self.agreed("ic");
        piece(vec![
            "call mpi_op_create(zqo, .true., op, ierr)".into(),
            format!("call mpi_allreduce({value}, ic, 1, mpi_integer, op, mpi_comm_world, ierr)"),
            agreed,
            "call mpi_op_free(op, ierr)".into(),
        ])
    }

    /// The operation: it reads what all have alike, and counts its calls.
    pub fn operation(&mut self) -> Unit {
        let head = [
            "subroutine zqo(a, b, length, datatype)",
            "  implicit none",
            "  integer :: length, datatype, a(length), b(length), ga, gb, gx(4), ha, hx(4)",
            "  common /zqc/ ga, gb, gx, ha, hx",
        ];
        let combined = self.chance.pick(&[
            "a + b",
            "max(a, b)",
            "a + b + gb",
            "modulo(a * 2 + b * 2, 97)",
        ]);
        let counted = self
            .chance
            .pick(&["", "hx(1) = modulo(hx(1) + 1, 9)", "ha = 3"]);
        let body = vec![
            ProgramNode::line(format!("b = {combined}")),
            ProgramNode::line(counted),
        ];
        Unit {
            head: head.map(String::from).to_vec(),
            body,
            end: vec!["end subroutine".into()],
        }
    }

    fn info(&mut self) -> ProgramNode {
        let (value, text) = (self.scalar(true), self.chance.pick(&["ab", "c", "defg"]));
        let (keys, length) = (self.agreed("ic"), self.agreed("len_trim(ty8)"));
        piece(vec![
            "call mpi_info_create(inf, ierr)".into(),
            format!("if ({value} > 2) call mpi_info_set(inf, 'key', '{text}', ierr)"),
            "call mpi_info_get_nkeys(inf, ic, ierr)".into(),
            keys,
            "call mpi_info_get(inf, 'key', 8, ty8, lo, ierr)".into(),
            format!("if (lo) {length}"),
            "call mpi_info_free(inf, ierr)".into(),
        ])
    }

    fn random_number(&mut self) -> ProgramNode {
        let again = match self.chance.below(3) {
            0 => format!("seeds = {}", self.scalar(true)),
            _ => String::new(),
        };
        let put = if again.is_empty() {
            ""
        } else {
            "call random_seed(put=seeds)"
        };
        let agreed = self.agreed("int(w(9) * 50)");
        piece(vec![
            again,
            put.into(),
            "call random_number(w(9))".into(),
            agreed,
        ])
    }

    /// One rank writes, others read; they meet in between and behind.
    fn shared_file(&mut self) -> ProgramNode {
        let (root, value) = (self.scalar(true), self.chance.pick(&["la", "lb", "ha"]));
        let group_communication = self.chance.pick(&[
            "call mpi_barrier(mpi_comm_world, ierr)",
            "call mpi_allreduce(lb, lc, 1, mpi_integer, mpi_max, mpi_comm_world, ierr)",
            "call mpi_bcast(rb, 2, mpi_integer, ic, mpi_comm_world, ierr)",
        ]);
        let agreed = self.agreed("k4");
        let mut lines = vec![
            format!("ic = modulo({root}, nprocs)"),
            "if (rank == ic) then".into(),
            "  open(21, file='zqd.dat', status='replace')".into(),
            format!("  write(21, *) {value}"),
            "  close(21)".into(),
            "end if".into(),
            group_communication.into(),
        ];
        let gone = self.chance.one_in(2);
        lines.extend(
            [
                "open(21, file='zqd.dat', status='old')",
                "read(21, *) k4",
                "close(21)",
            ]
            .map(String::from),
        );
        lines.extend([agreed, "call mpi_barrier(mpi_comm_world, ierr)".into()]);
        if gone {
            let there = self.target(true);
            lines.extend([
                "if (rank == modulo(ic + 1, nprocs)) then".into(),
                "  open(21, file='zqd.dat', status='old')".into(),
                "  close(21, status='delete')".into(),
                "end if".into(),
                "call mpi_barrier(mpi_comm_world, ierr)".into(),
                "inquire(file='zqd.dat', exist=lo)".into(),
                format!("if (lo) {there} = 1"),
                "call mpi_barrier(mpi_comm_world, ierr)".into(),
            ]);
        }
        piece(lines)
    }

    fn own_name(&mut self) -> ProgramNode {
        let (a, b) = (self.scalar(true), self.scalar(true));
        let agreed = self.agreed(&format!("dim({a}, {b})"));
        ProgramNode::line(agreed)
    }

    /// Whether a message to oneself is there: one that was sent is, one that was not is not.
    fn certain_probe(&mut self) -> ProgramNode {
        let (value, tag) = (self.chance.pick(&["lx", "hx"]), 88 + self.chance.below(2));
        let (there, tested) = (self.target(true), self.target(true));
        piece(vec![
            format!("call mpi_isend({value}, 2, mpi_integer, 0, 88, mpi_comm_self, rq(3), ierr)"),
            format!("call mpi_iprobe(0, {tag}, mpi_comm_self, lo, st, ierr)"),
            format!("if (lo) {there} = 2"),
            "call mpi_recv(rb, 4, mpi_integer, 0, 88, mpi_comm_self, st, ierr)".into(),
            "call mpi_wait(rq(3), st, ierr)".into(),
            "call mpi_test(rq(3), lo, st, ierr)".into(),
            format!("if (lo) {tested} = 3"),
        ])
    }

    fn persistent(&mut self) -> ProgramNode {
        let (times, from) = (
            1 + self.chance.below(3),
            self.chance.pick(&["lx", "hx", "ly"]),
        );
        let taken = self.taken("rb(1) + rb(2)");
        piece(vec![
            format!("call mpi_send_init({from}, 2, mpi_integer, modulo(rank + 1, nprocs), 34, &"),
            "  mpi_comm_world, rq(3), ierr)".into(),
            "call mpi_recv_init(rb, 4, mpi_integer, modulo(rank - 1, nprocs), 34, &".into(),
            "  mpi_comm_world, rq(4), ierr)".into(),
            format!("do k4 = 1, {times}"),
            "  call mpi_startall(2, rq(3), ierr)".into(),
            "  call mpi_waitall(2, rq(3), sts, ierr)".into(),
            taken,
            "end do".into(),
            "call mpi_request_free(rq(3), ierr)".into(),
            "call mpi_request_free(rq(4), ierr)".into(),
        ])
    }

    fn two_groups(&mut self) -> ProgramNode {
        let value = self.chance.pick(&["la", "lb", "ha"]);
        let taken = self.taken("ic");
        let does = match self.chance.below(3) {
            0 => "call mpi_comm_remote_size(ci, ic, ierr)".into(),
            _ => format!("call mpi_allreduce({value}, ic, 1, mpi_integer, mpi_max, ci, ierr)"),
        };
        piece(vec![
            "call mpi_comm_split(mpi_comm_world, modulo(rank, 2), rank, cm, ierr)".into(),
            "call mpi_intercomm_create(cm, 0, mpi_comm_world, 1 - modulo(rank, 2), 35, ci, ierr)"
                .into(),
            does,
            taken,
            "call mpi_comm_free(ci, ierr)".into(),
            "call mpi_comm_free(cm, ierr)".into(),
        ])
    }

    /// One broadcast from two statements, which name its data by two types.
    fn of_two_types(&mut self) -> ProgramNode {
        let (value, agreed) = (self.chance.pick(&["la", "lb", "ha"]), self.agreed("ic"));
        piece(vec![
            "if (rank == 0) then".into(),
            format!("  call mpi_bcast({value}, 4, mpi_byte, 0, mpi_comm_world, ierr)"),
            format!("  ic = {value}"),
            "else".into(),
            "  call mpi_bcast(ic, 1, mpi_integer, 0, mpi_comm_world, ierr)".into(),
            "end if".into(),
            agreed,
        ])
    }
}
