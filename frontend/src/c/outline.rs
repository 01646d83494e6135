//! From the tree of a file to its functions and what stands in them. The walk has a stack of its own, since expressions of
//! generated sources nest deeper than the program's stack allows.

use super::declarations::{
    Specifiers, TypeNames, declared, function_name, parameters, specifiers, text,
};
use super::syntax::{Node, Parsed, children, in_field, parse};
use super::{
    CArgument, CAssignment, CAssignmentForm, CCall, CFile, CFunction, CLabel, CLoop, CLoopKind,
    CVariable,
};
use std::ops::Range;

/// Reads a file.
pub fn read(path: &str, text: Vec<u8>) -> CFile {
    let parsed = parse(&text);
    let mut reader = Reader {
        parsed: &parsed,
        names: TypeNames::new(),
        functions: Vec::new(),
        variables: Vec::new(),
    };
    reader.file(parsed.tree.root_node());
    let (functions, variables) = (reader.functions, reader.variables);
    CFile {
        path: path.into(),
        functions,
        variables,
        text,
    }
}

struct Reader<'t> {
    parsed: &'t Parsed,
    names: TypeNames,
    functions: Vec<CFunction>,
    variables: Vec<CVariable>,
}

/// What surrounds a node.
#[derive(Clone)]
struct Surroundings {
    /// Where names that are declared here are known.
    scope: Range<usize>,
    is_outermost: bool,
    /// The innermost `switch`.
    switch: Option<Range<usize>>,
}

impl<'t> Reader<'t> {
    fn source(&self) -> &'t [u8] {
        &self.parsed.visible
    }

    fn text(&self, node: Node<'_>) -> String {
        text(node, self.source())
    }

    /// The items of a file. Broken text may stand around some of them.
    fn file(&mut self, root: Node<'t>) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            match node.kind() {
                "function_definition" => self.function(node),
                "type_definition" => self.type_names(node),
                "declaration" => {
                    let whole = 0..self.source().len();
                    let found = self.declared(node, &whole, true);
                    self.variables.extend(found);
                }
                "struct_specifier" | "union_specifier" | "enum_specifier" => {}
                _ => {
                    let mut inner = children(node);
                    inner.reverse();
                    open.extend(inner);
                }
            }
        }
    }

    fn type_names(&mut self, node: Node<'t>) {
        let own = specifiers(node, self.source(), &self.names);
        for declarator in in_field(node, "declarator") {
            if let Some((name, of_type)) = declared(declarator, own.of_type, self.source()) {
                self.names.insert(name, of_type);
            }
        }
    }

    /// The variables that a declaration declares.
    fn declared(&self, node: Node<'t>, scope: &Range<usize>, is_outermost: bool) -> Vec<CVariable> {
        let Specifiers {
            of_type,
            is_register,
            ..
        } = specifiers(node, self.source(), &self.names);
        let mut found = Vec::new();
        for declarator in in_field(node, "declarator") {
            if let Some((name, of_type)) = declared(declarator, of_type, self.source()) {
                found.push(CVariable {
                    name,
                    of_type,
                    end: node.end_byte(),
                    scope: scope.clone(),
                    is_outermost,
                    is_register,
                });
            }
        }
        found
    }

    fn function(&mut self, node: Node<'t>) {
        let (Some(declarator), Some(body)) = (
            node.child_by_field_name("declarator"),
            node.child_by_field_name("body"),
        ) else {
            return;
        };
        let Some(name) = function_name(declarator, self.source()) else {
            return;
        };
        let mut function = CFunction {
            name,
            body: body.byte_range(),
            loops: Vec::new(),
            calls: Vec::new(),
            assignments: Vec::new(),
            variables: Vec::new(),
            labels: Vec::new(),
            jumps: Vec::new(),
            unread: None,
        };
        // Parameters are known in the body; their own text ends before it.
        let scope = body.byte_range();
        for parameter in parameters(declarator) {
            function
                .variables
                .extend(self.declared(parameter, &scope, true));
        }
        // Parameters of the old style are declared between the list and the body.
        for child in children(node) {
            if child.kind() == "declaration" {
                function
                    .variables
                    .extend(self.declared(child, &scope, true));
            }
        }
        self.body(body, &mut function);
        function.loops.sort_by_key(|one| one.begin);
        function.calls.sort_by_key(|one| one.whole.start);
        function.assignments.sort_by_key(|one| one.whole.start);
        self.functions.push(function);
    }

    fn body(&mut self, body: Node<'t>, function: &mut CFunction) {
        let outermost = Surroundings {
            scope: body.byte_range(),
            is_outermost: true,
            switch: None,
        };
        let mut open: Vec<(Node<'t>, Surroundings)> = vec![(body, outermost)];
        while let Some((node, around)) = open.pop() {
            if node.is_error() || node.is_missing() {
                let at = node.start_byte();
                function.unread = Some(function.unread.map_or(at, |known| known.min(at)));
            }
            let mut inside = around.clone();
            match node.kind() {
                // Their operands are not evaluated.
                "sizeof_expression" | "alignof_expression" | "offsetof_expression" => continue,
                "type_definition" => {
                    self.type_names(node);
                    continue;
                }
                "compound_statement" if node.byte_range() != function.body => {
                    inside.scope = node.byte_range();
                    inside.is_outermost = false;
                }
                "for_statement" => {
                    self.repetition(node, CLoopKind::For, function);
                    inside.scope = node.byte_range();
                    inside.is_outermost = false;
                }
                "while_statement" => self.repetition(node, CLoopKind::While, function),
                "do_statement" => self.repetition(node, CLoopKind::Do, function),
                "switch_statement" => inside.switch = Some(node.byte_range()),
                "declaration" => self.declaration(node, &around, function),
                "call_expression" => self.call(node, function),
                "assignment_expression" => {
                    self.assignment(node, "left", CAssignmentForm::Expression, function);
                }
                "update_expression" => {
                    let argument = node.child_by_field_name("argument");
                    let is_prefix =
                        argument.is_some_and(|one| one.start_byte() != node.start_byte());
                    let form = match is_prefix {
                        true => CAssignmentForm::Expression,
                        false => CAssignmentForm::Postfix,
                    };
                    self.assignment(node, "argument", form, function);
                }
                "goto_statement" => {
                    let label = node.child_by_field_name("label");
                    let label = label.filter(|one| one.kind() == "statement_identifier");
                    let label = label.map(|one| self.text(one));
                    function.jumps.push((node.start_byte(), label));
                }
                "labeled_statement" => function.labels.push(CLabel {
                    at: node.start_byte(),
                    name: node.child_by_field_name("label").map(|one| self.text(one)),
                    switch: None,
                }),
                "case_statement" => function.labels.push(CLabel {
                    at: node.start_byte(),
                    name: None,
                    switch: around.switch.clone(),
                }),
                _ => {}
            }
            open.extend(
                children(node)
                    .into_iter()
                    .map(|child| (child, inside.clone())),
            );
        }
    }

    fn repetition(&self, node: Node<'t>, kind: CLoopKind, function: &mut CFunction) {
        let Some(body) = node.child_by_field_name("body") else {
            return;
        };
        function.loops.push(CLoop {
            kind,
            whole: self.with_pragmas(node.start_byte())..node.end_byte(),
            begin: node.start_byte(),
            body: body.byte_range(),
            has_braces: body.kind() == "compound_statement",
        });
    }

    /// The beginning of a statement, or of the `#pragma` lines directly before it.
    fn with_pragmas(&self, mut start: usize) -> usize {
        loop {
            let before = self.parsed.pragmas.iter().rfind(|line| line.end <= start);
            let Some(line) = before else { return start };
            let between = &self.source()[line.end..start];
            if !between.trim_ascii().is_empty() {
                return start;
            }
            start = line.start;
        }
    }

    fn declaration(&self, node: Node<'t>, around: &Surroundings, function: &mut CFunction) {
        let found = self.declared(node, &around.scope, around.is_outermost);
        let own = specifiers(node, self.source(), &self.names);
        // The value of a static variable is no assignment that is executed.
        if !own.is_static {
            for declarator in in_field(node, "declarator") {
                let named = declared(declarator, own.of_type, self.source());
                let value = declarator.child_by_field_name("value");
                if let (Some((name, _)), Some(value)) = (named, value)
                    && declarator.kind() == "init_declarator"
                {
                    function.assignments.push(CAssignment {
                        name,
                        whole: value.byte_range(),
                        form: CAssignmentForm::Initial,
                    });
                }
            }
        }
        function.variables.extend(found);
    }

    fn assignment(
        &self,
        node: Node<'t>,
        field: &str,
        form: CAssignmentForm,
        function: &mut CFunction,
    ) {
        let target = node.child_by_field_name(field).map(without_parentheses);
        if let Some(target) = target
            && target.kind() == "identifier"
        {
            function.assignments.push(CAssignment {
                name: self.text(target),
                whole: node.byte_range(),
                form,
            });
        }
    }

    fn call(&self, node: Node<'t>, function: &mut CFunction) {
        let called = node
            .child_by_field_name("function")
            .map(without_parentheses);
        let Some(called) = called.filter(|one| one.kind() == "identifier") else {
            return;
        };
        let list = node.child_by_field_name("arguments");
        let arguments = list.map(children).unwrap_or_default();
        let arguments = arguments
            .into_iter()
            .filter(|one| one.kind() != "comment")
            .map(|one| CArgument {
                place: one.byte_range(),
                has_effects: has_effects(one),
            });
        function.calls.push(CCall {
            name: self.text(called),
            whole: node.byte_range(),
            arguments: arguments.collect(),
        });
    }
}

/// What stands inside parentheses.
fn without_parentheses(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression"
        && let [inner] = children(node)[..]
    {
        node = inner;
    }
    node
}

/// Whether evaluating an expression may change something.
fn has_effects(expression: Node<'_>) -> bool {
    let mut open = vec![expression];
    while let Some(node) = open.pop() {
        match node.kind() {
            "call_expression"
            | "assignment_expression"
            | "update_expression"
            | "compound_statement"
            | "gnu_asm_expression"
            | "ERROR" => return true,
            "sizeof_expression" | "alignof_expression" | "offsetof_expression" => {}
            _ => open.extend(children(node)),
        }
    }
    false
}
