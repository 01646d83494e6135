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
        match named_communicator.and_then(|index| self.label(index)) {
            Some(label) => label.leave(self.memory(), self.rank),
            None => CommunicatorLabel::leave_none(self.memory(), self.rank),
        }
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
        let has_context = |index: &usize| {
            self.communicators[*index]
                .as_ref()
                .is_some_and(|communicator| communicator.context == context)
        };
        let label = (0..self.communicators.len())
            .find(has_context)
            .and_then(|index| self.label(index));
        label.map_or_else(|| "the communicator".into(), |label| label.described(None))
    }
}
