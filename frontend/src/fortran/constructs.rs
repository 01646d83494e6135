//! IF, SELECT, and the constructs that only name things (ASSOCIATE, BLOCK). DO is in `loops`.

use super::lower::Lowering;
use super::names::{Entity, Scope};
use super::pieces::Sort;
use super::statements::{Body, Construct, MAX_DEPTH};
use super::syntax::{At, sort_of};
use crate::ir::rules::{Rule, holds};
use crate::ir::{Expression, StatementId, StatementKind, Variable};
use crate::source::Span;
use crate::source::diagnostics::Severity;

impl<'a> Lowering<'a> {
    /// IF in any form but the arithmetic one.
    pub fn if_statement(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let id = self.open_statement(body, at);
        let Some(condition_node) = at.child("parenthesized_expression") else {
            return vec![id];
        };
        let condition = self.expression(body.scope, condition_node);
        if at.child("end_if_statement").is_none() {
            let place = &mut self.map.statements[id.0 as usize];
            let header = at.span_of(at.start()..condition_node.end());
            place.header = header;
            let inner = at
                .named()
                .into_iter()
                .filter(|child| child.start() >= condition_node.end());
            let inner: Vec<At<'a>> = inner.collect();
            let list = self.list(body, &inner);
            self.set(
                id,
                StatementKind::If {
                    branches: vec![(condition, list)],
                    otherwise: None,
                    logical: true,
                },
            );
            return vec![id];
        }
        self.block_if(body, at, id, condition)
    }

    fn block_if(
        &mut self,
        body: &mut Body,
        at: At<'a>,
        id: StatementId,
        condition: Expression,
    ) -> Vec<StatementId> {
        self.enter(body, id, at, false);
        let first = self.inside(body, at);
        let mut branches = vec![(condition, first)];
        let mut clauses = Vec::new();
        for clause in at.all("elseif_clause") {
            clauses.push(clause);
            let condition = clause.child("parenthesized_expression");
            let condition = condition.map_or(Expression::Other(Vec::new()), |node| {
                self.expression(body.scope, node)
            });
            let list = self.inside(body, clause);
            branches.push((condition, list));
        }
        let mut otherwise = None;
        if let Some(clause) = at.child("else_clause") {
            clauses.push(clause);
            otherwise = Some(self.inside(body, clause));
        }
        body.constructs.pop();
        self.set(
            id,
            StatementKind::If {
                branches,
                otherwise,
                logical: false,
            },
        );
        self.close(body, id, at.child("end_if_statement"), &clauses)
    }

    /// SELECT CASE; SELECT TYPE and RANK have no values to tell.
    pub fn select(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let id = self.open_statement(body, at);
        let node = at.child("selector");
        let named = node.and_then(|node| node.child("pointer_association_statement"));
        let selector = match named.map(|named| named.named()).as_deref() {
            Some([_, selector]) => self.expression(body.scope, *selector),
            _ => node.map_or(Expression::Other(Vec::new()), |node| {
                self.only_named(body, node)
            }),
        };
        let outer = body.scope;
        if let Some(name) = named.and_then(|named| named.named().first().map(At::name)) {
            let mut scope = Scope::new(Some((outer, self.scope(outer))));
            scope.names.insert(name, Entity::Alias(selector.clone()));
            body.scope = self.add_scope(scope);
            self.own_scopes.push((id, body.scope));
        }
        self.enter(body, id, at, false);
        let clauses: Vec<At<'a>> = at
            .named()
            .into_iter()
            .filter(|child| is_case(*child))
            .collect();
        let mut cases = Vec::new();
        for &case in &clauses {
            let values = self.case_values(body, case);
            let list = self.inside(body, case);
            cases.push((values, list));
        }
        body.constructs.pop();
        body.scope = outer;
        self.set(id, StatementKind::Select { selector, cases });
        self.close(body, id, at.child("end_select_statement"), &clauses)
    }

    fn only_named(&mut self, body: &Body, at: At<'a>) -> Expression {
        match at.named()[..] {
            [inner] => self.expression(body.scope, inner),
            _ => Expression::Other(self.names_in(body.scope, at)),
        }
    }

    fn case_values(&mut self, body: &Body, case: At<'a>) -> Vec<Expression> {
        if case.child("default").is_some() {
            return Vec::new();
        }
        match case.child("case_value_range_list") {
            Some(list) => list
                .named()
                .into_iter()
                .map(|value| self.expression(body.scope, value))
                .collect(),
            None => vec![Expression::Other(Vec::new())],
        }
    }

    /// ASSOCIATE: its names stand for what they are associated with.
    pub fn associate(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let mut scope = Scope::new(Some((body.scope, self.scope(body.scope))));
        let associations = at
            .child("association_list")
            .map_or(Vec::new(), |list| list.all("association"));
        let mut reads = Vec::new();
        for association in associations {
            if let (Some(name), Some(selector)) =
                (association.field("name"), association.field("selector"))
            {
                let selector = self.expression(body.scope, selector);
                reads.push(selector.clone());
                let is_known = || self.scope(body.scope).names.contains_key(&name.name());
                if holds(Rule::AssociatesHide) || !is_known() {
                    scope.names.insert(name.name(), Entity::Alias(selector));
                }
            }
        }
        self.within(body, at, scope, reads)
    }

    /// BLOCK: its own declarations, whose bounds are evaluated on entry.
    pub fn block(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let scope = Scope::new(Some((body.scope, self.scope(body.scope))));
        self.within(body, at, scope, Vec::new())
    }

    fn within(
        &mut self,
        body: &mut Body,
        at: At<'a>,
        scope: Scope<'a>,
        mut reads: Vec<Expression>,
    ) -> Vec<StatementId> {
        let id = self.open_statement(body, at);
        let outer = body.scope;
        body.scope = self.add_scope(scope);
        self.own_scopes.push((id, body.scope));
        let nodes: Vec<At<'a>> = at
            .named()
            .into_iter()
            .filter(|child| !is_frame(*child))
            .collect();
        if at.is("block_construct") {
            let declarations: Vec<At<'a>> = nodes
                .iter()
                .copied()
                .filter(|node| declares(*node))
                .collect();
            let place = &mut self.map.statements[id.0 as usize];
            place.alone &= declarations
                .iter()
                .all(|at| at.piece().is_some_and(|piece| !piece.shared));
            place.declarations = declarations
                .iter()
                .map(|at| at.span_of(at.start()..at.trimmed_end()))
                .collect();
            let first = self.program.variables.len();
            self.declare_block(body.scope, &nodes);
            if !holds(Rule::BlocksHide) {
                let known = |name: &String| self.scope(outer).names.contains_key(name);
                let hidden: Vec<String> = self
                    .scope(body.scope)
                    .names
                    .keys()
                    .filter(|name| known(name))
                    .cloned()
                    .collect();
                hidden
                    .iter()
                    .for_each(|name| _ = self.scopes[body.scope.0].names.remove(name));
            }
            self.program.variables[first..]
                .iter_mut()
                .for_each(|one| one.attributes.inner = true);
            let declared = self.program.variables[first..].iter();
            reads.extend(declared.flat_map(Variable::specification).cloned());
        }
        self.enter(body, id, at, false);
        let list = self.list(body, &nodes);
        body.constructs.pop();
        body.scope = outer;
        self.set(id, StatementKind::Scoped { reads, body: list });
        let end = at
            .child("end_associate_statement")
            .or_else(|| at.child("end_block_construct_statement"));
        self.close(body, id, end, &[])
    }

    /// Statements directly inside a construct or clause.
    fn inside(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        let nodes: Vec<At<'a>> = at
            .named()
            .into_iter()
            .filter(|child| !is_frame(*child))
            .collect();
        self.list(body, &nodes)
    }

    /// Notes a construct that EXIT or CYCLE may name.
    pub fn enter(&mut self, body: &mut Body, id: StatementId, at: At<'a>, is_loop: bool) {
        let name = at
            .child("block_label_start_expression")
            .map(|name| name.name().trim_end_matches(':').trim().to_string());
        body.constructs.push(Construct { id, name, is_loop });
    }

    /// Sets what a statement does.
    pub fn set(&mut self, id: StatementId, kind: StatementKind) {
        self.program.statements[id.0 as usize].kind = kind;
    }

    /// Sets the places of a construct's END and clauses. A label on END is a place to jump to.
    pub fn close(
        &mut self,
        body: &Body,
        id: StatementId,
        end: Option<At<'a>>,
        clauses: &[At<'a>],
    ) -> Vec<StatementId> {
        let spans = clauses
            .iter()
            .map(|clause| clause.statement_span())
            .collect();
        let alone = clauses
            .iter()
            .chain(&end)
            .all(|at| at.piece().is_some_and(|piece| !piece.shared));
        let place = &mut self.map.statements[id.0 as usize];
        place.clauses = spans;
        place.alone &= alone;
        if let Some(end) = end {
            place.end = Some(end.statement_span());
            self.reach(id, end.statement_span());
        }
        let label = end
            .filter(|end| !end.kind().contains("do"))
            .and_then(|end| self.labelled_end(body, end));
        std::iter::once(id).chain(label).collect()
    }

    /// Lets a construct's span reach to the end of its last statement, if that is in the same file.
    pub fn reach(&mut self, id: StatementId, last: Span) {
        let whole = &mut self.map.statements[id.0 as usize].whole;
        if whole.file == last.file {
            whole.end = last.end;
        }
    }

    /// Whether constructs are nested too deep to be followed; says so.
    pub fn too_deep(&mut self, body: &Body, at: At<'a>) -> bool {
        let deep = body.constructs.len() > MAX_DEPTH;
        if deep {
            let sentence = format!(
                "{}: constructs are nested more than {MAX_DEPTH} deep",
                self.line(at.statement_span())
            );
            self.say(Severity::Error, at.statement_span(), sentence);
        }
        deep
    }
}

/// What of a BLOCK declares something in it: not FORMAT, which statements outside may name.
fn declares(at: At) -> bool {
    const DEFINITIONS: [&str; 5] = [
        "variable_modification",
        "interface",
        "derived_type_definition",
        "enum",
        "enumeration_type",
    ];
    let sort = at.piece().map(|piece| sort_of(&at.parsed.copy, piece));
    let is_said =
        matches!(sort, Some(Sort::Declaration | Sort::Include)) && !at.is("format_statement");
    is_said || DEFINITIONS.contains(&at.kind())
}

/// Labels and names of constructs.
pub fn is_label(at: At) -> bool {
    ["statement_label", "do_label_virtual", "block_label"].contains(&at.kind())
}

fn is_case(at: At) -> bool {
    ["case_statement", "type_statement", "rank_statement"].contains(&at.kind())
}

/// Parts of a construct that are no statements of its lists.
pub fn is_frame(at: At) -> bool {
    is_label(at)
        || at.kind().starts_with("end_")
        || matches!(
            at.kind(),
            "do_statement" | "elseif_clause" | "else_clause" | "parenthesized_expression"
        )
        || matches!(
            at.kind(),
            "block_label_start_expression" | "case_value_range_list" | "default"
        )
        || at.is("association_list")
}
