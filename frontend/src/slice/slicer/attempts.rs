//! Attempts to extend a slice: those that turn out to cost too much are taken back. The state of a slice only grows, so a list of what an
//! attempt has added suffices, in time proportional to the attempt and not to the program.

use super::Slicer;
use crate::effects::message_levels::Needed;
use crate::effects::statement_effects::IndirectEffect;
use crate::ir::{ProcedureId, StatementId};
use crate::memory::location_id::LocationId;

/// A flag of a slice.
#[derive(Clone, Copy)]
pub(super) enum SliceFlag {
    Kept(StatementId),
    Deciding(StatementId),
    Wanted(StatementId),
    Needed(LocationId),
    Entered(LocationId),
    Returned(LocationId),
    Live(ProcedureId),
    StopsMatter(ProcedureId),
}

/// An addition of an attempt.
enum Addition {
    Flag(SliceFlag),
    /// The last caller of a procedure.
    Caller(ProcedureId),
    FileRead(ProcedureId, (LocationId, StatementId)),
    KeptCallers(IndirectEffect),
}

/// What an attempt has changed so far.
pub(super) struct Attempt {
    additions: Vec<Addition>,
    /// What was needed before.
    messages: Needed,
    globals_needed: bool,
}

impl Slicer<'_> {
    /// Extends the slice by what `extend` keeps and needs, if it returns true; otherwise the slice is as before. All tasks must have
    /// been worked off.
    pub(crate) fn attempt(&mut self, extend: impl FnOnce(&mut Self) -> bool) -> bool {
        debug_assert!(
            self.tasks.is_empty() && self.needs.is_none(),
            "not taken back"
        );
        self.attempt = Some(Attempt {
            additions: Vec::new(),
            messages: self.messages.clone(),
            globals_needed: self.globals_needed,
        });
        let stays = extend(self);
        if let Some(attempt) = self.attempt.take()
            && !stays
        {
            self.take_back(attempt);
        }
        stays
    }

    /// The statements that the current attempt has added so far.
    pub(crate) fn attempted(&self) -> Vec<StatementId> {
        let mut found = Vec::new();
        for addition in self.attempt.iter().flat_map(|attempt| &attempt.additions) {
            if let Addition::Flag(SliceFlag::Kept(id)) = addition {
                found.push(*id);
            }
        }
        found
    }

    /// Whether the current attempt needs messages that were not needed before.
    pub(crate) fn attempt_needs_messages(&self) -> bool {
        match &self.attempt {
            Some(attempt) => attempt.messages != self.messages,
            None => false,
        }
    }

    /// Sets a flag; whether it was set before.
    pub(super) fn set(&mut self, mark: SliceFlag) -> bool {
        let was_set = std::mem::replace(self.flag(mark), true);
        if !was_set {
            self.record(Addition::Flag(mark));
        }
        was_set
    }

    /// Adds a kept call of a procedure: a statement, and which of its calls.
    pub(super) fn add_caller(&mut self, procedure: ProcedureId, caller: (StatementId, usize)) {
        self.callers[procedure.0 as usize].push(caller);
        self.record(Addition::Caller(procedure));
    }

    /// Adds a file that a procedure reads, and where; whether it is new.
    pub(super) fn add_file_read(
        &mut self,
        procedure: ProcedureId,
        read: (LocationId, StatementId),
    ) -> bool {
        let is_new = self.files_read[procedure.0 as usize].insert(read);
        if is_new {
            self.record(Addition::FileRead(procedure, read));
        }
        is_new
    }

    /// Adds a callee whose calls all stay; whether it is new.
    pub(super) fn add_kept_callers(&mut self, callee: IndirectEffect) -> bool {
        let is_new = self.callers_kept.insert(callee);
        if is_new {
            self.record(Addition::KeptCallers(callee));
        }
        is_new
    }

    fn record(&mut self, addition: Addition) {
        if let Some(attempt) = &mut self.attempt {
            attempt.additions.push(addition);
        }
    }

    fn flag(&mut self, mark: SliceFlag) -> &mut bool {
        match mark {
            SliceFlag::Kept(id) => &mut self.kept[id.0 as usize],
            SliceFlag::Deciding(id) => &mut self.deciding[id.0 as usize],
            SliceFlag::Wanted(id) => &mut self.wanted[id.0 as usize],
            SliceFlag::Needed(location) => &mut self.needed[location.index()],
            SliceFlag::Entered(location) => &mut self.entered[location.index()],
            SliceFlag::Returned(location) => &mut self.returned[location.index()],
            SliceFlag::Live(procedure) => &mut self.live[procedure.0 as usize],
            SliceFlag::StopsMatter(procedure) => &mut self.stops_matter[procedure.0 as usize],
        }
    }

    fn take_back(&mut self, attempt: Attempt) {
        let Attempt {
            additions,
            messages,
            globals_needed,
        } = attempt;
        for addition in additions.into_iter().rev() {
            match addition {
                Addition::Flag(mark) => {
                    *self.flag(mark) = false;
                    if let SliceFlag::Kept(id) = mark {
                        self.reasons[id.0 as usize] = None;
                    }
                }
                Addition::Caller(procedure) => {
                    self.callers[procedure.0 as usize].pop();
                }
                Addition::FileRead(procedure, read) => {
                    self.files_read[procedure.0 as usize].remove(&read);
                }
                Addition::KeptCallers(callee) => {
                    self.callers_kept.remove(&callee);
                }
            }
        }
        self.messages = messages;
        self.globals_needed = globals_needed;
        // An attempt may stop before it has worked off all.
        self.tasks.clear();
    }
}
