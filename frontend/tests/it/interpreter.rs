//! Runs a small program from its IR, whole or sliced, and gives the sequence of its MPI calls and compute
//! blocks. One rank, integers only. What the slice need not know is poison: memory at the start,
//! and message data that are not delivered.

use base_data::block_table::BlockKind;
use base_data::mpi::{FunctionKind, Role};
use frontend::analysis::{Analysis, MessageLevel};
use frontend::ir::{
    Callee, CaseValue, Expression, Operator, ProcedureId, StatementId, StatementKind, Storage,
    Subscript, Type, VariableId,
};
use std::collections::BTreeMap;

/// What a run leaves.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    pub events: Vec<String>,
    /// Whether it ended within its steps.
    pub ended: bool,
    /// Whether a branch that is assumed not taken was taken.
    pub broke_assumption: bool,
}

/// The whole program, or only what its slice keeps.
pub fn run(analysis: &Analysis, sliced: bool, steps: u64) -> Run {
    let poison = if sliced { 7777 } else { 0 };
    let mut machine = Machine {
        analysis,
        sliced,
        poison,
        memory: vec![],
        shared: BTreeMap::new(),
        statics: BTreeMap::new(),
        steps,
        run: Run {
            events: vec![],
            ended: true,
            broke_assumption: false,
        },
        blocks: BTreeMap::new(),
    };
    for block in &analysis.blocks {
        if analysis.table.blocks[block.id.index()].kind == BlockKind::Compute {
            machine.blocks.insert(block.statements[0], block.id.index());
        }
    }
    let main = analysis.program.main.expect("a main program");
    if let Flow::Fuel = machine.procedure(main, &[]).0 {
        machine.run.ended = false;
    }
    machine.run
}

/// How control leaves a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Next,
    Label(u32),
    Exit(StatementId),
    Cycle(StatementId),
    Return,
    Stop,
    Fuel,
}

type Frame = BTreeMap<VariableId, usize>;

struct Machine<'a> {
    analysis: &'a Analysis,
    sliced: bool,
    poison: i64,
    memory: Vec<i64>,
    shared: BTreeMap<(String, u64), usize>,
    statics: BTreeMap<VariableId, usize>,
    steps: u64,
    run: Run,
    blocks: BTreeMap<StatementId, usize>,
}

impl Machine<'_> {
    fn procedure(&mut self, id: ProcedureId, actuals: &[usize]) -> (Flow, i64) {
        let procedure = self.analysis.program.procedure(id);
        let mut frame = Frame::new();
        for (dummy, &actual) in procedure.dummies.iter().zip(actuals) {
            frame.extend(dummy.map(|dummy| (dummy, actual)));
        }
        let flow = match self.list(&mut frame, &procedure.body) {
            Flow::Return | Flow::Next => Flow::Next,
            Flow::Label(label) => panic!("no label {label}"),
            other => other,
        };
        let value = procedure.result.map_or(0, |result| {
            let address = self.address(&mut frame, result);
            self.memory[address]
        });
        (flow, value)
    }

    fn list(&mut self, frame: &mut Frame, list: &[StatementId]) -> Flow {
        let mut at = 0;
        while at < list.len() {
            match self.statement(frame, list[at]) {
                Flow::Next => at += 1,
                Flow::Label(label) => match self.find(list, label) {
                    Some(target) => at = target,
                    None => return Flow::Label(label),
                },
                other => return other,
            }
        }
        Flow::Next
    }

    fn find(&self, list: &[StatementId], label: u32) -> Option<usize> {
        list.iter()
            .position(|&id| self.analysis.program.statement(id).label == Some(label))
    }

    fn statement(&mut self, frame: &mut Frame, id: StatementId) -> Flow {
        if self.steps == 0 {
            return Flow::Fuel;
        }
        self.steps -= 1;
        if let Some(&block) = self.blocks.get(&id) {
            self.block(frame, block);
        }
        if self.sliced && !self.analysis.slice.kept[id.0 as usize] {
            return Flow::Next;
        }
        match &self.analysis.program.statement(id).kind {
            StatementKind::Assign { target, value } if self.is_object(target) => {
                let (from, to) = (self.place(frame, value), self.place(frame, target));
                let size = self.size_of(
                    &self
                        .analysis
                        .program
                        .type_of_part(base(target), path(target)),
                );
                self.memory.copy_within(from..from + size, to);
                Flow::Next
            }
            StatementKind::Assign { target, value } => match self.value(frame, value) {
                Ok(value) => {
                    let address = self.place(frame, target);
                    self.memory[address] = value;
                    Flow::Next
                }
                Err(flow) => flow,
            },
            StatementKind::Call { callee, arguments } => {
                let arguments: Vec<&Expression> = arguments.iter().flatten().collect();
                self.call(frame, id, callee, &arguments)
            }
            StatementKind::If {
                branches,
                otherwise,
                ..
            } => {
                for (condition, body) in branches {
                    match self.value(frame, condition) {
                        Ok(0) => {}
                        Ok(_) => {
                            let assumed = self
                                .analysis
                                .slice
                                .assumptions
                                .iter()
                                .any(|(at, _)| *at == id);
                            self.run.broke_assumption |= assumed;
                            return self.list(frame, body);
                        }
                        Err(flow) => return flow,
                    }
                }
                self.list(frame, otherwise.as_deref().unwrap_or_default())
            }
            StatementKind::Do {
                variable,
                from,
                to,
                body,
                ..
            } => self.repeat(frame, id, *variable, from, to, body),
            StatementKind::Select { selector, cases } => match self.value(frame, selector) {
                Ok(value) => {
                    let is_value = |one: &CaseValue| matches!(one, CaseValue::One(Expression::Integer(n)) if *n == value);
                    let holds = |case: &&(Vec<CaseValue>, Vec<StatementId>)| {
                        case.0.is_empty() || case.0.iter().any(is_value)
                    };
                    // DEFAULT is written last.
                    cases
                        .iter()
                        .find(holds)
                        .map_or(Flow::Next, |(_, body)| self.list(frame, body))
                }
                Err(flow) => flow,
            },
            StatementKind::Scoped { body, .. } => self.list(frame, body),
            StatementKind::PointerAssignment { pointer, target } => {
                let named = match target {
                    Expression::Call {
                        callee: Callee::Procedure(procedure),
                        ..
                    } => i64::from(procedure.0),
                    _ => self.place(frame, target) as i64,
                };
                let cell = self.cell(frame, pointer);
                self.memory[cell] = named;
                Flow::Next
            }
            StatementKind::Goto { labels, .. } => Flow::Label(labels[0]),
            StatementKind::Exit(target) => Flow::Exit(*target),
            StatementKind::Cycle(target) => Flow::Cycle(*target),
            StatementKind::Return => Flow::Return,
            StatementKind::Stop => Flow::Stop,
            StatementKind::Continue => Flow::Next,
            other => panic!("not generated: {other:?}"),
        }
    }

    fn block(&mut self, frame: &mut Frame, block: usize) {
        let terms = self.analysis.blocks[block].terms.clone();
        let values: Vec<i64> = terms
            .iter()
            .map(|term| self.value(frame, term).map_or(-1, |value| value.max(0)))
            .collect();
        self.run.events.push(format!("block {block} {values:?}"));
    }

    fn repeat(
        &mut self,
        frame: &mut Frame,
        id: StatementId,
        variable: VariableId,
        from: &Expression,
        to: &Expression,
        body: &[StatementId],
    ) -> Flow {
        let (from, to) = match (self.value(frame, from), self.value(frame, to)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(flow), _) | (_, Err(flow)) => return flow,
        };
        let address = self.address(frame, variable);
        self.memory[address] = from;
        // Poison must not run for ever.
        for _ in 0..(to - from + 1).clamp(0, 10_000) {
            match self.list(frame, body) {
                Flow::Next => {}
                Flow::Cycle(target) if target == id => {}
                Flow::Exit(target) if target == id => return Flow::Next,
                other => return other,
            }
            self.memory[address] += 1;
        }
        Flow::Next
    }

    fn call(
        &mut self,
        frame: &mut Frame,
        id: StatementId,
        callee: &Callee,
        arguments: &[&Expression],
    ) -> Flow {
        match callee {
            Callee::Variable(pointer) => {
                let address = self.address(frame, *pointer);
                // A poisoned value may be called; it names no procedure.
                let known = u32::try_from(self.memory[address]).map(ProcedureId);
                let known = known
                    .ok()
                    .filter(|id| (id.0 as usize) < self.analysis.program.procedures.len());
                match known.map(Callee::Procedure) {
                    Some(callee) => self.call(frame, id, &callee, arguments),
                    None => Flow::Next,
                }
            }
            Callee::OneOf(all) => self.call(frame, id, &Callee::Procedure(all[0]), arguments),
            Callee::Procedure(procedure) => {
                let actuals: Result<Vec<usize>, Flow> =
                    arguments.iter().map(|a| self.actual(frame, a)).collect();
                match actuals {
                    Ok(actuals) => self.procedure(*procedure, &actuals).0,
                    Err(flow) => flow,
                }
            }
            Callee::Mpi(function) => {
                let mut event = function.name.to_string();
                for (argument, expression) in function.arguments.iter().zip(arguments) {
                    if argument.role == Role::Root
                        || argument.role == Role::Tag
                        || argument.role == Role::Peer
                    {
                        match self.value(frame, expression) {
                            Ok(value) => event += &format!(" {value}"),
                            Err(flow) => return flow,
                        }
                    }
                }
                if function.kind.is_recorded() {
                    self.run.events.push(event);
                }
                self.transfer(frame, id, function, arguments);
                if function.kind == FunctionKind::Abort {
                    Flow::Stop
                } else {
                    Flow::Next
                }
            }
            other => panic!("not generated: {other:?}"),
        }
    }

    /// What arrives depends on what was sent last in the same class; undelivered data are poison.
    fn transfer(
        &mut self,
        frame: &mut Frame,
        id: StatementId,
        function: &base_data::mpi::Function,
        arguments: &[&Expression],
    ) {
        let site = self
            .analysis
            .sites
            .iter()
            .find(|site| site.statement == id)
            .expect("a site");
        let delivered = !self.sliced || site.level == MessageLevel::PayloadLive;
        let mut sent = 0;
        for (argument, expression) in function.arguments.iter().zip(arguments) {
            let address = self.place(frame, expression);
            match argument.role {
                Role::BufferIn => sent = self.memory[address],
                Role::BufferOut => {
                    self.memory[address] = if delivered {
                        fold(sent * 3 + 1)
                    } else {
                        self.poison
                    };
                }
                Role::BufferInOut if !delivered => self.memory[address] = self.poison,
                Role::Result => self.memory[address] = 5,
                _ => {}
            }
        }
    }

    fn actual(&mut self, frame: &mut Frame, argument: &Expression) -> Result<usize, Flow> {
        match argument {
            Expression::Variable(_) | Expression::Reference { .. } => {
                Ok(self.place(frame, argument))
            }
            _ => {
                let value = self.value(frame, argument)?;
                self.memory.push(value);
                Ok(self.memory.len() - 1)
            }
        }
    }

    /// Where something is; a pointer is what it points at.
    fn place(&mut self, frame: &mut Frame, target: &Expression) -> usize {
        let cell = self.cell(frame, target);
        let program = &self.analysis.program;
        let points = match target {
            Expression::Variable(variable) => program.variable(*variable).attributes.pointer,
            Expression::Reference { base, path, .. } => {
                path.split_last().is_some_and(|(last, front)| {
                    let Type::Derived(of) = program.type_of_part(*base, front) else {
                        return false;
                    };
                    program
                        .component(&of, last)
                        .is_some_and(|one| one.attributes.pointer)
                })
            }
            _ => false,
        };
        if points { self.follow(cell) } else { cell }
    }

    /// Poison points at poison.
    fn follow(&mut self, cell: usize) -> usize {
        let address = usize::try_from(self.memory[cell])
            .ok()
            .filter(|&at| at < self.memory.len());
        address.unwrap_or_else(|| self.allocate(8))
    }

    fn size_of(&self, of_type: &Type) -> usize {
        let Type::Derived(of) = of_type else { return 1 };
        let size = |one: &frontend::ir::Component| if one.rank > 0 { 4 } else { 1 };
        self.analysis
            .program
            .lineage(of)
            .flat_map(|one| &one.components)
            .map(size)
            .sum()
    }

    /// Cells before a component; those of the parent come first, and the parent itself begins with them.
    fn offset(&self, of: &str, name: &str) -> usize {
        let mut line: Vec<_> = self.analysis.program.lineage(of).collect();
        line.reverse();
        let all = line.iter().flat_map(|one| &one.components);
        let before = all.clone().take_while(|one| one.name != name);
        let size = before.map(|one| if one.rank > 0 { 4 } else { 1 }).sum();
        if all.clone().any(|one| one.name == name) {
            size
        } else {
            0
        }
    }

    fn is_object(&self, target: &Expression) -> bool {
        let of_type = self
            .analysis
            .program
            .type_of_part(base(target), path(target));
        matches!(of_type, Type::Derived(_))
    }

    /// Where a variable, or the pointer itself, is kept.
    fn cell(&mut self, frame: &mut Frame, target: &Expression) -> usize {
        match target {
            Expression::Variable(variable) => self.address(frame, *variable),
            Expression::Reference {
                base,
                path,
                subscripts,
            } => {
                let mut at = self.address(frame, *base);
                for (depth, name) in path.iter().enumerate() {
                    let Type::Derived(of) =
                        self.analysis.program.type_of_part(*base, &path[..depth])
                    else {
                        panic!("not generated")
                    };
                    at += self.offset(&of, name);
                }
                let Some(Subscript::Element(index)) = subscripts.first() else {
                    return at;
                };
                let index = self.value(frame, index).unwrap_or(1).clamp(1, 4);
                at + index as usize - 1
            }
            // Constants of MPI.
            _ => {
                self.memory.push(0);
                self.memory.len() - 1
            }
        }
    }

    fn address(&mut self, frame: &mut Frame, id: VariableId) -> usize {
        let variable = self.analysis.program.variable(id);
        let size = if variable.shape.is_empty() {
            self.size_of(&variable.of_type)
        } else {
            4
        };
        match &variable.storage {
            Storage::Common { block, offset, .. } => {
                let key = (block.clone(), offset.expect("known sizes"));
                if let Some(&address) = self.shared.get(&key) {
                    return address;
                }
                let address = self.allocate(size);
                self.shared.insert(key, address);
                address
            }
            Storage::Static | Storage::Module(_) | Storage::Constant(_) => {
                if let Some(&address) = self.statics.get(&id) {
                    return address;
                }
                let address = self.allocate(size);
                self.statics.insert(id, address);
                address
            }
            Storage::Local | Storage::Dummy(_) => {
                if let Some(&address) = frame.get(&id) {
                    return address;
                }
                let address = self.allocate(size);
                frame.insert(id, address);
                address
            }
        }
    }

    fn allocate(&mut self, size: usize) -> usize {
        let address = self.memory.len();
        self.memory.resize(address + size, self.poison);
        address
    }

    fn value(&mut self, frame: &mut Frame, expression: &Expression) -> Result<i64, Flow> {
        match expression {
            Expression::Integer(value) => Ok(*value),
            Expression::Literal(text) => {
                Ok(text.trim_end_matches("_8").parse().expect("an integer"))
            }
            Expression::Variable(_) | Expression::Reference { .. } => {
                let address = self.place(frame, expression);
                Ok(self.memory[address])
            }
            Expression::Unary { operator, operand } => {
                let value = self.value(frame, operand)?;
                Ok(match operator {
                    Operator::Negate => -value,
                    Operator::Not => i64::from(value == 0),
                    _ => value,
                })
            }
            Expression::Binary {
                operator,
                left,
                right,
            } => {
                let (left, right) = (self.value(frame, left)?, self.value(frame, right)?);
                Ok(match operator {
                    Operator::Add => fold(left + right),
                    Operator::Subtract => fold(left - right),
                    Operator::Multiply => fold(left * right),
                    Operator::Less => i64::from(left < right),
                    Operator::Greater => i64::from(left > right),
                    Operator::LessEqual => i64::from(left <= right),
                    Operator::GreaterEqual => i64::from(left >= right),
                    Operator::Equal => i64::from(left == right),
                    Operator::NotEqual => i64::from(left != right),
                    Operator::And => left & right,
                    Operator::Or => left | right,
                    Operator::Divide => left / right,
                    other => panic!("not generated: {other:?}"),
                })
            }
            Expression::Call {
                callee: Callee::Procedure(procedure),
                arguments,
            } => {
                let actuals = arguments
                    .iter()
                    .map(|a| self.actual(frame, a))
                    .collect::<Result<Vec<_>, _>>()?;
                let (flow, value) = self.procedure(*procedure, &actuals);
                if flow == Flow::Next {
                    Ok(value)
                } else {
                    Err(flow)
                }
            }
            Expression::Call {
                callee: Callee::Intrinsic(name),
                arguments,
            } => {
                let values = arguments
                    .iter()
                    .map(|a| self.value(frame, a))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(match name.as_str() {
                    "modulo" => values[0].rem_euclid(values[1].max(1)),
                    "max" => values[0].max(values[1]),
                    "int" => values[0],
                    "merge" => {
                        if values[2] != 0 {
                            values[0]
                        } else {
                            values[1]
                        }
                    }
                    other => panic!("not generated: {other}"),
                })
            }
            other => panic!("not generated: {other:?}"),
        }
    }
}

fn base(target: &Expression) -> VariableId {
    match target {
        Expression::Variable(base) | Expression::Reference { base, .. } => *base,
        other => panic!("not generated: {other:?}"),
    }
}

fn path(target: &Expression) -> &[String] {
    if let Expression::Reference { path, .. } = target {
        path
    } else {
        &[]
    }
}

/// Small numbers stay small.
fn fold(value: i64) -> i64 {
    value % 10_007
}
