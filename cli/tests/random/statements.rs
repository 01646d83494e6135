//! Random programs: their units and all statements but messages. Whatever decides a message that others
//! must answer is the same on all ranks, so no program waits for itself; every loop counts, so all end.

use super::names::{self, MODULE, Names, Style, Who};
use super::program_tree::{Program, ProgramNode, Unit};
use super::rare_features;
use super::rng::Rng;

/// Makes one program.
pub struct Generator {
    pub chance: Rng,
    pub style: Style,
    pub names: Names,
    pub who: Who,
    /// Things that names which hide others stand for.
    pub things: u32,
    label: u32,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Whether all ranks come here alike.
    pub uniform: bool,
    /// How deep.
    pub depth: usize,
    /// Whether EXIT and CYCLE may stand here: in a loop that is as uniform as this place.
    in_loop: bool,
    /// Whether a jump may leave what is around.
    may_leave: bool,
    /// Whether messages are on their way in the buffers for it.
    pub pending: bool,
}

impl Context {
    const TOP: Context = Context {
        uniform: true,
        depth: 0,
        in_loop: false,
        may_leave: true,
        pending: false,
    };

    pub fn inside(self) -> Self {
        Context {
            depth: self.depth + 1,
            ..self
        }
    }

    /// Ranks differ from here on.
    fn alone(self) -> Self {
        match self.uniform {
            true => Context {
                uniform: false,
                in_loop: false,
                may_leave: false,
                ..self
            },
            false => self,
        }
    }

    /// Nothing leaves what follows before its end.
    pub fn closed(self) -> Self {
        Context {
            in_loop: false,
            may_leave: false,
            pending: true,
            ..self.inside()
        }
    }
}

/// Deepest nesting.
const DEEPEST: usize = 3;

/// From this seed on programs have the forms that came later, so that all others stay what they were.
pub const LATER: u64 = 10_000;

/// From this seed on they have names that hide others.
pub const HIDING: u64 = 20_000;

/// From this seed on they have loops that a count and a test end in one condition.
pub const CONVERGING: u64 = 30_000;

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut chance = Rng::new(seed);
    let later = seed >= LATER;
    let convergence_loop_program = seed >= CONVERGING;
    let hiding = seed >= HIDING && !convergence_loop_program;
    let style = Style {
        modern: chance.below(3) > 0,
        layouts: chance.one_in(2),
        quiet: seed % 8 == 7,
        counts: seed % 16 == 14,
        steps: seed % 8 == 1,
        nests: matches!(seed % 16, 11 | 13),
        wide: matches!(seed % 16, 6 | 10),
        sparse: seed.is_multiple_of(16)
            || hiding
            || convergence_loop_program
            || (later && !seed.is_multiple_of(3)),
        forms: later || matches!(seed % 16, 0 | 5 | 12),
        later,
        hiding,
        convergence_loop_program,
    };
    let ranks = 2 + chance.below(3) as u32;
    let names = Names::of(Who::Main, style);
    let mut generator = Generator {
        chance,
        style,
        names,
        who: Who::Main,
        things: 0,
        label: 0,
    };
    let mut units = Vec::new();
    if style.modern {
        let own = if style.wide {
            rare_features::OWN_FUNCTION
        } else {
            "end module"
        };
        let module = MODULE.replace("end module", own);
        units.push(Unit {
            head: module.lines().map(String::from).collect(),
            ..Unit::default()
        });
    }
    for who in [Who::Main, Who::Outer, Who::Inner, Who::Function, Who::Alone] {
        units.push(generator.unit(who));
    }
    if style.steps {
        units.push(generator.step_procedure());
    }
    if style.wide {
        units.push(generator.operation());
    }
    if style.forms {
        generator.add_forms(&mut units, Rng::new(seed + (1 << 40)));
    }
    Program { ranks, units }
}

impl Generator {
    fn unit(&mut self, who: Who) -> Unit {
        (self.who, self.names) = (who, Names::of(who, self.style));
        let head = names::head(who, self.style, &mut self.chance);
        let (count, context) = match who {
            Who::Main => (6 + self.chance.below(6), Context::TOP),
            Who::Outer => (2 + self.chance.below(3), Context::TOP),
            Who::Inner => (2 + self.chance.below(2), Context::TOP),
            Who::Function => (2 + self.chance.below(2), Context::TOP),
            Who::Alone => (
                2 + self.chance.below(3),
                Context {
                    uniform: false,
                    ..Context::TOP
                },
            ),
        };
        let count = match (self.style.sparse, who) {
            (false, _) => count,
            (true, Who::Main) => 1,
            (true, Who::Outer | Who::Inner | Who::Function | Who::Alone) => 0,
        };
        let mut body: Vec<ProgramNode> = (0..count).map(|_| self.piece(context)).collect();
        if self.style.nests && who != Who::Alone {
            for _ in 0..2 {
                let (nest, at) = (self.counting(), self.chance.below(body.len() + 1));
                body.insert(at, nest);
            }
        }
        if self.style.wide && matches!(who, Who::Main | Who::Outer | Who::Inner) {
            for _ in 0..4 {
                let (piece, at) = (self.wide_somewhere(), self.chance.below(body.len() + 1));
                body.insert(at, piece);
            }
        }
        if self.style.steps && matches!(who, Who::Main | Who::Outer | Who::Inner) {
            let (steps, at) = (self.steps(context), self.chance.below(body.len() + 1));
            body.insert(at, steps);
        }
        let end: &[&str] = match who {
            Who::Main => &["  call mpi_finalize(ierr)", "end program zqt"],
            Who::Outer | Who::Inner | Who::Alone => &["end subroutine"],
            Who::Function => &["end function"],
        };
        Unit {
            head,
            body,
            end: end.iter().map(|line| line.to_string()).collect(),
        }
    }

    pub fn list(&mut self, context: Context) -> Vec<ProgramNode> {
        (0..1 + self.chance.below(2))
            .map(|_| self.piece(context))
            .collect()
    }

    fn piece(&mut self, context: Context) -> ProgramNode {
        let deep = context.depth >= DEEPEST;
        match self.chance.below(if deep { 16 } else { 30 }) {
            0..=4 => self.assignment(context),
            5..=8 => self.message(context),
            9 => self.call(context),
            10 => self.leave(context),
            11 => self.text_or_file(context),
            12 if self.style.modern => self.object(context),
            13 => self.conditional(context),
            14 => self.ending(context),
            12 | 15 => self.work(),
            16..=18 => self.branch(context),
            19..=22 => self.repeat(context),
            23 | 24 => self.jump(context),
            25 => self.select(context),
            26 | 27 if context.uniform => {
                ProgramNode::around(vec![], self.list(context.alone().inside()), vec![])
            }
            _ if context.uniform && !context.pending => self.exchange(context),
            _ => self.message(context),
        }
    }

    /// Whether nothing is sent here.
    pub fn is_quiet(&self) -> bool {
        self.style.quiet && matches!(self.who, Who::Inner | Who::Function | Who::Alone)
    }

    fn label(&mut self) -> u32 {
        self.label += 10;
        self.label
    }

    /// A variable to be written.
    pub fn target(&mut self, uniform: bool) -> String {
        let (scalars, arrays) = match uniform {
            true => (
                self.names.uniform.clone(),
                self.names.uniform_arrays.clone(),
            ),
            false => (self.names.local.clone(), self.names.local_arrays.clone()),
        };
        match self.chance.below(4) {
            0 => {
                let (array, subscript) = (self.chance.pick(&arrays), self.subscript(uniform));
                format!("{array}({subscript})")
            }
            _ => self.chance.pick(&scalars).to_string(),
        }
    }

    fn subscript(&mut self, uniform: bool) -> String {
        match self.chance.below(2) {
            0 => (1 + self.chance.below(4)).to_string(),
            _ => format!("1 + modulo({}, 4)", self.scalar(uniform)),
        }
    }

    /// A variable to be read; where ranks may differ, also those that do not.
    pub fn scalar(&mut self, uniform: bool) -> String {
        let uniform = uniform || (self.who != Who::Alone && self.chance.one_in(3));
        let names = match uniform {
            true => [self.names.uniform.clone(), self.names.read_only.clone()].concat(),
            false => [self.names.local.clone(), vec!["rank"]].concat(),
        };
        self.chance.pick(&names).to_string()
    }

    pub fn expression(&mut self, uniform: bool, depth: usize) -> String {
        match self.chance.below(if depth == 0 { 5 } else { 11 }) {
            0 => self.chance.below(6).to_string(),
            1..=3 => self.scalar(uniform),
            4 => self.element(uniform),
            5 | 6 => format!(
                "{} + {}",
                self.expression(uniform, depth - 1),
                self.scalar(uniform)
            ),
            7 => format!("{} * 2 - {}", self.scalar(uniform), self.scalar(uniform)),
            8 => format!(
                "merge({}, {}, {})",
                self.scalar(uniform),
                self.expression(uniform, 0),
                self.condition(uniform)
            ),
            9 => {
                let x = self.expression(uniform, depth - 1);
                format!("max({x}, {})", self.scalar(uniform))
            }
            _ if uniform && self.who != Who::Function && self.who != Who::Alone => {
                let actuals = ["ua", "ub", "uc", "ga", "gb"];
                let first = self.chance.pick(&actuals);
                let second = match self.chance.below(3) {
                    0 => format!("({})", self.expression(true, 0)),
                    _ => self.chance.pick(&actuals).to_string(),
                };
                format!("zqf({first}, {second})")
            }
            _ => self.element(uniform),
        }
    }

    fn element(&mut self, uniform: bool) -> String {
        let arrays = match uniform {
            true => self.names.uniform_arrays.clone(),
            false => self.names.local_arrays.clone(),
        };
        let (array, subscript) = (self.chance.pick(&arrays), self.subscript(uniform));
        match self.chance.below(4) {
            0 => format!("sum({array}(1:2))"),
            _ => format!("{array}({subscript})"),
        }
    }

    pub fn condition(&mut self, uniform: bool) -> String {
        let (a, b) = (self.scalar(uniform), self.expression(uniform, 0));
        match self.chance.below(7) {
            0 | 1 => format!("{a} > {}", 1 + self.chance.below(4)),
            2 => format!("{a} < {b}"),
            3 => format!("modulo({a}, 2) == {}", self.chance.below(2)),
            4 => format!("{a} /= {b}"),
            5 if self.style.modern && self.who != Who::Alone => "allocated(mv)".into(),
            _ => format!("{a} < 3 .and. modulo({b}, 3) > 0"),
        }
    }

    /// Values stay small, whatever is done with them.
    pub fn assign(&mut self, uniform: bool, value: &str) -> String {
        let target = self.target(uniform);
        format!("{target} = modulo({value}, 97)")
    }

    pub fn assignment(&mut self, context: Context) -> ProgramNode {
        let uniform = context.uniform && self.chance.below(3) > 0;
        let value = self.expression(uniform, 2);
        if self.chance.one_in(8) {
            let arrays = match uniform {
                true => self.names.uniform_arrays.clone(),
                false => self.names.local_arrays.clone(),
            };
            let array = self.chance.pick(&arrays);
            let part = self.chance.pick(&["", "(:)", "(1:2)", "(3:4)"]);
            return ProgramNode::line(format!("{array}{part} = modulo({value}, 97)"));
        }
        ProgramNode::line(self.assign(uniform, &value))
    }

    fn conditional(&mut self, context: Context) -> ProgramNode {
        let (condition, value) = (
            self.condition(context.uniform),
            self.expression(context.uniform, 1),
        );
        let assignment = self.assign(context.uniform, &value);
        ProgramNode::line(format!("if ({condition}) {assignment}"))
    }

    fn branch(&mut self, context: Context) -> ProgramNode {
        let context = if self.chance.one_in(5) {
            context.alone()
        } else {
            context
        };
        let mut parts = vec![(String::new(), self.list(context.inside()))];
        let head = format!("if ({}) then", self.condition(context.uniform));
        if self.chance.one_in(4) {
            let condition = self.condition(context.uniform);
            parts.push((
                format!("else if ({condition}) then"),
                self.list(context.inside()),
            ));
        }
        if self.chance.one_in(2) {
            parts.push(("else".into(), self.list(context.inside())));
        }
        ProgramNode::Construct {
            head: vec![head],
            parts,
            end: vec!["end if".into()],
        }
    }

    fn select(&mut self, context: Context) -> ProgramNode {
        let head = format!(
            "select case (modulo({}, 4))",
            self.expression(context.uniform, 1)
        );
        let mut parts = Vec::new();
        for case in ["case (0)", "case (1:2)", "case default"] {
            if self.chance.below(4) > 0 {
                parts.push((case.to_string(), self.list(context.inside())));
            }
        }
        ProgramNode::Construct {
            head: vec![head],
            parts,
            end: vec!["end select".into()],
        }
    }

    fn repeat(&mut self, context: Context) -> ProgramNode {
        let context = if self.chance.one_in(6) {
            context.alone()
        } else {
            context
        };
        let depth = context.depth + 1;
        let body = self.list(Context {
            in_loop: true,
            ..context.inside()
        });
        let counter = format!("k{depth}");
        let last = match self.chance.below(3) {
            0 => "3".to_string(),
            1 => format!("modulo({}, 4)", self.expression(context.uniform, 1)),
            _ => format!("modulo({}, 5) - 1", self.scalar(context.uniform)),
        };
        let (head, end) = match self.chance.below(4) {
            // Loop variables are read as the same on all ranks.
            0..=2 if context.uniform => {
                let step = self.chance.pick(&["", "", "", ", 2"]);
                (
                    vec![format!("do i{depth} = 1, {last}{step}")],
                    vec!["end do".into()],
                )
            }
            3 => {
                let condition = self.condition(context.uniform);
                let head = [
                    format!("{counter} = 0"),
                    format!("do while ({counter} < 4 .and. {condition})"),
                    format!("  {counter} = {counter} + 1"),
                ];
                (head.to_vec(), vec!["end do".into()])
            }
            _ => {
                let head = [
                    format!("{counter} = 0"),
                    "do".into(),
                    format!("  {counter} = {counter} + 1"),
                    format!("  if ({counter} > {last}) exit"),
                ];
                (head.to_vec(), vec!["end do".into()])
            }
        };
        ProgramNode::around(head, body, end)
    }

    /// EXIT, CYCLE, or an early end of the procedure.
    fn leave(&mut self, context: Context) -> ProgramNode {
        let condition = self.condition(context.uniform);
        if context.in_loop {
            return ProgramNode::line(format!(
                "if ({condition}) {}",
                self.chance.pick(&["exit", "cycle"])
            ));
        }
        match self.who {
            Who::Outer | Who::Inner | Who::Function | Who::Alone if context.may_leave => {
                ProgramNode::line(format!("if ({condition}) return"))
            }
            _ => self.assignment(context),
        }
    }

    /// The run ends early: as it should, or as it never does.
    fn ending(&mut self, context: Context) -> ProgramNode {
        if self.is_quiet() {
            return self.work();
        }
        match self.chance.below(4) {
            0 | 1 if context.uniform && context.may_leave && self.chance.one_in(2) => {
                let condition = self.condition(true);
                let lines = [
                    &format!("if ({condition}) then"),
                    "  call mpi_finalize(ierr)",
                    "  stop",
                    "end if",
                ];
                ProgramNode::Lines(lines.map(String::from).to_vec())
            }
            2 => ProgramNode::line("if (w(3) > 1.d30) stop 'diverged'"),
            3 => ProgramNode::line(format!(
                "if ({} > 500) call mpi_abort(mpi_comm_world, 1, ierr)",
                self.scalar(context.uniform)
            )),
            _ => self.work(),
        }
    }

    fn jump(&mut self, context: Context) -> ProgramNode {
        let (label, counter) = (self.label(), format!("k{}", context.depth + 1));
        let (condition, other) = (
            self.condition(context.uniform),
            self.condition(context.uniform),
        );
        let inner = context.inside();
        let first = self.list(inner);
        match self.chance.below(4) {
            0 => {
                let head = format!("if ({condition}) goto {label}");
                ProgramNode::around(vec![head], first, vec![format!("{label} continue")])
            }
            1 => {
                let head = [
                    format!("{counter} = 0"),
                    format!("{label} continue"),
                    format!("{counter} = {counter} + 1"),
                ];
                let end = format!("if ({counter} < 3 .and. {condition}) goto {label}");
                // A jump past the end of this loop would leave it; one to its begin is its own.
                ProgramNode::around(head.to_vec(), first, vec![end])
            }
            2 => {
                let second = self.label();
                let index = self.expression(context.uniform, 1);
                let head = format!("goto ({label}, {second}), modulo({index}, 3)");
                let parts = vec![
                    (String::new(), first),
                    (format!("{label} continue"), self.list(inner)),
                    (format!("if ({condition}) goto {second}"), self.list(inner)),
                ];
                ProgramNode::Construct {
                    head: vec![head],
                    parts,
                    end: vec![format!("{second} continue")],
                }
            }
            _ => {
                let second = self.label();
                let parts = vec![
                    (format!("if ({condition}) goto {label}"), first),
                    (format!("if ({other}) goto {second}"), self.list(inner)),
                    (format!("{label} continue"), self.list(inner)),
                ];
                ProgramNode::Construct {
                    head: vec![],
                    parts,
                    end: vec![format!("{second} continue")],
                }
            }
        }
    }

    fn call(&mut self, context: Context) -> ProgramNode {
        if !context.uniform || self.chance.one_in(5) {
            if self.who == Who::Alone || self.who == Who::Function {
                return self.assignment(context);
            }
            let (first, second) = (
                self.chance.pick(&["la", "lb", "ha", "hx(2)"]),
                self.chance.pick(&["lx", "ly", "hx"]),
            );
            return ProgramNode::line(format!("call zql({first}, {second})"));
        }
        let callee = match self.who {
            Who::Main => self.chance.pick(&["zqa", "zqa", "zqi"]),
            Who::Outer => "zqi",
            Who::Inner | Who::Function | Who::Alone => return self.assignment(context),
        };
        let uniform = ["ua", "ub", "uc", "ud", "ga", "gb", "gx(2)"];
        let first = self.chance.pick(&uniform);
        let second = match self.chance.below(4) {
            0 => format!("({})", self.expression(true, 0)),
            1 => first.to_string(),
            _ => self.chance.pick(&uniform).to_string(),
        };
        let arrays = self.names.uniform_arrays.clone();
        let (array, local) = (
            self.chance.pick(&arrays),
            self.chance.pick(&["la", "lb", "lc", "ha"]),
        );
        let locals = self.chance.pick(&["lx", "ly", "hx"]);
        ProgramNode::line(format!(
            "call {callee}({first}, {second}, {array}, {local}, {locals})"
        ))
    }
}
