//! Completion of a receive by its message: checks that the types agree, and copies the data.

use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use crate::requests::Receive;
use token_runtime::datatypes::{agree, describe};
use token_runtime::kernel::point_to_point::{self, Message};
use token_runtime::mpich::class;
use token_runtime::mpich::status::Envelope;
use token_runtime::warnings::Warning;

impl Process {
    /// Takes the message that a receive has got.
    pub fn receive_into(&mut self, receive: &Receive) -> Result<Envelope, Failure> {
        let memory = self.segment.memory();
        let message = point_to_point::arrived(memory, receive.node)
            .expect("the rank was woken when the message came");
        let checked = self.check_message(receive, &message);
        if let (Ok(()), Some(place)) = (&checked, &receive.place) {
            self.unpack_to(message.payload, message.bytes, place, &receive.datatype);
        }
        self.log_received(receive, &message);
        point_to_point::retire(self.segment.memory(), receive.node);
        checked.map(|()| Envelope::new(message.source as i32, message.tag, message.bytes))
    }

    /// Whether a receive takes what was sent. Data of other types are taken as they lie in memory, as MPI libraries
    /// take them that do not look.
    fn check_message(&mut self, receive: &Receive, message: &Message) -> Outcome {
        let Message {
            source,
            tag,
            bytes,
            signature,
            call,
            context,
            ..
        } = *message;
        let capacity = receive.datatype.bytes(receive.count);
        if bytes > capacity {
            let communicator = self.name_of_context(context);
            return wrong(
                class::TRUNCATE,
                format!(
                    "the message from rank {source} of {communicator} with tag {tag} has {bytes} bytes, the receive takes {capacity} at most"
                ),
            );
        }
        let expected = receive.datatype.data.prefix_word(bytes);
        if bytes == 0 || expected.is_some_and(|expected| agree(signature, expected)) {
            return Ok(());
        }
        self.warn(Warning::Types {
            sender: call,
            sent: describe(signature),
            receiver: receive.call,
            received: expected
                .map_or_else(|| "elements that the message ends within".into(), describe),
        });
        Ok(())
    }
}
