//! Labels of communicators for messages. A rank that waits or ends the run shows the host the communicator of its
//! call.

use crate::process::Process;
use token_runtime::kernel::communicator_label::CommunicatorLabel;

impl Process {
    fn label(&self, index: usize) -> Option<CommunicatorLabel> {
        let communicator = self.communicators.get(index)?.as_ref()?;
        let properties = &self.properties[index];
        let size = communicator.members().len() as u32;
        Some(CommunicatorLabel::new(
            &properties.name,
            size,
            properties.made,
        ))
    }

    /// Shows the host the communicator of the current call, unless it is shown already.
    pub fn show_communicator(&self) {
        let named_communicator = self.tables.named_communicator.get();
        if self.tables.shown_communicator.replace(named_communicator) == named_communicator {
            return;
        }
        match named_communicator.and_then(|index| Some((index, self.label(index)?))) {
            Some((index, label)) => {
                let context = self.communicator(index).context;
                label.leave(self.memory(), self.rank, context);
            }
            None => CommunicatorLabel::leave_none(self.memory(), self.rank),
        }
    }

    /// Reports on the current call name the communicator of this context.
    pub fn name_communicator_of_context(&self, context: u64) {
        // Mostly it is the communicator of the call before.
        let shown = self.tables.shown_communicator.get();
        let known = shown.filter(|&index| self.has_context(index, context));
        let index = known.or_else(|| self.index_of_context(context));
        self.tables.named_communicator.set(index);
    }

    fn has_context(&self, index: usize, context: u64) -> bool {
        match self.communicators.get(index) {
            Some(Some(communicator)) => communicator.context == context,
            Some(None) | None => false,
        }
    }

    fn index_of_context(&self, context: u64) -> Option<usize> {
        (0..self.communicators.len()).find(|&index| self.has_context(index, context))
    }

    /// A communicator has another name, or is gone: what is shown of it is out of date.
    pub fn relabel(&self, index: usize) {
        if self.tables.shown_communicator.get() == Some(index) {
            self.tables.shown_communicator.set(None);
            CommunicatorLabel::leave_none(self.memory(), self.rank);
        }
    }

    /// The communicator with this context, for messages.
    pub fn name_of_context(&self, context: u64) -> String {
        let index = self.index_of_context(context);
        let label = index.and_then(|index| self.label(index));
        label.map_or_else(|| "the communicator".into(), |label| label.described(None))
    }
}
