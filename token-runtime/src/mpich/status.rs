//! A status: two words with the number of bytes, then source and tag, then an error code that only
//! calls with several statuses set.

use super::{ANY_SOURCE, ANY_TAG, PROC_NULL};

/// Integers of a status; `MPI_STATUS_SIZE`.
pub const SIZE: usize = 5;

/// What a status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Rank of the sender in the communicator.
    pub source: i32,
    /// Tag of the message.
    pub tag: i32,
    /// Its length.
    pub bytes: u64,
}

impl Envelope {
    /// Of a send, a null request, or anything else that received nothing.
    pub const EMPTY: Envelope = Envelope { source: ANY_SOURCE, tag: ANY_TAG, bytes: 0 };
    /// Of a receive from `MPI_PROC_NULL`.
    pub const NULL: Envelope = Envelope { source: PROC_NULL, tag: ANY_TAG, bytes: 0 };

    /// The first words of the status; the error code behind them is no part of it.
    pub fn words(self) -> [i32; SIZE - 1] {
        [self.bytes as i32, ((self.bytes >> 32) << 1) as i32, self.source, self.tag]
    }

    /// What the first words of a status say. The lowest bit of the second is whether the call was
    /// cancelled.
    pub fn of_words([low, high, source, tag]: [i32; SIZE - 1]) -> Self {
        let bytes = u64::from(low as u32) | u64::from(high as u32 >> 1) << 32;
        Self { source, tag, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_was_put_in() {
        for bytes in [0, 8, u64::from(u32::MAX), 1 << 32, 5 << 40] {
            let envelope = Envelope { source: 3, tag: 7, bytes };
            assert_eq!(Envelope::of_words(envelope.words()), envelope);
        }
        assert_eq!(Envelope { source: 3, tag: 7, bytes: 24 }.words(), [24, 0, 3, 7]);
    }
}
