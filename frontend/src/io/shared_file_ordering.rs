//! What keeps processes in order that share files: where one may read what another does to a file, nobody may
//! pass the messages between them before the others have come. Which statements may mean the same file
//! is in [`crate::io::files`]; how processes meet on the way to them, in [`crate::io::io_ordering`].

use crate::effects::message_levels::Order;
use crate::effects::model::Model;
use crate::graphs::call_graph;
use crate::io::files::Unit;
use crate::io::io_ordering::Between;
use crate::ir::rules::{Rule, holds};
use crate::ir::{Callee, IoOperation, Shared, StatementId, StatementKind};
use std::collections::BTreeSet;

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
    pub(crate) fn of(model: &Model, kept: &[bool]) -> Self {
        let mut ordered = SharedFileOrdering::default();
        if !holds(Rule::FilesAreShared) {
            return ordered;
        }
        let all: Vec<Use> = model
            .outline
            .all()
            .filter(|id| kept[id.0 as usize])
            .filter_map(|id| Use::of(model, id))
            .collect();
        for class in 0..model.locations.files.names().len() {
            ordered.add_class(model, &class_uses(model, &all, class));
        }
        let commands: Vec<Use> = all
            .into_iter()
            .filter(|one| one.files == Files::Command)
            .collect();
        ordered.add_class(model, &commands);
        ordered
    }

    /// Adds what keeps the uses of one class of files in order.
    fn add_class(&mut self, model: &Model, uses: &[Use]) {
        for reading in uses {
            for writing in uses.iter().filter(|writing| reading.may_see(writing)) {
                self.put_in_order(model, reading.statement, writing.statement);
            }
        }
    }

    fn put_in_order(&mut self, model: &Model, reading: StatementId, writing: StatementId) {
        let mut chosen = match &self.order {
            Order::Everything => BTreeSet::new(),
            Order::Meetings(chosen) => chosen.clone(),
            Order::Nothing => BTreeSet::new(),
        };
        match model.file_order.between(reading, writing, &chosen) {
            Between::Nothing => return,
            Between::Meetings(name) => drop(chosen.insert(name)),
            Between::Unknown => self.order = Order::Everything,
        }
        self.readings.insert(reading);
        if self.order != Order::Everything {
            self.order = Order::Meetings(chosen);
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
        let (mine, others) = (self.shared, writing.shared);
        let named = |files| matches!(files, Files::Class(_) | Files::Any);
        let tells = (mine.finds && others.makes) || (mine.reads && others.changes);
        // What a command does may be that a file cannot be made.
        let is_after = !named(writing.files) && self.operation != Some(IoOperation::Close);
        let unseen = [self.files, writing.files].contains(&Files::Unseen);
        (tells || is_after) && (!unseen || named(self.files) || named(writing.files))
    }
}

/// The files of a statement that names none.
fn unnamed(model: &Model, id: StatementId, kind: &StatementKind) -> Option<Files> {
    let is_command = |callee: &Callee| match callee {
        Callee::Intrinsic(name) => call_graph::is_command(name),
        Callee::Procedure(_)
        | Callee::OneOf(_)
        | Callee::Mpi(_)
        | Callee::UnknownMpi(_)
        | Callee::External(_)
        | Callee::Variable(_) => false,
    };
    if call_graph::calls(kind)
        .iter()
        .any(|call| is_command(call.callee))
    {
        return Some(Files::Command);
    }
    model
        .effects
        .of_statement(id)
        .touches_globals
        .then_some(Files::Unseen)
}

/// The uses of a class of files, and of those whose names are made at run time, if any process can see what another
/// does to them: not where all are scratch files. Where something is written, what closes or positions a file may bring it there.
fn class_uses(model: &Model, all: &[Use], class: usize) -> Vec<Use> {
    let of_class = |one: &&Use| match one.files {
        Files::Class(own) => {
            let files = &model.locations.files;
            own == class || files.is_made(own) && files.may_be_one(own, class)
        }
        Files::Any | Files::Command | Files::Unseen => true,
    };
    let mut uses: Vec<Use> = all.iter().filter(of_class).copied().collect();
    let own = |one: &Use| matches!(one.files, Files::Class(_));
    if !uses.iter().any(|one| own(one) && one.opens_for_all(model)) {
        return Vec::new();
    }
    for one in uses
        .iter_mut()
        .filter(|one| model.locations.files.may_connect(one.statement))
    {
        one.shared.makes |= one.operation == Some(IoOperation::Write);
    }
    let readings: Vec<StatementId> = uses
        .iter()
        .filter(|one| one.operation != Some(IoOperation::Open) && one.shared.reads)
        .map(|one| one.statement)
        .collect();
    // Where a file is opened matters to those who read it then.
    for one in uses
        .iter_mut()
        .filter(|one| one.operation == Some(IoOperation::Open))
    {
        one.shared.reads &= !readings
            .iter()
            .all(|&reading| model.file_order.is_before(reading, one.statement));
    }
    let changes = uses.iter().any(|one| one.shared.changes);
    for one in uses.iter_mut().filter(|one| own(one)) {
        let brings = matches!(
            one.operation,
            Some(IoOperation::Close | IoOperation::Position)
        );
        one.shared.changes |= changes && brings;
    }
    uses
}
