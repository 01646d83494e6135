//! Random small programs with jumps, loops, calls, COMMON, shared actuals and messages, half of them with
//! pointers, objects and procedures that are known only at run time: the slice makes the same MPI
//! calls and enters the same compute blocks as the whole program.

use crate::harness::analyse;
use crate::interpreter::run;
use std::fmt::Write;

/// How many are tried.
const PROGRAMS: u64 = 180;

/// Steps of a whole run; programs that take more are not compared.
const STEPS: u64 = 20_000;

#[test]
fn slices_make_the_same_calls() {
    let compared = (0..PROGRAMS).filter(|&seed| check(seed)).count();
    assert!(
        compared as u64 > PROGRAMS / 2,
        "only {compared} programs ended"
    );
}

/// Whether the program ended, so that it was compared.
#[track_caller]
fn check(seed: u64) -> bool {
    let source = Generator::new(seed).program();
    let analysed = analyse(&source);
    assert!(
        !analysed.analysis.is_refused(),
        "{}\n{source}",
        analysed.remarks()
    );
    let whole = run(&analysed.analysis, false, STEPS);
    if !whole.ended || whole.broke_assumption {
        return false;
    }
    let sliced = run(&analysed.analysis, true, 10 * STEPS);
    let kept = analysed.kept();
    let mark = |(n, line): (usize, &str)| {
        format!(
            "{:4} {} {line}\n",
            n + 1,
            if kept.contains(&(n + 1)) { "+" } else { " " }
        )
    };
    let listing: String = source.lines().enumerate().map(mark).collect();
    let differs = whole
        .events
        .iter()
        .zip(&sliced.events)
        .position(|(a, b)| a != b);
    let at = differs.unwrap_or(whole.events.len().min(sliced.events.len()));
    assert!(
        whole.events == sliced.events,
        "seed {seed}, event {at}: whole {:?}, sliced {:?}\n{listing}\nassumed {:?}",
        whole.events.get(at),
        sliced.events.get(at),
        analysed.analysis.slice.assumptions
    );
    true
}

/// Makes a program from a seed.
struct Generator {
    state: u64,
    text: String,
    label: u32,
    pending: Vec<u32>,
    placed: Vec<u32>,
    /// Whether there are pointers and objects.
    objects: bool,
}

/// What half of the programs use: an object with a pointer in it, and procedures with one interface.
const SHAPES: &str = "module shapes
type box
integer :: m
integer :: n(4)
integer, pointer :: w
contains
procedure :: go
end type
type, extends(box) :: chest
contains
procedure :: go => go_on
end type
type(box) :: sb
contains
subroutine go(this, k)
class(box) :: this
integer :: k
this%m = k + 1
this%w = this%m
end subroutine
subroutine go_on(this, k)
class(chest) :: this
integer :: k
k = this%n(2)
this%w => sb%w
end subroutine
subroutine up(k)
integer :: k
k = k + 1
end subroutine
subroutine down(k)
integer :: k
k = k - 1
sb%m = k
end subroutine
end module
";

/// Parts of objects and what pointers name.
const PARTS: [&str; 8] = ["r", "r", "o%m", "o%w", "sb%m", "sb%w", "o%n(2)", "sb%n(3)"];

const SCALARS: [&str; 6] = ["a", "b", "c", "d", "g", "h"];
const ARRAYS: [&str; 2] = ["p", "q"];

impl Generator {
    fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let objects = seed % 2 == 1;
        Generator {
            state,
            text: String::new(),
            label: 0,
            pending: vec![],
            placed: vec![],
            objects,
        }
    }

    /// A number below `bound` (xorshift64*).
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn program(mut self) -> String {
        if self.objects {
            self.text += SHAPES;
        }
        self.line("program t");
        self.declare(true);
        self.line("call mpi_init(ierr)");
        self.associate();
        if self.objects {
            (1..=4).for_each(|i| self.line(&format!("sb%n({i}) = {i}")));
            ["sb%m = 2", "sb%w => g"]
                .iter()
                .for_each(|line| self.line(line));
        }
        for name in SCALARS {
            let value = self.below(5);
            self.line(&format!("{name} = {value}"));
        }
        for i in 1..=4 {
            self.line(&format!("p({i}) = {i}"));
            self.line(&format!("q({i}) = {}", 5 - i));
        }
        self.body(3, false);
        self.line("call mpi_finalize(ierr)");
        self.line("end program");
        for (level, head) in [
            "subroutine s0(a, b)",
            "subroutine s1(a, b)",
            "integer function f2(a, b)",
        ]
        .iter()
        .enumerate()
        {
            self.line(head);
            self.declare(false);
            self.associate();
            self.line("c = a");
            self.line("d = b + 1");
            (1..=4).for_each(|i| self.line(&format!("p({i}) = {i}")));
            if level == 2 {
                self.line("f2 = a");
            }
            self.body(level, true);
            self.line(if level == 2 {
                "end function"
            } else {
                "end subroutine"
            });
        }
        self.text
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn declare(&mut self, main: bool) {
        self.line("use mpi");
        if self.objects {
            self.line("use shapes");
            self.line("integer, pointer :: r");
            self.line("type(chest) :: o");
            self.line("procedure(up), pointer :: f");
        }
        self.line("integer :: a, b, c, d, i1, i2, i3, ierr, p(4)");
        self.line("integer :: g, q(4), h");
        self.line("common /shared/ g, q, h");
        self.line(if main {
            "integer, external :: f2"
        } else {
            "integer :: e"
        });
    }

    /// Pointers and parts of objects that are read before anything else is done to them.
    fn associate(&mut self) {
        if self.objects {
            (1..=4).for_each(|i| self.line(&format!("o%n({i}) = {i}")));
            let lines = ["r => c", "o%m = 1", "o%w => d", "f => up"];
            lines.iter().for_each(|line| self.line(line));
        }
    }

    /// What only programs with objects do.
    fn object(&mut self) {
        let (scalar, part, value) = (self.pick(&SCALARS), self.pick(&PARTS), self.expression(1));
        match self.below(9) {
            0 => self.line(&format!("r => {scalar}")),
            1 => self.line(&format!("o%w => {scalar}")),
            2 => self.line(&format!("sb%w => {part}")),
            3 => self.line("sb = o%box"),
            4 => self.line(&format!("call o%go({scalar})")),
            5 => self.line(&format!("call sb%go({value})")),
            6 => {
                let target = self.pick(&["up", "down"]);
                self.line(&format!("if ({scalar} > 2) f => {target}"));
            }
            7 => self.line(&format!("call f({part})")),
            _ => self.line(&format!("{part} = {value}")),
        }
    }

    /// ASSOCIATE, BLOCK or SELECT CASE round one or two statements.
    fn scope(&mut self, level: usize, returns: bool, depth: usize) {
        let (scalar, value) = (self.pick(&SCALARS), self.expression(1));
        match self.below(3) {
            0 => {
                self.line(&format!("associate (z => {scalar})"));
                self.line(&format!("z = {value}"));
                self.inner(level, returns, depth);
                self.line("end associate");
            }
            1 => {
                self.line("block");
                self.line("integer :: y");
                self.line(&format!("y = {value}"));
                self.inner(level, returns, depth);
                self.line(&format!("{scalar} = y"));
                self.line("end block");
            }
            _ => {
                self.line(&format!("select case (modulo({value}, 3))"));
                self.line("case (0)");
                self.inner(level, returns, depth);
                self.line("case (1)");
                self.inner(level, returns, depth);
                if self.below(2) == 0 {
                    self.line("case default");
                    self.inner(level, returns, depth);
                }
                self.line("end select");
            }
        }
    }

    /// `level` says whom it may call: 3 anyone, 0 `s1` and `f2`, 1 `f2`, 2 none.
    fn body(&mut self, level: usize, returns: bool) {
        (self.pending, self.placed) = (vec![], vec![]);
        for _ in 0..4 + self.below(6) {
            if self.below(4) == 0 {
                self.label += 10;
                let label = self.label;
                self.line(&format!("{label} continue"));
                self.placed.push(label);
            }
            self.statement(level, returns, 0);
        }
        for label in std::mem::take(&mut self.pending) {
            self.line(&format!("{label} continue"));
            if self.below(2) == 0 {
                self.message();
            }
        }
    }

    fn statement(&mut self, level: usize, returns: bool, depth: usize) {
        if self.objects && self.below(4) == 0 {
            return if depth < 3 && self.below(4) == 0 {
                self.scope(level, returns, depth)
            } else {
                self.object()
            };
        }
        let choice = self.below(if depth < 3 { 26 } else { 15 });
        match choice {
            0..=4 => {
                let (target, value) = (self.target(), self.expression(2));
                self.line(&format!("{target} = {value}"));
            }
            5..=7 => self.message(),
            8 | 9 => self.call(level),
            10 => self.jump(returns),
            11 if depth > 0 => {
                let (condition, word) = (self.condition(), self.pick(&["exit", "cycle"]));
                self.line(&format!("if ({condition}) {word}"));
            }
            12 if level != 1 && level != 2 && depth < 2 => {
                let (target, x, y) = (self.target(), self.pick(&SCALARS), self.expression(1));
                self.line(&format!("{target} = f2({x}, {y})"));
            }
            13 => {
                let condition = self.condition();
                if self.below(4) == 0 {
                    self.line(&format!("if ({condition}) stop"));
                } else {
                    let (target, value) = (self.target(), self.expression(1));
                    self.line(&format!("if ({condition}) {target} = {value}"));
                }
            }
            14 => {
                let target = self.pick(&SCALARS);
                self.line(&format!("{target} = {target} + 1"));
            }
            15..=19 => self.branch(level, returns, depth),
            20..=25 => self.repeat(level, returns, depth),
            _ => self.line("call mpi_barrier(mpi_comm_world, ierr)"),
        }
    }

    fn branch(&mut self, level: usize, returns: bool, depth: usize) {
        let condition = self.condition();
        self.line(&format!("if ({condition}) then"));
        (0..1 + self.below(3)).for_each(|_| self.inner(level, returns, depth));
        if self.below(2) == 0 {
            self.line("else");
            (0..1 + self.below(2)).for_each(|_| self.inner(level, returns, depth));
        }
        self.line("end if");
    }

    /// EXIT and CYCLE need a loop: inside a branch of the top level there is none.
    fn inner(&mut self, level: usize, returns: bool, depth: usize) {
        if depth == 0 {
            let (target, value) = (self.target(), self.expression(2));
            match self.below(4) {
                0 => self.message(),
                1 => self.call(level),
                2 => self.jump(returns),
                _ => self.line(&format!("{target} = {value}")),
            }
        } else {
            self.statement(level, returns, depth);
        }
    }

    fn repeat(&mut self, level: usize, returns: bool, depth: usize) {
        let last = match self.below(3) {
            0 => "3".to_string(),
            1 => format!("modulo({}, 4)", self.expression(1)),
            _ => format!("modulo({}, 5) - 1", self.pick(&SCALARS)),
        };
        self.line(&format!("do i{} = 1, {last}", depth + 1));
        (0..1 + self.below(3)).for_each(|_| self.statement(level, returns, depth + 1));
        self.line("end do");
    }

    fn message(&mut self) {
        let (x, y, root) = (self.target(), self.target(), self.expression(1));
        match self.below(5) {
            0 | 1 => self.line("call mpi_barrier(mpi_comm_world, ierr)"),
            2 => self.line(&format!(
                "call mpi_bcast({x}, 1, mpi_integer, {root}, mpi_comm_world, ierr)"
            )),
            3 => self.line(&format!(
                "call mpi_allreduce({x}, {y}, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)"
            )),
            _ => self.line(&format!(
                "call mpi_send({x}, 1, mpi_integer, 0, {root}, mpi_comm_world, ierr)"
            )),
        }
    }

    fn call(&mut self, level: usize) {
        let callee = match level {
            3 => ["s0", "s1"][self.below(2)],
            0 => "s1",
            _ => {
                let target = self.pick(&SCALARS);
                return self.line(&format!("{target} = {target} - 1"));
            }
        };
        let first = self.target();
        let second = if self.below(3) == 0 {
            self.expression(1)
        } else {
            self.target()
        };
        self.line(&format!("call {callee}({first}, {second})"));
    }

    fn jump(&mut self, returns: bool) {
        let condition = self.condition();
        let goal = match self.below(4) {
            0 if !self.placed.is_empty() => {
                let index = self.below(self.placed.len());
                format!("goto {}", self.placed[index])
            }
            1 if returns => "return".to_string(),
            _ => {
                self.label += 10;
                let label = self.label;
                self.pending.push(label);
                format!("goto {label}")
            }
        };
        self.line(&format!("if ({condition}) {goal}"));
    }

    fn target(&mut self) -> String {
        if self.objects && self.below(5) == 0 {
            return self.pick(&PARTS).to_string();
        }
        match self.below(4) {
            0 => {
                let (array, index) = (self.pick(&ARRAYS), self.pick(&SCALARS));
                match self.below(2) {
                    0 => format!("{array}({})", 1 + self.below(4)),
                    _ => format!("{array}(1 + modulo({index}, 4))"),
                }
            }
            _ => self.pick(&SCALARS).to_string(),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 3 } else { 5 }) {
            0 => self.below(6).to_string(),
            1 | 2 => self.target(),
            _ => {
                let (left, operator, right) = (
                    self.expression(depth - 1),
                    self.pick(&["+", "-", "*"]),
                    self.expression(depth - 1),
                );
                format!("({left} {operator} {right})")
            }
        }
    }

    fn condition(&mut self) -> String {
        let (left, operator, right) = (
            self.target(),
            self.pick(&["<", ">", "=="]),
            self.expression(1),
        );
        format!("{left} {operator} {right}")
    }
}
