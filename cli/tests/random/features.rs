//! Random programs of the style of forms: procedures of their own, each of which does one thing that programs do, on
//! variables of its own, and at once makes a call that depends on what came of it. So a slice that does that thing
//! otherwise is found out whatever else the program does. Here: what they have in common and how they are called; what
//! they do is in [`super::rule_witnesses`], [`super::message_completion`], [`super::control_flow`] and [`super::storage_features`], and of later
//! programs in [`super::group_communication`], [`super::convergence_loops`], [`super::input_output`], [`super::aliasing`] and [`super::implicit_definitions`]; names that hide others in
//! [`super::name_hiding`].

use super::names::{Names, Who};
use super::program_tree::{ProgramNode, Unit};
use super::rng::Rng;
use super::statements::Generator;

/// Forms in a program.
const FORMS: usize = 3;

/// What a form is made of. It is given `n`, which is the same on all ranks, and `l`, which may differ.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// Its declarations beside [`DECLARED`].
    pub declared: Vec<String>,
    /// What it does.
    pub body: Vec<ProgramNode>,
    /// Procedures that stand in it.
    pub contained: Vec<String>,
    /// Procedures that stand beside it.
    pub beside: Vec<Unit>,
    /// Modules that it uses.
    pub modules: Vec<Unit>,
    /// How it uses them.
    pub used: Vec<String>,
}

/// What all forms declare.
const DECLARED: [&str; 5] = [
    "  integer :: n, l, v, u, m, k, j, ic, rank, nprocs, ierr, a(8), b(8), big(32), rq(4)",
    "  integer :: st(mpi_status_size), sts(mpi_status_size, 4)",
    "  double precision :: w(40), x",
    "  logical :: lo",
    "  character(8) :: tx",
];

const FIRST_VALUES: [&str; 3] = [
    "  call mpi_comm_rank(mpi_comm_world, rank, ierr)",
    "  call mpi_comm_size(mpi_comm_world, nprocs, ierr)",
    "  v = 5; u = 4; m = 3; k = 1; j = 1; ic = 0; a = 2; b = 7; big = 3; rq = mpi_request_null; w = 1.5d0; x = 0.5d0; tx = ' '",
];

/// The lines of a text.
pub fn lines(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(String::from)
        .collect()
}

/// Lines that belong together.
pub fn piece(text: &str) -> ProgramNode {
    ProgramNode::Lines(lines(text))
}

/// A call that any rank can make at any time, with arguments that depend on `value`: another value makes another call.
pub fn sent_value(value: &str) -> String {
    format!(
        "call mpi_sendrecv(big, 1, mpi_integer, 0, modulo({value}, 9973), big(9), 1, mpi_integer, 0, &
    modulo({value}, 9973), mpi_comm_self, mpi_status_ignore, ierr)"
    )
}

/// The same in loops: nothing else makes these calls, so their data are never needed.
pub fn counted(value: &str) -> String {
    format!(
        "call mpi_scan(big, big(17), 1 + modulo({value}, 15), mpi_integer, mpi_max, mpi_comm_self, ierr)"
    )
}

/// A procedure with these lines, of which all but the first and last may be removed.
pub fn unit(head: &str, body: Vec<ProgramNode>, end: &str) -> Unit {
    Unit {
        head: lines(head),
        body,
        end: lines(end),
    }
}

impl Generator {
    /// Adds forms to the units of a program, and calls of them.
    pub fn add_forms(&mut self, units: &mut Vec<Unit>, chance: Rng) {
        self.chance = chance;
        // What one form needs, others may need less often where there are few.
        let forms = if self.style.sparse {
            1 + self.chance.below(4)
        } else {
            FORMS
        };
        for number in 1..=forms {
            let form = self.form(number);
            self.call_form(number, units);
            units.push(self.form_unit(number, &form));
            units.extend(form.beside);
            units.splice(0..0, form.modules);
        }
    }

    fn form(&mut self, number: usize) -> Form {
        (self.who, self.names) = (Who::Main, Names::of(Who::Main, self.style));
        if self.style.hiding {
            return self.hiding(number);
        }
        if self.style.convergence_loop_program {
            return self.convergence_loop_program();
        }
        if self.style.later {
            return self.later_form(number);
        }
        match self.chance.below(if self.style.sparse { 8 } else { 5 }) {
            0 | 1 | 5.. => self.rule_witness(number),
            2 => self.message_completion(number),
            3 => self.control_flow(number),
            _ => self.storage_feature(number),
        }
    }

    fn later_form(&mut self, number: usize) -> Form {
        match self.chance.below(5) {
            0 => self.implicit_definition(number),
            1 => self.aliasing(number),
            2 => self.input_output(number),
            _ => self.group_communication(),
        }
    }

    /// What makes the constants of MPI known.
    pub fn constants(&self) -> (&'static str, &'static str) {
        if self.style.modern {
            ("  use mpi", "")
        } else {
            ("", "  include 'mpif.h'")
        }
    }

    fn form_unit(&self, number: usize, form: &Form) -> Unit {
        let (used, included) = self.constants();
        let mut head = vec![format!("subroutine zqx{number}(n, l)"), used.into()];
        head.extend(form.used.clone());
        head.extend(["  implicit none", included].map(String::from));
        head.extend(DECLARED.map(String::from));
        head.extend(form.declared.clone());
        head.extend(FIRST_VALUES.map(String::from));
        let mut end = Vec::new();
        if !form.contained.is_empty() {
            end.push("contains".to_string());
            end.extend(form.contained.clone());
        }
        end.push("end subroutine".into());
        Unit {
            head: head.into_iter().filter(|line| !line.is_empty()).collect(),
            body: form.body.clone(),
            end,
        }
    }

    /// A call of a form from a unit that all ranks run alike.
    fn call_form(&mut self, number: usize, units: &mut [Unit]) {
        let callers = [
            (Who::Main, "program zqt"),
            (Who::Main, "program zqt"),
            (Who::Outer, "subroutine zqa"),
        ];
        // Later programs are small: few call the subroutine.
        let (who, first) = callers[if self.style.later {
            0
        } else {
            self.chance.below(3)
        }];
        (self.who, self.names) = (who, Names::of(who, self.style));
        let given = match self.chance.below(3) {
            0 => format!("({})", self.expression(true, 1)),
            _ => self
                .chance
                .pick(&["ua", "ub", "uc", "ga", "gb", "gx(2)"])
                .to_string(),
        };
        let other = self.chance.pick(&["la", "lb", "lc", "ha", "hx(2)"]);
        let call = ProgramNode::line(format!("call zqx{number}({given}, {other})"));
        let condition = self.condition(true);
        let call = match self.chance.below(6) {
            0 => ProgramNode::around(
                vec![format!("if ({condition}) then")],
                vec![call],
                vec!["end if".into()],
            ),
            1 => ProgramNode::around(
                vec!["do i3 = 1, 3".into()],
                vec![call],
                vec!["end do".into()],
            ),
            _ => call,
        };
        let caller = units.iter_mut().find(|unit| {
            unit.head
                .first()
                .is_some_and(|line| line.starts_with(first))
        });
        let body = &mut caller.expect("a unit of each program").body;
        let at = self.chance.below(body.len() + 1);
        body.insert(at, call);
    }
}
