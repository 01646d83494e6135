//! IF, SELECT, ASSOCIATE and BLOCK constructs. DO is in `loops`.

use super::lower::Lowering;
use super::names::{Entity, Scope, ScopeId};
use super::pieces::Sort;
use super::statements::{Body, Construct, MAX_DEPTH};
use super::syntax::{At, sort_of};
use crate::ir::rules::{Rule, holds};
use crate::ir::{CaseValue, Expression, StatementId, StatementKind, Subscript};
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
        if at.child("end_if_statement").is_some() {
            return self.block_if(body, at, id, condition);
        }
        // A logical IF: the grammar has the statement after the condition among its children.
        let place = &mut self.map.statements[id.0 as usize];
        place.header = at.span_of(at.start()..condition_node.end());
        let mut inner = at.named();
        inner.retain(|child| child.start() >= condition_node.end());
        let list = self.list(body, &inner);
        self.set(
            id,
            StatementKind::If {
                branches: vec![(condition, list)],
                otherwise: None,
                logical: true,
            },
        );
        vec![id]
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
            let condition = match clause.child("parenthesized_expression") {
                Some(node) => self.expression(body.scope, node),
                None => Expression::Other(Vec::new()),
            };
            let list = self.inside(body, clause);
            branches.push((condition, list));
        }
        // The grammar keeps ELSE apart from the ELSE IF clauses before it.
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

    /// SELECT CASE, TYPE or RANK. The last two have no values: their cases are taken as unknown.
    pub fn select(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let id = self.open_statement(body, at);
        let node = at.child("selector");
        // `select type (name => selector)`: the grammar reads a pointer assignment.
        let association = node.and_then(|node| node.child("pointer_association_statement"));
        let sides = association.map_or(Vec::new(), |association| association.named());
        let selector = match (&sides[..], node) {
            ([_, selector], _) => self.expression(body.scope, *selector),
            (_, Some(node)) => self.only_named(body, node),
            (_, None) => Expression::Other(Vec::new()),
        };
        let outer = body.scope;
        if let Some(name) = sides.first() {
            let mut scope = Scope::new(Some((outer, self.scope(outer))));
            let alias = Entity::Alias(selector.clone());
            scope.names.insert(name.name(), alias);
            body.scope = self.add_scope(scope);
            self.own_scopes.push((id, body.scope));
        }
        self.enter(body, id, at, false);
        let mut clauses = at.named();
        clauses.retain(|child| is_case(*child));
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

    /// The values of a CASE; none for CASE DEFAULT.
    fn case_values(&mut self, body: &Body, case: At<'a>) -> Vec<CaseValue> {
        if case.child("default").is_some() {
            return Vec::new();
        }
        let Some(list) = case.child("case_value_range_list") else {
            return vec![CaseValue::TypeOrRank];
        };
        let mut values = Vec::new();
        for value in list.named() {
            values.push(match self.subscript(body.scope, value, 0) {
                Subscript::Element(value) => CaseValue::One(value),
                Subscript::Section { lower, upper, .. } => CaseValue::Range {
                    from: lower,
                    to: upper,
                },
            });
        }
        values
    }

    /// ASSOCIATE: its names stand for their selectors.
    pub fn associate(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        if self.too_deep(body, at) {
            return vec![self.kept_whole(body, at)];
        }
        let mut scope = Scope::new(Some((body.scope, self.scope(body.scope))));
        let mut reads = Vec::new();
        let list = at.child("association_list");
        for association in list.map_or(Vec::new(), |list| list.all("association")) {
            let (Some(name), Some(selector)) =
                (association.field("name"), association.field("selector"))
            else {
                continue;
            };
            let selector = self.expression(body.scope, selector);
            reads.push(selector.clone());
            let is_known = self.scope(body.scope).names.contains_key(&name.name());
            if holds(Rule::AssociatesHide) || !is_known {
                scope.names.insert(name.name(), Entity::Alias(selector));
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
        let nodes = statements_of(at);
        if at.is("block_construct") {
            self.declarations_of_block(body.scope, outer, id, &nodes, &mut reads);
        }
        self.enter(body, id, at, false);
        let list = self.list(body, &nodes);
        body.constructs.pop();
        body.scope = outer;
        self.set(id, StatementKind::Scoped { reads, body: list });
        let end = match at.child("end_associate_statement") {
            Some(end) => Some(end),
            None => at.child("end_block_construct_statement"),
        };
        self.close(body, id, end, &[])
    }

    fn declarations_of_block(
        &mut self,
        scope: ScopeId,
        outer: ScopeId,
        id: StatementId,
        nodes: &[At<'a>],
        reads: &mut Vec<Expression>,
    ) {
        let place = &mut self.map.statements[id.0 as usize];
        for node in nodes {
            if declares(*node) {
                place.alone &= is_sole_on_line(node);
                let span = node.span_of(node.start()..node.trimmed_end());
                place.declarations.push(span);
            }
        }
        let first = self.program.variables.len();
        self.declare_block(scope, nodes);
        if !holds(Rule::BlocksHide) {
            let known = self.scope(outer).names.clone();
            let own = &mut self.scopes[scope.0].names;
            own.retain(|name, _| !known.contains_key(name));
        }
        for variable in &mut self.program.variables[first..] {
            variable.attributes.inner = true;
            // Bounds and lengths are evaluated on entry to the BLOCK (F2018 11.1.4).
            reads.extend(variable.specification().cloned());
        }
    }

    /// Statements directly inside a construct or clause.
    fn inside(&mut self, body: &mut Body, at: At<'a>) -> Vec<StatementId> {
        self.list(body, &statements_of(at))
    }

    /// Opens a construct that EXIT or CYCLE may name.
    pub fn enter(&mut self, body: &mut Body, id: StatementId, at: At<'a>, is_loop: bool) {
        let mut name = None;
        if let Some(label) = at.child("block_label_start_expression") {
            name = Some(label.name().trim_end_matches(':').trim().to_string());
        }
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
        let place = &mut self.map.statements[id.0 as usize];
        place.clauses = clauses.iter().map(At::statement_span).collect();
        for at in clauses.iter().chain(&end) {
            place.alone &= is_sole_on_line(at);
        }
        let mut statements = vec![id];
        if let Some(end) = end {
            place.end = Some(end.statement_span());
            self.reach(id, end.statement_span());
            // The label of an END DO is the loop's terminal label, which `loops` lowers.
            if !end.kind().contains("do") {
                statements.extend(self.labelled_end(body, end));
            }
        }
        statements
    }

    /// Lets a construct's span reach to the end of its last statement, if that is in the same file.
    pub fn reach(&mut self, id: StatementId, last: Span) {
        let whole = &mut self.map.statements[id.0 as usize].whole;
        // The END may stand in an included file of its own.
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

/// Whether no other statement stands on the lines of this one, so that the lines can be removed.
fn is_sole_on_line(at: &At) -> bool {
    match at.piece() {
        Some(piece) => !piece.shared,
        None => false,
    }
}

/// The nodes of a construct or clause that are statements of its list.
fn statements_of(at: At) -> Vec<At> {
    let mut nodes = at.named();
    nodes.retain(|child| !is_frame(*child));
    nodes
}

/// Whether a node of a BLOCK declares something in it. FORMAT does not: statements outside may name it.
fn declares(at: At) -> bool {
    const DEFINITIONS: [&str; 5] = [
        "variable_modification",
        "interface",
        "derived_type_definition",
        "enum",
        "enumeration_type",
    ];
    if DEFINITIONS.contains(&at.kind()) {
        return true;
    }
    let Some(piece) = at.piece() else {
        return false;
    };
    let sort = sort_of(&at.parsed.copy, piece);
    matches!(sort, Sort::Declaration | Sort::Include) && !at.is("format_statement")
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
    const FRAMES: [&str; 8] = [
        "do_statement",
        "elseif_clause",
        "else_clause",
        "parenthesized_expression",
        "block_label_start_expression",
        "case_value_range_list",
        "default",
        "association_list",
    ];
    is_label(at) || at.kind().starts_with("end_") || FRAMES.contains(&at.kind())
}
