//! Random programs of the style of hiding: few spellings for many things. Modules with PUBLIC and PRIVATE that use
//! each other with ONLY and new names, procedures in procedures, BLOCK and ASSOCIATE: each names things as things
//! outside are named, numbers and arrays, procedures and constants, what calls depend on and what is only computed.
//!
//! Names are followed by `@` and what they stand for. Without it programs are as people write them; with it
//! ([`super::program_tree::named`]) nothing is hidden and yet all means the same.
//! Here: modules, procedures and constructs. What stands in them is in [`super::hidden_names`].

use super::features::Form;
use super::hidden_names::{Name, NameKind, NameScope, Signature};
use super::program_tree::{ProgramNode, Unit};
use super::statements::Generator;

/// Spellings. Some of them are those of variables of all forms.
const SPELLED: [&str; 9] = ["p", "q", "r", "s", "f", "g", "v", "u", "a"];

/// Spellings of procedures. Those that stand beside others are hidden by nothing in these: gfortran 12 mistakes that.
const PROCEDURES: [&str; 5] = ["e", "h", "o", "t", "y"];

impl Generator {
    /// A form of two modules, internal procedures and constructs.
    pub fn hiding(&mut self, number: usize) -> Form {
        let mut form = Form::default();
        let first = format!("zqm{number}");
        let second = format!("zqw{number}");
        let (unit, from_first) = self.module_of(&first, &[]);
        form.modules.push(unit);
        let mut modules = vec![(first, from_first)];
        if self.chance.below(3) > 0 {
            let (unit, from_second) = self.module_of(&second, &modules);
            form.modules.push(unit);
            modules.push((second, from_second));
        }
        let mut scope = self.scope(Vec::new(), modules);
        for (spelled, kind) in [
            ("v", NameKind::Number),
            ("u", NameKind::Number),
            ("m", NameKind::Number),
            ("a", NameKind::List),
        ] {
            // All forms declare these.
            let mut name = self.new_name(spelled, kind);
            name.text = spelled.into();
            scope.unset.push(name.thing);
            scope.declare(name);
        }
        form.declared.push("  integer :: j1, j2, j3".into());
        form.used = self.uses(&mut scope);
        let (declared, values) = self.declarations(&mut scope, 2);
        form.declared
            .extend(declared.into_iter().filter(|line| !line.is_empty()));
        form.declared.extend(values);
        let mut contained = Vec::new();
        for _ in 0..self.chance.below(3) {
            if let Some(spelled) = self.free_of(&PROCEDURES, &scope) {
                contained.push(self.procedure(spelled, &mut scope, false));
            }
        }
        scope.has_n = true;
        form.body = self.statements(&mut scope, 5, 0);
        if !contained.is_empty() {
            form.body.push(ProgramNode::line("contains"));
            form.body.extend(contained);
        }
        form
    }

    pub fn new_name(&mut self, spelled: &str, kind: NameKind) -> Name {
        self.things += 1;
        let text = format!("{spelled}@{}", self.things);
        Name {
            spelled: spelled.into(),
            text,
            kind,
            thing: self.things,
            is_read_only: false,
            is_of_block: false,
            signature: None,
        }
    }

    pub fn scope(&mut self, around: Vec<Name>, modules: Vec<(String, Vec<Name>)>) -> NameScope {
        NameScope {
            around,
            modules,
            ..NameScope::default()
        }
    }

    /// A spelling that this place has not declared.
    pub fn free_spelling(&mut self, scope: &NameScope) -> Option<&'static str> {
        self.free_of(&SPELLED, scope)
    }

    fn free_of(&mut self, all: &[&'static str], scope: &NameScope) -> Option<&'static str> {
        let free: Vec<&'static str> = all
            .iter()
            .copied()
            .filter(|spelled| !scope.has_declared(spelled))
            .collect();
        (!free.is_empty()).then(|| self.chance.pick(&free))
    }

    /// A module and what it gives to others.
    fn module_of(&mut self, title: &str, modules: &[(String, Vec<Name>)]) -> (Unit, Vec<Name>) {
        let mut scope = self.scope(Vec::new(), modules.to_vec());
        scope.is_module = true;
        let mut head = vec![format!("module {title}")];
        head.extend(self.uses(&mut scope));
        head.push("  implicit none".into());
        let (declared, _) = self.declarations(&mut scope, 3);
        let mut body = Vec::new();
        let mut all = scope.own.clone();
        for _ in 0..1 + self.chance.below(2) {
            let Some(spelled) = self.free_of(&PROCEDURES, &scope) else {
                break;
            };
            body.push(self.procedure(spelled, &mut scope, true));
            all.extend(scope.own.last().cloned());
        }
        let mut exported = Vec::new();
        let default_private = self.chance.one_in(2);
        let mut said = Vec::new();
        for name in &all {
            let is_public = self.chance.below(3) > 0;
            if is_public == default_private {
                said.push(format!(
                    "  {} :: {}",
                    if is_public { "public" } else { "private" },
                    name.text
                ));
            }
            exported.extend(is_public.then(|| name.clone()));
        }
        if default_private {
            head.push("  private".into());
        }
        head.extend(said);
        head.extend(declared);
        head.push("contains".into());
        (
            Unit {
                head,
                body,
                end: vec!["end module".into()],
            },
            exported,
        )
    }

    /// USE of modules: whole, with ONLY, with other names. What would be declared twice gets another name.
    pub fn uses(&mut self, scope: &mut NameScope) -> Vec<String> {
        let mut lines = Vec::new();
        for (title, exported) in scope.modules.clone() {
            if exported.is_empty() || self.chance.one_in(4) {
                continue;
            }
            let only = self.chance.one_in(2);
            let mut items = Vec::new();
            for name in exported {
                if only && self.chance.one_in(3) {
                    continue;
                }
                let clashes = scope
                    .own
                    .iter()
                    .any(|one| one.spelled == name.spelled && one.thing != name.thing);
                let known = scope
                    .own
                    .iter()
                    .any(|one| one.spelled == name.spelled && one.thing == name.thing);
                if clashes || (!known && self.chance.one_in(3)) {
                    let Some(spelled) = self.free_spelling(scope) else {
                        if !only {
                            let hidden = self.new_name("hidden", name.kind);
                            items.push(format!(
                                "{} => {}",
                                hidden.text.replace('@', "_"),
                                name.text
                            ));
                        }
                        continue;
                    };
                    let mut local = self.new_name(spelled, name.kind);
                    items.push(format!("{} => {}", local.text, name.text));
                    (local.thing, local.is_read_only) = (name.thing, name.is_read_only);
                    local.signature = name.signature.clone();
                    scope.declare(local);
                } else {
                    if only {
                        items.push(name.text.clone());
                    }
                    if !known {
                        scope.declare(name);
                    }
                }
            }
            let items = items.join(", ");
            lines.push(match (only, items.is_empty()) {
                (true, _) => format!("  use {title}, only: {items}"),
                (false, true) => format!("  use {title}"),
                (false, false) => format!("  use {title}, {items}"),
            });
        }
        lines
    }

    /// Declarations of some names that this place has not, and what gives them their first values.
    pub fn declarations(
        &mut self,
        scope: &mut NameScope,
        most: usize,
    ) -> (Vec<String>, Vec<String>) {
        let (mut declared, mut values) = (Vec::new(), Vec::new());
        let outside = scope.clone();
        let mut new = Vec::new();
        for _ in 0..1 + self.chance.below(most) {
            let Some(spelled) = self.free_spelling(scope) else {
                break;
            };
            let kind = match self.chance.below(8) {
                0..=2 => NameKind::Number,
                3 | 4 => NameKind::List,
                5 => NameKind::Constant,
                _ => NameKind::Reals,
            };
            let name = self.new_name(spelled, kind);
            scope.declare(name.clone());
            new.push(name);
        }
        for name in &new {
            let (text, value) = (&name.text, 1 + self.chance.below(6));
            // Extents depend on outer declarations, whose names are not hidden here.
            let extent = match (scope.is_module, self.chance.below(2)) {
                (false, 0) => outside
                    .visible(NameKind::Number)
                    .into_iter()
                    .find(|one| {
                        let is_new = new.iter().any(|other: &Name| other.spelled == one.spelled);
                        !is_new && !scope.unset.contains(&one.thing)
                    })
                    .map_or("4".to_string(), |one| {
                        format!("4 + modulo({}, 3)", one.text)
                    }),
                _ => (4 + self.chance.below(3)).to_string(),
            };
            let first = if scope.is_module {
                format!(" = {value}")
            } else {
                String::new()
            };
            declared.push(match name.kind {
                NameKind::Number => format!("  integer :: {text}{first}"),
                NameKind::Constant => format!("  integer, parameter :: {text} = {value}"),
                NameKind::List => format!("  integer :: {text}({extent}){first}"),
                NameKind::Reals => format!("  double precision :: {text}({extent}){first}"),
                NameKind::Function | NameKind::Subroutine => String::new(),
            });
            if !scope.is_module && name.kind != NameKind::Constant {
                values.push(format!("  {text} = {value}"));
            }
        }
        (declared, values)
    }

    /// A function of a number, or a subroutine of a number and a list; its name is declared in `host` then.
    fn procedure(&mut self, spelled: &str, host: &mut NameScope, in_module: bool) -> ProgramNode {
        let kind = if self.chance.one_in(2) {
            NameKind::Function
        } else {
            NameKind::Subroutine
        };
        let mut own = self.new_name(spelled, kind);
        // What stands in it may hide anything but its own name, and must not call it.
        let mut masked = own.clone();
        masked.kind = NameKind::Subroutine;
        let mut around = host.all();
        around.push(masked.clone());
        let mut scope = self.scope(around, host.modules.clone());
        scope.has_n = !in_module;
        scope.declare(masked);
        let first = self.free_spelling(&scope).unwrap_or("given");
        let mut first = self.new_name(first, NameKind::Number);
        // A function may be given a value.
        first.is_read_only = kind == NameKind::Function;
        scope.declare(first.clone());
        let mut head = Vec::new();
        let mut dummies = vec![first.clone()];
        let end = match kind {
            NameKind::Function => {
                let result = self.free_spelling(&scope).unwrap_or("made");
                let result = self.new_name(result, NameKind::Number);
                scope.unset.push(result.thing);
                scope.declare(result.clone());
                head.push(format!(
                    "function {}({}) result({})",
                    own.text, first.text, result.text
                ));
                dummies.push(result);
                "end function"
            }
            _ => {
                let second = self.free_spelling(&scope).unwrap_or("list");
                let second = self.new_name(second, NameKind::List);
                head.push(format!(
                    "subroutine {}({}, {})",
                    own.text, first.text, second.text
                ));
                scope.declare(second.clone());
                dummies.push(second);
                "end subroutine"
            }
        };
        if in_module {
            head.push(self.constants().0.into());
        }
        head.extend(self.uses(&mut scope));
        head.push("  implicit none".into());
        if in_module {
            head.push(self.constants().1.into());
            head.push("  integer :: big(32), ierr".into());
        }
        head.push("  integer :: j1, j2, j3".into());
        head.push(format!("  integer :: {}", first.text));
        head.push(match kind {
            NameKind::Function => format!("  integer :: {}", dummies[1].text),
            _ => format!("  integer :: {}(4)", dummies[1].text),
        });
        let (declared, values) = self.declarations(&mut scope, 2);
        head.extend(declared);
        if in_module {
            head.push("  big = 3".into());
        }
        if kind == NameKind::Function {
            head.push(format!("  {} = 2", dummies[1].text));
        }
        head.extend(values);
        scope.dummies = dummies.iter().map(|one| one.thing).collect();
        let body = self.statements(&mut scope, 2, 1);
        own.signature = Some(Signature {
            dummies: dummies.iter().map(|one| one.text.clone()).collect(),
        });
        host.declare(own);
        ProgramNode::around(
            head.into_iter().filter(|line| !line.is_empty()).collect(),
            body,
            vec![end.into()],
        )
    }
}
