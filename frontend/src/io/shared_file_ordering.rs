//! Ordering between accesses of different ranks to one file: where one rank may read what another does to a file, the slice must not
//! let ranks pass the global synchronisations between the two accesses. Which statements may access the same file is in
//! [`crate::memory::files`]; the synchronisations before each statement are in [`crate::io::io_ordering`].

use crate::effects::message_levels::Order;
use crate::effects::model::Model;
use crate::graphs::call_graph;
use crate::io::io_ordering::{Between, IoOrdering};
use crate::ir::rules::{Rule, holds};
use crate::ir::{Callee, IoOperation, Shared, StatementId, StatementKind};
use crate::memory::files::Unit;
use std::collections::{BTreeMap, BTreeSet};

/// What keeps files in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedFileOrdering {
    /// The messages that do.
    pub(crate) order: Order,
    /// The statements of the slice that another process may do something to files for.
    pub(crate) readings: BTreeSet<StatementId>,
}

impl SharedFileOrdering {
    /// Of a slice.
    pub(crate) fn of(model: &Model, file_order: &IoOrdering, kept: &[bool]) -> Self {
        let mut ordered = SharedFileOrdering::default();
        if !holds(Rule::FilesAreShared) {
            return ordered;
        }
        let (mut all, mut commands) = (Vec::new(), Vec::new());
        for id in model.outline.all() {
            if kept[id.0 as usize]
                && let Some(one) = Use::of(model, id)
            {
                all.push(one);
                if one.files == Files::Command {
                    commands.push(one);
                }
            }
        }
        for class in 0..model.locations.files.names().len() {
            ordered.add_class(file_order, &class_uses(model, file_order, &all, class));
        }
        ordered.add_class(file_order, &commands);
        ordered
    }

    /// Adds the ordering of the uses of one class of files.
    fn add_class(&mut self, file_order: &IoOrdering, uses: &[Use]) {
        // What orders two uses depends on their kinds and on the global synchronisations before them. A program with thousands of
        // input/output statements has few such groups, and a second pair of the same groups changes nothing.
        let mut positions: BTreeMap<_, usize> = BTreeMap::new();
        let mut groups: Vec<Vec<Use>> = Vec::new();
        for one in uses {
            let key = (
                one.kind(),
                file_order.synchronisations_before(one.statement),
            );
            let position = *positions.entry(key).or_insert(groups.len());
            if position == groups.len() {
                groups.push(Vec::new());
            }
            groups[position].push(*one);
        }
        for readings in &groups {
            for writings in &groups {
                if readings[0].may_see(&writings[0]) {
                    self.put_in_order(file_order, readings, writings[0].statement);
                }
            }
        }
    }

    fn put_in_order(&mut self, file_order: &IoOrdering, readings: &[Use], writing: StatementId) {
        let mut chosen = match &self.order {
            Order::Everything => BTreeSet::new(),
            Order::GlobalSynchronisations(chosen) => chosen.clone(),
            Order::Nothing => BTreeSet::new(),
        };
        match file_order.between(readings[0].statement, writing, &chosen) {
            Between::Nothing => return,
            Between::GlobalSynchronisations(name) => drop(chosen.insert(name)),
            Between::Unknown => self.order = Order::Everything,
        }
        self.readings
            .extend(readings.iter().map(|reading| reading.statement));
        if self.order != Order::Everything {
            self.order = Order::GlobalSynchronisations(chosen);
        }
    }
}

/// Which files a statement uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Files {
    /// Those of a class.
    Class(usize),
    /// Any that the program names.
    Any,
    /// Any, by a command of the operating system.
    Command,
    /// Any, by a procedure without source. Files that the program itself does not name are its own affair.
    Unseen,
}

impl Files {
    /// Whether the program names them.
    fn is_named(self) -> bool {
        match self {
            Files::Class(_) | Files::Any => true,
            Files::Command | Files::Unseen => false,
        }
    }
}

/// What a statement has to do with files.
#[derive(Clone, Copy, Debug)]
struct Use {
    statement: StatementId,
    files: Files,
    shared: Shared,
    operation: Option<IoOperation>,
}

impl Use {
    fn of(model: &Model, statement: StatementId) -> Option<Use> {
        let kind = &model.program.statement(statement).kind;
        if let Some(files) = unnamed(model, statement, kind) {
            let shared = Shared {
                finds: true,
                reads: true,
                makes: true,
                changes: true,
                is_private: false,
            };
            return Some(Use {
                statement,
                files,
                shared,
                operation: None,
            });
        }
        let StatementKind::InputOutput(io) = kind else {
            return None;
        };
        let files = match model.locations.files.unit(statement) {
            Unit::Class(class) => Files::Class(class),
            Unit::Any => Files::Any,
            Unit::Output | Unit::Internal => return None,
        };
        Some(Use {
            statement,
            files,
            shared: io.shared,
            operation: Some(io.operation),
        })
    }

    /// All that [`Self::may_see`] reads.
    fn kind(&self) -> [bool; 7] {
        let Shared {
            finds,
            reads,
            makes,
            changes,
            ..
        } = self.shared;
        let is_close = self.operation == Some(IoOperation::Close);
        let (is_named, is_unseen) = (self.files.is_named(), self.files == Files::Unseen);
        [finds, reads, makes, changes, is_close, is_named, is_unseen]
    }

    /// Whether it opens a file that other processes may see, too.
    fn opens_for_all(&self, model: &Model) -> bool {
        match self.operation {
            Some(IoOperation::Open) => !self.shared.is_private,
            Some(IoOperation::Read | IoOperation::Write) => {
                model.locations.files.may_connect(self.statement)
            }
            Some(IoOperation::Close | IoOperation::Position | IoOperation::Inquire) => false,
            None => true,
        }
    }

    /// Whether what this one does depends on whether another has been done.
    fn may_see(&self, writing: &Use) -> bool {
        if self.files == Files::Unseen || writing.files == Files::Unseen {
            // Between code without source and the program, only files that the program names count.
            if !self.files.is_named() && !writing.files.is_named() {
                return false;
            }
        }
        // What a command does may be that a file cannot be made.
        if !writing.files.is_named() && self.operation != Some(IoOperation::Close) {
            return true;
        }
        let finds = self.shared.finds && writing.shared.makes;
        let reads = self.shared.reads && writing.shared.changes;
        finds || reads
    }
}

/// The files of a statement that accesses files without an input/output statement.
fn unnamed(model: &Model, id: StatementId, kind: &StatementKind) -> Option<Files> {
    for call in call_graph::calls(kind) {
        if let Callee::Intrinsic(name) = call.callee
            && call_graph::is_command(name)
        {
            return Some(Files::Command);
        }
    }
    if model.effects.of_statement(id).is_unseen() {
        return Some(Files::Unseen);
    }
    None
}

/// The uses of a class of files, and of those whose names are made at run time, if a process can see what another
/// does to them: not where all are scratch files.
fn class_uses(model: &Model, file_order: &IoOrdering, all: &[Use], class: usize) -> Vec<Use> {
    let files = &model.locations.files;
    let mut uses = Vec::new();
    for one in all {
        let is_of_class = match one.files {
            Files::Class(own) => own == class || files.is_made(own) && files.may_be_one(own, class),
            Files::Any | Files::Command | Files::Unseen => true,
        };
        if is_of_class {
            uses.push(*one);
        }
    }
    let has_class = |one: &Use| matches!(one.files, Files::Class(_));
    if !uses
        .iter()
        .any(|one| has_class(one) && one.opens_for_all(model))
    {
        return Vec::new();
    }
    let mut readings = Vec::new();
    for one in &mut uses {
        // A WRITE to a unit without OPEN creates the file.
        one.shared.makes |=
            one.operation == Some(IoOperation::Write) && files.may_connect(one.statement);
        if one.operation != Some(IoOperation::Open) && one.shared.reads {
            readings.push(one.statement);
        }
    }
    for one in &mut uses {
        if one.operation == Some(IoOperation::Open) {
            // The position after an OPEN matters only to later readings.
            let mut readings = readings.iter();
            one.shared.reads &=
                !readings.all(|&reading| file_order.is_before(reading, one.statement));
        }
    }
    let changes = uses.iter().any(|one| one.shared.changes);
    for one in &mut uses {
        // CLOSE and positioning may flush buffered records to the file.
        let flushes = matches!(
            one.operation,
            Some(IoOperation::Close | IoOperation::Position)
        );
        one.shared.changes |= has_class(one) && changes && flushes;
    }
    uses
}
