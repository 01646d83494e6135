//! Checks that need no values, and what the interpreter needs to know of statements: which communicate, which names
//! they assign and read.

use crate::fault::Fault;
use crate::syntax::{
    Block, Expression, ExpressionKind, Name, Range, Statement, StatementKind, SyntaxTree, is_global,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// A definition.
#[derive(Clone, Copy)]
pub(crate) struct Definition<'p> {
    pub(crate) parameters: &'p [Name],
    pub(crate) body: &'p Block,
}

/// Names in some order that is always the same.
pub(crate) type Names<'p> = Rc<BTreeSet<&'p str>>;

/// Facts on a meta-program. A statement is known by its first byte.
pub(crate) struct Analysis<'p> {
    pub(crate) definitions: BTreeMap<&'p str, Definition<'p>>,
    /// Statements with MPI calls, and those that end loops with MPI calls.
    communicating: HashSet<u32>,
    assigned: HashMap<u32, Names<'p>>,
    read: HashMap<u32, Names<'p>>,
    /// All names of variables.
    pub(crate) names: BTreeSet<&'p str>,
    /// One more than the largest index of `@arg`.
    pub(crate) arguments: u32,
    /// Whether there is a PARALLEL.
    pub(crate) has_parallel: bool,
}

impl<'p> Analysis<'p> {
    /// Checks a meta-program.
    pub(crate) fn of(tree: &'p SyntaxTree) -> Result<Self, Fault> {
        let mut analysis = Self {
            definitions: BTreeMap::new(),
            communicating: HashSet::new(),
            assigned: HashMap::new(),
            read: HashMap::new(),
            names: BTreeSet::new(),
            arguments: 0,
            has_parallel: false,
        };
        // Before the rest, since a call may stand before its DEF.
        analysis.collect_definitions(&tree.body)?;
        let context = StatementContext::default();
        analysis.check_block(&tree.body, context)?;
        // A body is checked apart from its calls: a BREAK in it cannot leave a loop of a caller.
        for definition in analysis.definitions.clone().into_values() {
            analysis.check_block(
                definition.body,
                StatementContext {
                    is_in_definition: true,
                    ..context
                },
            )?;
            analysis
                .names
                .extend(definition.parameters.iter().map(|name| name.text.as_str()));
        }
        analysis.find_communication(&tree.body);
        analysis.find_names(&tree.body);
        Ok(analysis)
    }

    /// Whether a statement has MPI calls or ends a loop that has.
    pub(crate) fn communicates(&self, statement: &Statement) -> bool {
        self.communicating.contains(&statement.span.start)
    }

    /// Whether the number of ranks matters, and no PARALLEL names it.
    pub(crate) fn needs_ranks(&self) -> bool {
        let uses_ranks = !self.communicating.is_empty() || self.names.contains("ID");
        uses_ranks && !self.has_parallel
    }

    /// Names that a statement may assign, as seen from the definition that it stands in.
    pub(crate) fn assigned(&self, statement: &Statement) -> Names<'p> {
        let known = self.assigned.get(&statement.span.start);
        known.map_or_else(Names::default, Rc::clone)
    }

    /// Names that a statement may read, `ID` among them.
    pub(crate) fn read(&self, statement: &Statement) -> Names<'p> {
        let known = self.read.get(&statement.span.start);
        known.map_or_else(Names::default, Rc::clone)
    }

    fn collect_definitions(&mut self, block: &'p Block) -> Result<(), Fault> {
        for statement in &block.statements {
            let StatementKind::Define {
                name,
                parameters,
                body,
            } = &statement.kind
            else {
                continue;
            };
            let mut seen = HashSet::new();
            if let Some(twice) = parameters.iter().find(|name| !seen.insert(&name.text)) {
                let message = format!("parameter {} is listed twice; rename one", twice.text);
                return Err(Fault::new(twice.span, message));
            }
            if let Some(global) = parameters.iter().find(|name| name.is_global()) {
                let message = format!(
                    "parameter {} has the name of a global variable; begin it with a small letter",
                    global.text
                );
                return Err(Fault::new(global.span, message));
            }
            let definition = Definition { parameters, body };
            if self.definitions.insert(&name.text, definition).is_some() {
                let message = format!("{} is defined twice; rename one", name.text);
                return Err(Fault::new(name.span, message));
            }
        }
        Ok(())
    }

    fn check_block(&mut self, block: &'p Block, context: StatementContext) -> Result<(), Fault> {
        for statement in &block.statements {
            self.check_statement(statement, context)?;
        }
        Ok(())
    }

    fn check_statement(
        &mut self,
        statement: &'p Statement,
        context: StatementContext,
    ) -> Result<(), Fault> {
        let nested = StatementContext {
            is_nested: true,
            ..context
        };
        match &statement.kind {
            StatementKind::Define { name, .. } => {
                if context.is_nested || context.is_in_definition {
                    let message = "a DEF stands inside another statement; move it to the top level";
                    return Err(Fault::new(name.span, message));
                }
                Ok(())
            }
            StatementKind::Assign { target, value } => {
                self.names.insert(&target.text);
                self.check_expression(value)
            }
            StatementKind::Act { arguments, .. } => self.check_expressions(arguments),
            StatementKind::Call { name, arguments } => {
                let Some(definition) = self.definitions.get(name.text.as_str()) else {
                    let message = format!("{} is defined nowhere; add DEF {0}(…) … END", name.text);
                    return Err(Fault::new(name.span, message));
                };
                let (expected, found) = (definition.parameters.len(), arguments.len());
                if expected != found {
                    let message = format!(
                        "{} has {expected} parameter{}, found {found}",
                        name.text,
                        if expected == 1 { "" } else { "s" }
                    );
                    return Err(Fault::new(name.span, message));
                }
                self.check_expressions(arguments)
            }
            StatementKind::For { index, range, body } => {
                self.names
                    .extend(index.iter().map(|name| name.text.as_str()));
                match range {
                    Range::Count(count) => self.check_expression(count)?,
                    Range::Between(from, to) => {
                        self.check_expression(from)?;
                        self.check_expression(to)?;
                    }
                }
                let context = StatementContext {
                    is_in_loop: true,
                    ..nested
                };
                self.check_block(body, context)
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.check_expression(condition)?;
                self.check_block(then, nested)?;
                otherwise
                    .as_ref()
                    .map_or(Ok(()), |block| self.check_block(block, nested))
            }
            StatementKind::Parallel { degree, body } => {
                if context.is_parallel {
                    let message = "PARALLEL stands inside PARALLEL; remove one of them";
                    return Err(Fault::new(statement.span, message));
                }
                self.has_parallel = true;
                self.check_expression(degree)?;
                let context = StatementContext {
                    is_parallel: true,
                    // All ranks reach the end of a PARALLEL, so a BREAK in it leaves no loop around it.
                    is_in_loop: false,
                    ..nested
                };
                self.check_block(body, context)
            }
            StatementKind::Break => {
                if context.is_in_loop {
                    return Ok(());
                }
                let message = "BREAK stands in no FOR of this block; move it into one";
                Err(Fault::new(statement.span, message))
            }
        }
    }

    fn check_expressions(&mut self, expressions: &'p [Expression]) -> Result<(), Fault> {
        expressions
            .iter()
            .try_for_each(|expression| self.check_expression(expression))
    }

    fn check_expression(&mut self, expression: &'p Expression) -> Result<(), Fault> {
        match &expression.kind {
            ExpressionKind::Number(..) | ExpressionKind::Directive(_) => {}
            ExpressionKind::Name(name) => {
                if self.definitions.contains_key(name.as_str()) {
                    let message = format!(
                        "{name} is a definition and has no value; call it in a statement of its own"
                    );
                    return Err(Fault::new(expression.span, message));
                }
                self.names.insert(name);
            }
            ExpressionKind::Argument(index) => self.arguments = self.arguments.max(index + 1),
            ExpressionKind::Cost(_, inner) | ExpressionKind::Unary(_, inner) => {
                self.check_expression(inner)?;
            }
            ExpressionKind::Binary(_, left, right) => {
                self.check_expression(left)?;
                self.check_expression(right)?;
            }
            ExpressionKind::Function(_, arguments) => self.check_expressions(arguments)?,
        }
        Ok(())
    }

    /// Marks the statements that communicate.
    fn find_communication(&mut self, main: &'p Block) {
        // A definition communicates if one that it calls does: repeated until nothing is added.
        let mut definitions = HashSet::new();
        loop {
            let known = definitions.len();
            for (name, definition) in &self.definitions {
                if has_communication(definition.body, &definitions) {
                    definitions.insert(*name);
                }
            }
            if definitions.len() == known {
                break;
            }
        }
        let blocks: Vec<&Block> = self.definitions.values().map(|one| one.body).collect();
        for block in blocks.into_iter().chain([main]) {
            self.mark(block, false, &definitions);
        }
    }

    fn mark(&mut self, block: &'p Block, is_loop_structure: bool, definitions: &HashSet<&str>) {
        for statement in &block.statements {
            let communicates = statement_communicates(statement, definitions);
            // What ends a loop with MPI calls determines which of them are made.
            if communicates || (is_loop_structure && has_break(statement)) {
                self.communicating.insert(statement.span.start);
            }
            match &statement.kind {
                StatementKind::For { body, .. } => self.mark(body, communicates, definitions),
                StatementKind::Parallel { body, .. } => self.mark(body, false, definitions),
                StatementKind::If {
                    then, otherwise, ..
                } => {
                    for block in [then].into_iter().chain(otherwise) {
                        self.mark(block, is_loop_structure, definitions);
                    }
                }
                StatementKind::Define { .. }
                | StatementKind::Assign { .. }
                | StatementKind::Act { .. }
                | StatementKind::Call { .. }
                | StatementKind::Break => {}
            }
        }
    }

    fn find_names(&mut self, main: &'p Block) {
        // Global names of definitions, with those of the definitions that they call.
        let mut globals: BTreeMap<&'p str, Mentioned<'p>> = BTreeMap::new();
        loop {
            // Definitions may call each other in any order, so this repeats until no set grows. Sets never shrink, so it ends.
            let before: usize = globals.values().map(Mentioned::len).sum();
            for (name, definition) in &self.definitions {
                let mut found = Mentioned::default();
                mentioned_in(definition.body, &globals, &mut found);
                globals.insert(name, found.globals());
            }
            let after: usize = globals.values().map(Mentioned::len).sum();
            if after == before {
                break;
            }
        }
        let blocks: Vec<&Block> = self.definitions.values().map(|one| one.body).collect();
        for block in blocks.into_iter().chain([main]) {
            self.note_names(block, &globals);
        }
    }

    fn note_names(&mut self, block: &'p Block, globals: &BTreeMap<&'p str, Mentioned<'p>>) {
        for statement in &block.statements {
            let mut found = Mentioned::default();
            mentioned(statement, globals, &mut found);
            let key = statement.span.start;
            self.assigned.insert(key, Rc::new(found.assigned));
            self.read.insert(key, Rc::new(found.read));
            for_each_block(&statement.kind, &mut |block| {
                self.note_names(block, globals)
            });
        }
    }
}

/// Context of a statement: the enclosing constructs.
#[derive(Clone, Copy, Default)]
struct StatementContext {
    is_nested: bool,
    is_in_definition: bool,
    is_in_loop: bool,
    is_parallel: bool,
}

fn for_each_block<'p>(kind: &'p StatementKind, visit: &mut dyn FnMut(&'p Block)) {
    match kind {
        StatementKind::For { body, .. } | StatementKind::Parallel { body, .. } => visit(body),
        StatementKind::If {
            then, otherwise, ..
        } => {
            visit(then);
            if let Some(otherwise) = otherwise {
                visit(otherwise);
            }
        }
        // The bodies of definitions are visited by their callers.
        StatementKind::Define { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Act { .. }
        | StatementKind::Call { .. }
        | StatementKind::Break => {}
    }
}

fn has_communication(block: &Block, definitions: &HashSet<&str>) -> bool {
    block
        .statements
        .iter()
        .any(|statement| statement_communicates(statement, definitions))
}

fn statement_communicates(statement: &Statement, definitions: &HashSet<&str>) -> bool {
    match &statement.kind {
        StatementKind::Act { action, .. } => action.communicates(),
        StatementKind::Call { name, .. } => definitions.contains(name.text.as_str()),
        StatementKind::For { body, .. } => has_communication(body, definitions),
        // Its body is a program of its own, whose blocks are reported.
        StatementKind::Parallel { .. } => true,
        StatementKind::If {
            then, otherwise, ..
        } => {
            has_communication(then, definitions)
                || otherwise
                    .as_ref()
                    .is_some_and(|block| has_communication(block, definitions))
        }
        StatementKind::Define { .. } | StatementKind::Assign { .. } | StatementKind::Break => false,
    }
}

/// Whether a statement contains a BREAK of a loop around it.
pub(crate) fn has_break(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Break => true,
        StatementKind::If {
            then, otherwise, ..
        } => {
            let blocks = [then].into_iter().chain(otherwise);
            blocks.flat_map(|block| &block.statements).any(has_break)
        }
        // A BREAK in a FOR leaves that FOR.
        StatementKind::For { .. }
        | StatementKind::Define { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Act { .. }
        | StatementKind::Call { .. }
        | StatementKind::Parallel { .. } => false,
    }
}

/// Stands for the directives that a statement reads, whose values may depend on the rank. No variable has this name; it is global,
/// since directives mean the same in all definitions.
pub(crate) const PROFILED: &str = "$@profile";

/// Names in statements.
#[derive(Default)]
struct Mentioned<'p> {
    assigned: BTreeSet<&'p str>,
    read: BTreeSet<&'p str>,
}

impl<'p> Mentioned<'p> {
    fn len(&self) -> usize {
        self.assigned.len() + self.read.len()
    }

    /// What callers notice.
    fn globals(self) -> Self {
        Self {
            assigned: self
                .assigned
                .into_iter()
                .filter(|name| is_global(name))
                .collect(),
            read: self
                .read
                .into_iter()
                .filter(|name| is_global(name))
                .collect(),
        }
    }
}

fn mentioned_in<'p>(
    block: &'p Block,
    globals: &BTreeMap<&'p str, Mentioned<'p>>,
    found: &mut Mentioned<'p>,
) {
    for statement in &block.statements {
        mentioned(statement, globals, found);
    }
}

fn mentioned<'p>(
    statement: &'p Statement,
    globals: &BTreeMap<&'p str, Mentioned<'p>>,
    found: &mut Mentioned<'p>,
) {
    match &statement.kind {
        StatementKind::Assign { target, value } => {
            found.assigned.insert(&target.text);
            names_of(value, &mut found.read);
        }
        StatementKind::Act { arguments, .. } => {
            for argument in arguments {
                names_of(argument, &mut found.read);
            }
        }
        StatementKind::Call { name, arguments } => {
            for argument in arguments {
                names_of(argument, &mut found.read);
            }
            if let Some(called) = globals.get(name.text.as_str()) {
                // Local names of the called definition are others than those of the same spelling here.
                found.assigned.extend(called.assigned.iter().copied());
                found.read.extend(called.read.iter().copied());
            }
        }
        StatementKind::For { index, range, .. } => {
            found
                .assigned
                .extend(index.iter().map(|name| name.text.as_str()));
            match range {
                Range::Count(count) => names_of(count, &mut found.read),
                Range::Between(from, to) => {
                    names_of(from, &mut found.read);
                    names_of(to, &mut found.read);
                }
            }
        }
        StatementKind::If { condition, .. } => names_of(condition, &mut found.read),
        StatementKind::Parallel { degree, .. } => names_of(degree, &mut found.read),
        StatementKind::Define { .. } | StatementKind::Break => {}
    }
    for_each_block(&statement.kind, &mut |block| {
        mentioned_in(block, globals, found);
    });
}

fn names_of<'p>(expression: &'p Expression, found: &mut BTreeSet<&'p str>) {
    match &expression.kind {
        ExpressionKind::Name(name) => {
            found.insert(name);
        }
        ExpressionKind::Directive(_) => {
            found.insert(PROFILED);
        }
        ExpressionKind::Number(..) | ExpressionKind::Argument(_) => {}
        ExpressionKind::Cost(_, inner) | ExpressionKind::Unary(_, inner) => names_of(inner, found),
        ExpressionKind::Binary(_, left, right) => {
            names_of(left, found);
            names_of(right, found);
        }
        ExpressionKind::Function(_, arguments) => {
            for argument in arguments {
                names_of(argument, found);
            }
        }
    }
}
