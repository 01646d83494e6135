//! Lookup in a program by id or name, and queries that all statement kinds share.

use super::{
    ALTERNATE_RETURN, Callee, Component, DerivedType, Expression, Procedure, ProcedureId, Program,
    Statement, StatementId, StatementKind, Storage, Type, Variable, VariableId, references,
};

use std::collections::BTreeSet;

impl Variable {
    /// Expressions that its declaration evaluates on entry to its scope: bounds of dimensions, the length of
    /// CHARACTER.
    pub fn specification(&self) -> impl Iterator<Item = &Expression> {
        let mut expressions = Vec::new();
        for dimension in &self.shape {
            expressions.extend(&dimension.lower);
            expressions.extend(&dimension.upper);
        }
        expressions.extend(&self.length);
        expressions.into_iter()
    }
}

impl Type {
    /// Whether its values are real or complex numbers.
    pub fn is_real(&self) -> bool {
        matches!(self, Self::Real(_) | Self::Complex(_))
    }

    /// Whether its values are numbers or logicals, which have all the same size: text may have another length.
    pub fn is_numeric(&self) -> bool {
        self.is_real() || matches!(self, Self::Integer(_) | Self::Logical(_))
    }
}

impl Program {
    /// A statement.
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.0 as usize]
    }

    /// Whether a statement is a DO CONCURRENT, the only loop that has names of its own.
    pub fn is_concurrent_loop(&self, id: StatementId) -> bool {
        let is_loop = matches!(
            self.statement(id).kind,
            StatementKind::Do { .. } | StatementKind::While { .. }
        );
        is_loop && self.own_names.contains_key(&id)
    }

    /// A variable.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// The name of the constant of MPI that an expression is, perhaps under names that the program gives it.
    pub fn mpi_constant(&self, expression: &Expression) -> Option<&str> {
        let mut meant = expression;
        // Constants that are defined by each other have no value.
        for _ in 0..=self.variables.len() {
            let Expression::Variable(id) = meant else {
                return None;
            };
            let variable = self.variable(*id);
            // `integer, parameter :: world = MPI_COMM_WORLD` names the same constant.
            match &variable.storage {
                _ if variable.attributes.of_mpi => return Some(&variable.name),
                Storage::Constant(Some(definition)) => meant = definition,
                _ => return None,
            }
        }
        None
    }

    /// A procedure.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.0 as usize]
    }

    /// A derived type.
    pub fn derived_type(&self, name: &str) -> Option<&DerivedType> {
        self.types.iter().find(|one| one.name == name)
    }

    /// The components that a path selects, outermost first; `None` if one is not known.
    pub fn components_along(&self, base: VariableId, path: &[String]) -> Option<Vec<&Component>> {
        let mut selected = Vec::with_capacity(path.len());
        for (depth, name) in path.iter().enumerate() {
            let Type::Derived(of) = self.type_of_part(base, &path[..depth]) else {
                return None;
            };
            selected.push(self.component(&of, name)?);
        }
        Some(selected)
    }

    /// A derived type and those it extends, itself first.
    pub fn lineage<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a DerivedType> {
        let mut lineage = Vec::new();
        let mut next = self.derived_type(name);
        while let Some(one) = next {
            // In an invalid program types may extend each other.
            if lineage.len() == self.types.len() {
                break;
            }
            lineage.push(one);
            next = match &one.parent {
                Some(parent) => self.derived_type(parent),
                None => None,
            };
        }
        lineage.into_iter()
    }

    /// The derived types that an object of a type may consist of: its own, those it extends, those that extend
    /// it, and those of the components that live with it. An unknown type may consist of any.
    pub fn types_within(&self, of_type: &Type) -> Vec<&DerivedType> {
        let mut found: Vec<&DerivedType> = match of_type {
            Type::Derived(name) => self.derived_type(name).into_iter().collect(),
            Type::Unknown => self.types.iter().collect(),
            Type::Integer(_)
            | Type::Real(_)
            | Type::Complex(_)
            | Type::Logical(_)
            | Type::Character => vec![],
        };
        // Names are unique: two types of one name differ by a number behind it.
        let mut names: BTreeSet<&str> = found.iter().map(|one| one.name.as_str()).collect();
        let mut next = 0;
        while let Some(&one) = found.get(next) {
            next += 1;
            for other in &self.types {
                if self.belongs(one, other) && names.insert(&other.name) {
                    found.push(other);
                }
            }
        }
        found
    }

    /// The FINAL procedures that may run when an object of a type ends or is overwritten.
    pub fn finals_of(&self, of_type: &Type) -> Vec<ProcedureId> {
        // Most programs have none.
        if self.types.iter().all(|one| one.finals.is_empty()) {
            return Vec::new();
        }
        let mut finals = Vec::new();
        for one in self.types_within(of_type) {
            finals.extend(&one.finals);
        }
        finals
    }

    /// Whether an object of the first type may contain one of the second.
    fn belongs(&self, one: &DerivedType, other: &DerivedType) -> bool {
        if one.parent.as_ref() == Some(&other.name) || other.parent.as_ref() == Some(&one.name) {
            return true;
        }
        for part in &one.components {
            let may_be_other = match &part.of_type {
                Type::Unknown => true,
                Type::Derived(name) => *name == other.name,
                _ => false,
            };
            // The target of a pointer is an object of its own.
            if may_be_other && !part.attributes.pointer {
                return true;
            }
        }
        false
    }

    /// A component of a derived type, its own or one that it inherits.
    pub fn component(&self, of: &str, name: &str) -> Option<&Component> {
        for one in self.lineage(of) {
            for component in &one.components {
                if component.name == name {
                    return Some(component);
                }
            }
        }
        None
    }

    /// Type of a part of a variable, by the names of the components that select it.
    pub fn type_of_part(&self, base: VariableId, path: &[String]) -> Type {
        let mut of_type = self.variable(base).of_type.clone();
        for name in path {
            let Type::Derived(of) = of_type else {
                return Type::Unknown;
            };
            of_type = self.type_of_component(&of, name);
        }
        of_type
    }

    /// The parent bears its own name as a component.
    fn type_of_component(&self, of: &str, name: &str) -> Type {
        if let Some(component) = self.component(of, name) {
            return component.of_type.clone();
        }
        // The parent is a component with the parent type's name (F2018 7.5.7.2).
        for ancestor in self.lineage(of).skip(1) {
            if ancestor.name.split('.').next() == Some(name) {
                return Type::Derived(ancestor.name.clone());
            }
        }
        Type::Unknown
    }

    /// A procedure by lower-case name.
    pub fn find(&self, name: &str) -> Option<ProcedureId> {
        for (index, procedure) in self.procedures.iter().enumerate() {
            if procedure.name == name {
                return Some(ProcedureId(index as u32));
            }
        }
        None
    }
}

impl Expression {
    /// The calls in it, outermost first.
    pub fn callees(&self) -> Vec<&Callee> {
        let mut found = Vec::new();
        references::walk(self, &mut |part| {
            if let Expression::Call { callee, .. } = part {
                found.push(callee);
            }
        });
        found
    }
}

impl StatementKind {
    /// The expressions of the statement itself, not of statements inside it: what it reads, what it writes, the arguments of a
    /// CALL.
    pub fn expressions(&self) -> Vec<&Expression> {
        references::expressions(self)
    }

    /// The lists of statements inside, in order: branches, ELSE, bodies, cases.
    pub fn bodies(&self) -> Vec<&[StatementId]> {
        match self {
            StatementKind::If {
                branches,
                otherwise,
                ..
            } => {
                let mut bodies: Vec<&[StatementId]> = Vec::with_capacity(branches.len() + 1);
                for (_, body) in branches {
                    bodies.push(body);
                }
                bodies.extend(otherwise.as_deref());
                bodies
            }
            StatementKind::Do { body, .. }
            | StatementKind::While { body, .. }
            | StatementKind::Scoped { body, .. } => vec![body],
            StatementKind::Select { cases, .. } => {
                cases.iter().map(|(_, body)| &body[..]).collect()
            }
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Goto { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => vec![],
        }
    }

    /// Whether it repeats its body.
    pub fn is_loop(&self) -> bool {
        matches!(self, StatementKind::Do { .. } | StatementKind::While { .. })
    }

    /// Whether what it reads determines which statement is executed next.
    pub fn is_branch(&self) -> bool {
        match self {
            StatementKind::If { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Goto { .. } => true,
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => false,
        }
    }

    /// Whether it may continue elsewhere than at the next statement, without ending the run: GOTO, EXIT, CYCLE and RETURN.
    pub fn is_jump(&self) -> bool {
        match self {
            StatementKind::Goto { .. }
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return => true,
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::If { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => false,
        }
    }

    /// Whether it is a call that may return to a label.
    pub fn has_alternate_return(&self) -> bool {
        let StatementKind::Call { arguments, .. } = self else {
            return false;
        };
        for argument in arguments.iter().flatten() {
            if let Expression::Literal(text) = argument
                && text == ALTERNATE_RETURN
            {
                return true;
            }
        }
        false
    }

    /// The label of the terminal statement of a labelled DO that has one of its own.
    pub fn terminal_label(&self) -> Option<u32> {
        match self {
            StatementKind::Do { terminal, .. } | StatementKind::While { terminal, .. } => *terminal,
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::If { .. }
            | StatementKind::Select { .. }
            | StatementKind::Goto { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::InputOutput(_)
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => None,
        }
    }

    /// Labels that the statement may jump to without a call: GOTO, ERR=, END=. The label of a DO's terminal
    /// statement is not among them, nor are alternate returns.
    pub fn jump_labels(&self) -> &[u32] {
        match self {
            StatementKind::Goto { labels, .. } => labels,
            StatementKind::InputOutput(io) => &io.jumps,
            StatementKind::Assign { .. }
            | StatementKind::Call { .. }
            | StatementKind::If { .. }
            | StatementKind::Do { .. }
            | StatementKind::While { .. }
            | StatementKind::Select { .. }
            | StatementKind::Scoped { .. }
            | StatementKind::PointerAssignment { .. }
            | StatementKind::Entry
            | StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Continue
            | StatementKind::Allocate { .. }
            | StatementKind::Deallocate { .. }
            | StatementKind::Opaque { .. } => &[],
        }
    }
}
