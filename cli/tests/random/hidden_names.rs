//! What stands in the places of [`super::name_hiding`]: which names mean what there, and statements of them.

use super::features::{counted, lines, sent_value};
use super::program_tree::ProgramNode;
use super::statements::Generator;

/// Kind of entity that a name denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// An integer.
    Number,
    /// Integers, at least four.
    List,
    /// Reals, at least four.
    Reals,
    Constant,
    /// An integer function of an integer.
    Function,
    /// A subroutine of an integer and a list.
    Subroutine,
}

/// A name.
#[derive(Clone, Debug)]
pub struct Name {
    /// As people write it.
    pub spelled: String,
    /// The same, and what it stands for.
    pub text: String,
    pub kind: NameKind,
    /// The same for all names of one thing.
    pub thing: u32,
    /// Whether it is a value.
    pub is_read_only: bool,
    /// Whether BLOCK declares it. Where such a name stands alone as an argument gfortran 12 may take it for what it hides.
    pub is_of_block: bool,
    /// Of a procedure.
    pub signature: Option<Signature>,
}

impl Name {
    /// All of an array, as an argument.
    fn whole(&self) -> String {
        if self.is_of_block {
            format!("{}(:)", self.text)
        } else {
            self.text.clone()
        }
    }
}

/// How a procedure is called.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Names of its dummies.
    pub dummies: Vec<String>,
}

/// A scope with its visible names.
#[derive(Clone, Debug, Default)]
pub struct NameScope {
    /// Names known around it.
    pub around: Vec<Name>,
    /// Its own.
    pub own: Vec<Name>,
    /// Modules and what they give.
    pub modules: Vec<(String, Vec<Name>)>,
    pub is_module: bool,
    /// Whether `n` and `l` are known.
    pub has_n: bool,
    /// Dummies of the procedure.
    pub dummies: Vec<u32>,
    /// What has no value where declarations are.
    pub unset: Vec<u32>,
}

impl NameScope {
    pub fn declare(&mut self, name: Name) {
        self.own.push(name);
    }

    pub fn has_declared(&self, spelled: &str) -> bool {
        self.own.iter().any(|name| name.spelled == spelled)
    }

    /// All names, the innermost last.
    pub fn all(&self) -> Vec<Name> {
        self.around.iter().chain(&self.own).cloned().collect()
    }

    /// Names of a kind that nothing hides.
    pub fn visible(&self, kind: NameKind) -> Vec<Name> {
        let all = self.all();
        let is_last = |at: usize| {
            all[at + 1..]
                .iter()
                .all(|later| later.spelled != all[at].spelled)
        };
        let seen = (0..all.len()).filter(|&at| is_last(at) && all[at].kind == kind);
        seen.map(|at| all[at].clone()).collect()
    }

    /// Those of them that are integers and no values.
    fn settable(&self) -> Vec<Name> {
        let mut names = self.visible(NameKind::Number);
        names.retain(|name| !name.is_read_only);
        names
    }

    /// A construct in it.
    fn inside(&self) -> NameScope {
        NameScope {
            around: self.all(),
            own: Vec::new(),
            unset: Vec::new(),
            ..self.clone()
        }
    }
}

impl Generator {
    fn one_of(&mut self, names: &[Name]) -> Option<Name> {
        (!names.is_empty()).then(|| names[self.chance.below(names.len())].clone())
    }

    /// A value.
    pub fn value(&mut self, scope: &NameScope) -> String {
        let mut kinds = [
            scope.visible(NameKind::Number),
            scope.visible(NameKind::Constant),
        ]
        .concat();
        match self.chance.below(9) {
            0 => return (1 + self.chance.below(6)).to_string(),
            1 if scope.has_n => return self.chance.pick(&["n", "l"]).to_string(),
            2 | 3 => {
                if let Some(list) = self.one_of(&scope.visible(NameKind::List)) {
                    let at = self.chance.pick(&["2", "4", "SUBSCRIPT"]);
                    let at = at.replace("SUBSCRIPT", &self.subscript_of(scope));
                    return match self.chance.below(4) {
                        0 => format!("size({})", list.whole()),
                        1 => format!("sum({})", list.whole()),
                        _ => format!("{}({at})", list.text),
                    };
                }
            }
            4 => {
                if let Some(list) = self.one_of(&scope.visible(NameKind::Reals)) {
                    return match self.chance.below(3) {
                        0 => format!("int({}(3))", list.text),
                        _ => format!("size({})", list.whole()),
                    };
                }
            }
            5 => {
                let (first, second) = (self.value(scope), self.value(scope));
                return format!("{first} + 2 * {second}");
            }
            _ => {}
        }
        kinds.retain(|name| name.kind == NameKind::Constant || name.signature.is_none());
        self.one_of(&kinds).map_or("3".into(), |name| name.text)
    }

    fn subscript_of(&mut self, scope: &NameScope) -> String {
        match self.one_of(&scope.visible(NameKind::Number)) {
            Some(name) => format!("1 + modulo({}, 4)", name.text),
            None => "3".into(),
        }
    }

    /// Statements that begin where names are declared.
    pub fn statements(
        &mut self,
        scope: &mut NameScope,
        count: usize,
        depth: usize,
    ) -> Vec<ProgramNode> {
        let mut all: Vec<ProgramNode> = (0..1 + self.chance.below(count))
            .map(|_| self.hidden_statement(scope, depth))
            .collect();
        if depth == 0 {
            let value = self.value(scope);
            all.push(ProgramNode::Lines(lines(&sent_value(&value))));
        }
        all
    }

    fn hidden_statement(&mut self, scope: &NameScope, depth: usize) -> ProgramNode {
        let value = self.value(scope);
        let text = match self.chance.below(if depth > 3 { 11 } else { 20 }) {
            0..=2 => self.set_number(scope, &value),
            3 => self.set_list(scope, &value),
            4 | 5 => sent_value(&value),
            6 => counted(&value),
            7 => self.worked(scope, &value, depth),
            8 | 9 => self.called(scope, &value),
            10 => self.over_spelling(scope),
            11..=14 => return self.own_block(scope, depth),
            15 | 16 => return self.own_associate(scope, depth),
            17 => {
                let head = format!("if (modulo({value}, 3) > 0) then");
                let body = self.statements(&mut scope.clone(), 2, depth + 1);
                return ProgramNode::around(vec![head], body, vec!["end if".into()]);
            }
            18 if depth < 3 => {
                let head = format!("do j{} = 1, modulo({value}, 3) + 1", depth + 1);
                let body = self.statements(&mut scope.clone(), 2, depth + 1);
                return ProgramNode::around(vec![head], body, vec!["end do".into()]);
            }
            _ => return self.own_selected(scope, depth),
        };
        ProgramNode::Lines(lines(&text))
    }

    fn set_number(&mut self, scope: &NameScope, value: &str) -> String {
        let names = scope.settable();
        match self.one_of(&names) {
            Some(name) => format!("{} = modulo({value}, 97)", name.text),
            None => sent_value(value),
        }
    }

    fn set_list(&mut self, scope: &NameScope, value: &str) -> String {
        let Some(list) = self.one_of(&scope.visible(NameKind::List)) else {
            return self.set_number(scope, value);
        };
        let at = match self.chance.below(4) {
            0 => String::new(),
            1 => "(2:3)".into(),
            2 => "(4)".into(),
            _ => format!("({})", self.subscript_of(scope)),
        };
        format!("{}{at} = modulo({value}, 97)", list.text)
    }

    /// What is only computed, as often as the value says.
    fn worked(&mut self, scope: &NameScope, value: &str, depth: usize) -> String {
        let Some(list) = self.one_of(&scope.visible(NameKind::Reals)) else {
            return sent_value(value);
        };
        if depth >= 3 {
            return format!("{0} = {0} * 0.5d0 + {value}", list.text);
        }
        let j = depth + 1;
        format!(
            "do j{j} = 1, modulo({value}, 23)\n  {0}(2) = {0}(2) * 0.5d0 + j{j}\nend do",
            list.text
        )
    }

    fn called(&mut self, scope: &NameScope, value: &str) -> String {
        let mut callees = [
            scope.visible(NameKind::Function),
            scope.visible(NameKind::Subroutine),
        ]
        .concat();
        callees.retain(|name| name.signature.is_some());
        let numbers = scope.settable();
        let (callee, number) = (self.one_of(&callees), self.one_of(&numbers));
        let Some((callee, number)) = callee.zip(number) else {
            return self.set_number(scope, value);
        };
        let dummies = callee.signature.expect("a procedure").dummies;
        let keyword = self.chance.one_in(2);
        let key = |at: usize| {
            if keyword {
                format!("{} = ", dummies[at])
            } else {
                String::new()
            }
        };
        if callee.kind == NameKind::Function {
            return format!(
                "{} = modulo({}({}({value})), 97)",
                number.text,
                callee.text,
                key(0)
            );
        }
        match self.one_of(&scope.visible(NameKind::List)) {
            Some(list) => {
                format!(
                    "call {}({}{}, {}{})",
                    callee.text,
                    key(0),
                    number.text,
                    key(1),
                    list.whole()
                )
            }
            None => sent_value(value),
        }
    }

    /// An implied DO, or FORALL: its variable is another one than that of the same name.
    fn over_spelling(&mut self, scope: &NameScope) -> String {
        let mut numbers = scope.settable();
        numbers.retain(|name| !scope.dummies.contains(&name.thing));
        let (number, list) = (
            self.one_of(&numbers),
            self.one_of(&scope.visible(NameKind::List)),
        );
        let Some((number, list)) = number.zip(list) else {
            return sent_value("5");
        };
        match self.chance.below(3) {
            0 => format!("{}(1:4) = [({1} * 3, {1} = 1, 4)]", list.text, number.text),
            1 => format!(
                "forall ({1} = 1:4) {0}({1}) = {1} + 2",
                list.text, number.text
            ),
            _ => format!(
                "do concurrent ({1} = 1:3)\n  {0}({1}) = {1} + 4\nend do",
                list.text, number.text
            ),
        }
    }

    /// BLOCK with declarations, perhaps of what a module has, and perhaps left early.
    fn own_block(&mut self, scope: &NameScope, depth: usize) -> ProgramNode {
        let mut inner = scope.inside();
        let uses = if self.chance.one_in(3) {
            self.uses(&mut inner)
        } else {
            Vec::new()
        };
        let (declared, values) = self.declarations(&mut inner, 3);
        inner
            .own
            .iter_mut()
            .for_each(|name| name.is_of_block = true);
        self.things += 1;
        let title = format!("zb{}", self.things);
        let mut body: Vec<ProgramNode> = values.into_iter().map(ProgramNode::line).collect();
        body.extend(self.statements(&mut inner, 3, depth + 1));
        if self.chance.one_in(4) {
            let value = self.value(&inner);
            let at = self.chance.below(body.len() + 1);
            body.insert(
                at,
                ProgramNode::line(format!("if (modulo({value}, 2) == 0) exit {title}")),
            );
        }
        let head = [vec![format!("{title}: block")], uses, declared].concat();
        ProgramNode::around(head, body, vec![format!("end block {title}")])
    }

    /// ASSOCIATE: other names for variables and parts, and names of values.
    fn own_associate(&mut self, scope: &NameScope, depth: usize) -> ProgramNode {
        let mut inner = scope.inside();
        let mut items = Vec::new();
        for _ in 0..1 + self.chance.below(2) {
            let Some(spelled) = self.free_spelling(&inner) else {
                break;
            };
            let numbers = scope.settable();
            let (number, list) = (
                self.one_of(&numbers),
                self.one_of(&scope.visible(NameKind::List)),
            );
            let (kind, of, is_value) = match (self.chance.below(4), number, list) {
                (0, Some(number), _) => (NameKind::Number, number.text, false),
                (1, _, Some(list)) => (NameKind::List, list.text, false),
                (2, _, Some(list)) => (
                    NameKind::Number,
                    format!("{}({})", list.text, self.subscript_of(scope)),
                    false,
                ),
                _ => (NameKind::Number, format!("{} + 1", self.value(scope)), true),
            };
            let mut name = self.new_name(spelled, kind);
            name.is_read_only = is_value;
            items.push(format!("{} => {of}", name.text));
            inner.declare(name);
        }
        let body = self.statements(&mut inner, 3, depth + 1);
        ProgramNode::around(
            vec![format!("associate ({})", items.join(", "))],
            body,
            vec!["end associate".into()],
        )
    }

    /// SELECT TYPE with a name.
    fn own_selected(&mut self, scope: &NameScope, depth: usize) -> ProgramNode {
        let (value, mut inner) = (self.value(scope), scope.inside());
        self.things += 1;
        let object = format!("zz{}", self.things);
        let Some(spelled) = self.free_spelling(&inner) else {
            return ProgramNode::line(sent_value(&value));
        };
        let name = self.new_name(spelled, NameKind::Number);
        let head = [
            "block".into(),
            format!("  class(*), allocatable :: {object}"),
            format!("  allocate({object}, source={value})"),
            format!("  select type ({} => {object})", name.text),
            "  type is (integer)".into(),
        ];
        inner.declare(name);
        let body = self.statements(&mut inner, 2, depth + 1);
        ProgramNode::around(
            head.to_vec(),
            body,
            vec!["  end select".into(), "end block".into()],
        )
    }
}
