//! Finding things in a program by id or name, and what statement kinds have in common.

use super::{
    ALTERNATE_RETURN, Component, DerivedType, Expression, Procedure, ProcedureId, Program,
    Statement, StatementId, StatementKind, Storage, Type, Variable, VariableId,
};

impl Variable {
    /// What its declaration evaluates where its scope is entered: bounds of dimensions, the length of CHARACTER.
    pub fn specification(&self) -> impl Iterator<Item = &Expression> {
        let bounds = self
            .shape
            .iter()
            .flat_map(|dimension| [&dimension.lower, &dimension.upper]);
        bounds.flatten().chain(&self.length)
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

    /// The components that a path chooses one after another; `None` if one is not known.
    pub fn components_along(&self, base: VariableId, path: &[String]) -> Option<Vec<&Component>> {
        let chosen = path.iter().enumerate().map(|(depth, name)| {
            let Type::Derived(of) = self.type_of_part(base, &path[..depth]) else {
                return None;
            };
            self.component(&of, name)
        });
        chosen.collect()
    }

    /// A derived type and those it extends, itself first.
    pub fn lineage<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a DerivedType> {
        let above = |one: &&'a DerivedType| self.derived_type(one.parent.as_deref()?);
        // A line that is longer than all types has come round.
        std::iter::successors(self.derived_type(name), above).take(self.types.len())
    }

    /// The derived types that an object of a type may consist of: its own, those it extends, those that extend
    /// it, and those of the parts that live with it. What is not known may be any.
    pub fn types_within(&self, of_type: &Type) -> Vec<&DerivedType> {
        let mut found: Vec<&DerivedType> = match of_type {
            Type::Derived(name) => self.derived_type(name).into_iter().collect(),
            Type::Unknown => self.types.iter().collect(),
            Type::Integer(_)
            | Type::Real(_)
            | Type::Complex(_)
            | Type::Logical(_)
            | Type::Character => {
                vec![]
            }
        };
        let mut next = 0;
        while let Some(&one) = found.get(next) {
            next += 1;
            let near = self
                .types
                .iter()
                .filter(|other| self.belongs(one, other))
                .collect::<Vec<_>>();
            let new = near
                .into_iter()
                .filter(|other| !found.iter().any(|known| known.name == other.name));
            let new: Vec<&DerivedType> = new.collect();
            found.extend(new);
        }
        found
    }

    /// The FINAL procedures that may run when an object of a type ends or is overwritten.
    pub fn finals_of(&self, of_type: &Type) -> Vec<ProcedureId> {
        if self.types.iter().all(|one| one.finals.is_empty()) {
            return Vec::new();
        }
        self.types_within(of_type)
            .iter()
            .flat_map(|one| one.finals.iter().copied())
            .collect()
    }

    /// Whether an object of the first type may bring one of the second along.
    fn belongs(&self, one: &DerivedType, other: &DerivedType) -> bool {
        let is_part = |part: &Component| {
            !part.attributes.pointer
                && (part.of_type == Type::Unknown
                    || part.of_type == Type::Derived(other.name.clone()))
        };
        one.parent.as_ref() == Some(&other.name)
            || other.parent.as_ref() == Some(&one.name)
            || one.components.iter().any(is_part)
    }

    /// A component of a derived type, its own or one that it inherits.
    pub fn component(&self, of: &str, name: &str) -> Option<&Component> {
        self.lineage(of)
            .find_map(|one| one.components.iter().find(|part| part.name == name))
    }

    /// Type of a part of a variable, by the names of the components that lead to it.
    pub fn type_of_part(&self, base: VariableId, path: &[String]) -> Type {
        let first = self.variable(base).of_type.clone();
        path.iter().fold(first, |of_type, name| match of_type {
            Type::Derived(of) => self.type_of_component(&of, name),
            _ => Type::Unknown,
        })
    }

    /// The parent bears its own name as a component.
    fn type_of_component(&self, of: &str, name: &str) -> Type {
        if let Some(component) = self.component(of, name) {
            return component.of_type.clone();
        }
        let parent = self
            .lineage(of)
            .skip(1)
            .find(|one| one.name.split('.').next() == Some(name));
        parent.map_or(Type::Unknown, |one| Type::Derived(one.name.clone()))
    }

    /// A procedure by lower-case name.
    pub fn find(&self, name: &str) -> Option<ProcedureId> {
        self.procedures
            .iter()
            .position(|procedure| procedure.name == name)
            .map(|i| ProcedureId(i as u32))
    }
}

impl StatementKind {
    /// The lists of statements inside, in order: branches, ELSE, bodies, cases.
    pub fn bodies(&self) -> Vec<&[StatementId]> {
        match self {
            StatementKind::If {
                branches,
                otherwise,
                ..
            } => branches
                .iter()
                .map(|(_, body)| &body[..])
                .chain(otherwise.as_deref())
                .collect(),
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

    /// Whether it is a call that may return to a label.
    pub fn has_alternate_return(&self) -> bool {
        let is_label = |argument: &Expression| matches!(argument, Expression::Literal(text) if text == ALTERNATE_RETURN);
        matches!(self, StatementKind::Call { arguments, .. } if arguments.iter().flatten().any(is_label))
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

    /// Labels that the statement may jump to by itself: GOTO, ERR=, END=. The label of a DO's terminal
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
