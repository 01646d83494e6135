//! Files in a slice: the accesses that may precede a read. The happens-before relation is in [`crate::io::io_ordering`].

use super::Slicer;
use crate::graphs::call_graph;
use crate::graphs::control_flow_graph::CfgNode;
use crate::ir::{Callee, ProcedureId, StatementId};
use crate::memory::location_id::LocationId;
use crate::slice::reasons::Because;

impl Slicer<'_> {
    /// What may have been done to a file before a statement reads it stays. A procedure without global synchronisation reads when it is
    /// called: each kept call needs the accesses that precede it, so that a function which looks
    /// for a free unit need not know what is opened after its last call that matters.
    pub(super) fn find_writers_of_file(
        &mut self,
        file: LocationId,
        reader: StatementId,
        by: Option<StatementId>,
        because: Because,
    ) {
        let procedure = self.model.program.statement(reader).procedure;
        if !self.reads_when_called(procedure) {
            return self.keep_earlier(file, reader, by, because);
        }
        // The same two-sided registration as for dummies: kept calls here, later ones in
        // `read_files`.
        if self.add_file_read(procedure, (file, reader)) {
            for (caller, _) in self.callers[procedure.0 as usize].clone() {
                self.keep_earlier(file, self.time_of(caller, reader), by, because);
            }
        }
    }

    /// A call stays: what may have been done before to the files that the callee reads does, too.
    pub(super) fn read_files(&mut self, caller: StatementId, callee: ProcedureId) {
        for (file, reader) in self.files_read[callee.0 as usize].clone() {
            let place = self.place(file, CfgNode::Statement(reader));
            self.keep_for(place, |slicer| {
                let time = slicer.time_of(caller, reader);
                slicer.keep_earlier(file, time, Some(reader), Because::Defines(file));
            });
        }
    }

    fn keep_earlier(
        &mut self,
        file: LocationId,
        reader: StatementId,
        by: Option<StatementId>,
        because: Because,
    ) {
        let earlier = self.file_order.writers(self.model, file, reader);
        earlier
            .into_iter()
            .for_each(|writer| self.keep(writer, by, because));
    }

    /// Whether as many global synchronisations lie before all statements of a procedure as before its call.
    fn reads_when_called(&self, procedure: ProcedureId) -> bool {
        let model = self.model;
        model.program.main != Some(procedure)
            && !model.calls.procedure_leads[procedure.0 as usize]
            && !model.program.procedure(procedure).is_whole
            && !model.effects.callbacks.is_whole(procedure)
    }

    /// The statement before which as many global synchronisations lie as before a reading in a callee: the call, if nothing else is
    /// called by its statement.
    fn time_of(&self, caller: StatementId, reader: StatementId) -> StatementId {
        let calls = call_graph::calls(&self.model.program.statement(caller).kind);
        let is_alone = self.model.effects.of_statement(caller).calls.len() == 1
            && calls
                .iter()
                .all(|call| matches!(call.callee, Callee::Procedure(_) | Callee::Intrinsic(_)));
        if is_alone { caller } else { reader }
    }
}
