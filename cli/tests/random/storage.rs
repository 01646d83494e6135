//! Random programs: pointers, objects, allocation, text, files and work on bulk arrays.

use super::names::Who;
use super::program_tree::ProgramNode;
use super::statements::{Context, Generator};

impl Generator {
    /// Pointers, objects, allocation; only what is the same on all ranks.
    pub fn object(&mut self, context: Context) -> ProgramNode {
        if !context.uniform || self.who == Who::Alone {
            return self.work();
        }
        let (value, extent) = (self.expression(true, 1), 1 + self.chance.below(4));
        let own = self
            .chance
            .pick(&["uc", "ud", "ma", "mb", "mx(2)", "ob%m", "mx(4)"]);
        let lasting = self.chance.pick(&["ma", "mb", "mx(3)", "mo%m", "mo%n(1)"]);
        match self.chance.below(9) {
            0 => ProgramNode::line(format!("pu => {own}")),
            1 => ProgramNode::line(format!("ob%w => {own}")),
            2 => ProgramNode::line(format!("mo%w => {lasting}")),
            3 => ProgramNode::line("pu => mo%w"),
            4 if self.who == Who::Main => {
                ProgramNode::Lines(vec!["mo = ob".into(), "mo%w => mb".into()])
            }
            4 => ProgramNode::Lines(vec![
                "ob = mo".into(),
                allocated_again("ob%v", "4"),
                "ob%v = ob%m".into(),
            ]),
            // Functions of the value may allocate, read or free what is allocated here: they come first.
            5 => {
                let lines = [
                    &format!("ic = modulo({value}, 97)"),
                    "if (allocated(mv)) deallocate(mv)",
                    &format!("allocate(mv({extent}))"),
                    "mv = ic",
                ];
                ProgramNode::Lines(lines.map(String::from).to_vec())
            }
            6 => ProgramNode::line("if (allocated(mv)) deallocate(mv)"),
            7 => {
                let lines = [
                    &format!("ic = modulo({value}, 3)"),
                    "if (.not. allocated(mv)) then",
                    "  allocate(mv(1 + ic))",
                    "  mv = 3",
                    "end if",
                ];
                ProgramNode::Lines(lines.map(String::from).to_vec())
            }
            _ => {
                let read = self.chance.pick(&["size(mv)", "mv(1)", "sum(mv)"]);
                let target = self.target(true);
                ProgramNode::line(format!("if (allocated(mv)) {target} = modulo({read}, 97)"))
            }
        }
    }

    /// Text as a file, and a file that is the same on all ranks.
    pub fn text_or_file(&mut self, context: Context) -> ProgramNode {
        if !context.uniform || self.who == Who::Function {
            return self.work();
        }
        let (target, value) = (self.target(true), self.expression(true, 0));
        match self.chance.below(5) {
            0 => ProgramNode::line(format!("write(tx, '(i8)') {value}")),
            1 => ProgramNode::line(format!("read(tx, '(i8)') {target}")),
            2 => ProgramNode::Lines(vec![format!("write(20, *, iostat=ic) {value}")]),
            3 => ProgramNode::line("rewind(20)"),
            _ => ProgramNode::Lines(vec![
                format!("read(20, *, iostat=ic) {target}"),
                format!("if (ic /= 0) {target} = 4"),
                "if (ic /= 0) rewind(20)".into(),
            ]),
        }
    }

    /// Loops over bulk arrays, whose results seldom decide.
    pub fn work(&mut self) -> ProgramNode {
        let uniform = self.who != Who::Alone && self.chance.one_in(2);
        let count = match self.chance.below(3) {
            0 => "40".to_string(),
            1 => format!("modulo({}, 20)", self.expression(uniform, 0)),
            _ => format!("3 + modulo({}, 30)", self.scalar(uniform)),
        };
        let target = self.target(false);
        let lines: Vec<String> = match self.chance.below(6) {
            0 => vec![format!("w(1) = w(1) * 0.5d0 + modulo({count}, 7)")],
            1 => vec![
                format!("do j1 = 2, {count}"),
                "  w(j1) = w(j1) * 0.5d0 + w(j1 - 1) * 0.25d0".into(),
                "end do".into(),
            ],
            2 => vec![
                format!("do j1 = 1, {count}"),
                "  do j2 = 1, j1".into(),
                "    w(j2) = w(j2) * 0.5d0 + 0.1d0 * j1".into(),
                "  end do".into(),
                "end do".into(),
            ],
            3 => vec![
                format!("do j1 = 1, {count}"),
                "  if (w(j1) > 1.d0) then".into(),
                "    w(j1) = w(j1) * 0.5d0".into(),
                "  else".into(),
                "    w(j1) = w(j1) + 0.3d0".into(),
                "  end if".into(),
                "end do".into(),
            ],
            4 => vec![
                "x = sum(w(1:8))".into(),
                format!("{target} = modulo(int(x), 97)"),
            ],
            _ => vec![
                "ic = 0".into(),
                format!("do j1 = 1, {count}, 2"),
                "  ic = ic + 1".into(),
                "end do".into(),
                format!("{target} = modulo(ic, 97)"),
            ],
        };
        ProgramNode::Lines(lines)
    }
}

impl Generator {
    /// Loops that count, as those do that pack messages; with bounds in all orders, and what is left of them.
    pub fn counting(&mut self) -> ProgramNode {
        let target = self.target(true);
        let (outer, inner) = (self.control("j1"), self.control("j2"));
        let triangle = self
            .chance
            .pick(&["do j2 = 1, j1", "do j2 = j1, 4", "do j2 = 4, j1, -1"]);
        let inner = if self.chance.one_in(4) {
            triangle.to_string()
        } else {
            inner
        };
        let (each, first) = (self.scalar(true), self.chance.below(5));
        let count = match self.chance.below(5) {
            0 => format!("ic = ic + {each}"),
            1 => format!("ic = ic - {first}"),
            2 => format!("ic = 2 * {each} + ic"),
            _ => "ic = ic + 1".into(),
        };
        let also = self
            .chance
            .pick(&["", "", "  ic = ic + 3", "  sb(1) = sb(1) + 1"]);
        let mut lines = vec![format!("ic = {first}"), outer];
        lines.extend([
            format!("  {inner}"),
            format!("    {count}"),
            "    w(1) = w(1) * 0.5d0".into(),
            "  end do".into(),
        ]);
        lines.extend([also.to_string(), "end do".into()]);
        let left = self.chance.pick(&["ic", "ic", "ic + j1", "ic + j1 + j2"]);
        // What a loop that was never entered leaves is nothing.
        lines.insert(0, "j2 = 1".into());
        lines.push(format!("{target} = modulo({left}, 97)"));
        ProgramNode::Lines(lines.into_iter().filter(|line| !line.is_empty()).collect())
    }

    /// A DO statement that makes a few iterations, or none.
    fn control(&mut self, variable: &str) -> String {
        let mut bound = || match self.chance.below(3) {
            0 => (self.chance.below(7) as i64 - 2).to_string(),
            _ => format!("modulo({}, 6) - 1", self.scalar(true)),
        };
        let (from, to) = (bound(), bound());
        let step = self.chance.pick(&["", "", ", -1", ", 2", ", -3"]);
        format!("do {variable} = {from}, {to}{step}")
    }
}

fn allocated_again(name: &str, extent: &str) -> String {
    format!("if (.not. allocated({name})) allocate({name}({extent}))")
}
