//! A status: two words with the number of bytes, then source and tag, then an error code that only
//! calls with several statuses set.

use super::{ANY_SOURCE, ANY_TAG, PROC_NULL};

/// Integers of a status; `MPI_STATUS_SIZE`.
pub const SIZE: usize = 5;

/// Places of integers in a status.
pub mod word {
    /// Rank of the sender.
    pub const SOURCE: usize = 2;
    /// Tag of the message.
    pub const TAG: usize = 3;
    /// Error code.
    pub const ERROR: usize = 4;
}

/// Most bytes that a status can say were received.
pub const MOST_BYTES: u64 = (1 << 63) - 2;
/// Stands for an unknown number of bytes. No message is as long.
const ASSUMED_BYTES: u64 = MOST_BYTES + 1;

/// What a status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Rank of the sender in the communicator.
    pub source: i32,
    /// Tag of the message.
    pub tag: i32,
    /// Its length.
    pub bytes: u64,
    /// Whether the transfer was cancelled.
    pub cancelled: bool,
    /// Whether the length of the message is unknown: replay has filled the whole buffer of a rank in solo
    /// execution.
    pub is_assumed: bool,
}

impl Envelope {
    /// Of a send, a null request, or anything else that received nothing.
    pub const EMPTY: Envelope = Envelope::new(ANY_SOURCE, ANY_TAG, 0);
    /// Of a receive from `MPI_PROC_NULL`.
    pub const NULL: Envelope = Envelope::new(PROC_NULL, ANY_TAG, 0);
    /// Of a transfer that was cancelled.
    pub const CANCELLED: Envelope = Envelope {
        cancelled: true,
        ..Envelope::EMPTY
    };

    /// Of a message.
    pub const fn new(source: i32, tag: i32, bytes: u64) -> Self {
        Self {
            source,
            tag,
            bytes,
            cancelled: false,
            is_assumed: false,
        }
    }

    /// The first words of the status; the error code behind them is no part of it.
    pub fn words(self) -> [i32; SIZE - 1] {
        let bytes = if self.is_assumed {
            ASSUMED_BYTES
        } else {
            self.bytes
        };
        let high = (bytes >> 32 << 1) as u32 | u32::from(self.cancelled);
        [bytes as i32, high as i32, self.source, self.tag]
    }

    /// What the first words of a status say. The lowest bit of the second is whether the call was cancelled; the
    /// number of bytes has all others.
    pub fn of_words([low, high, source, tag]: [i32; SIZE - 1]) -> Self {
        let bytes = u64::from(low as u32) | u64::from(high as u32 >> 1) << 32;
        Self {
            source,
            tag,
            bytes,
            cancelled: high & 1 != 0,
            is_assumed: bytes == ASSUMED_BYTES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_words_round_trip() {
        for bytes in [
            0,
            8,
            u64::from(u32::MAX),
            1 << 32,
            5 << 40,
            1 << 62,
            MOST_BYTES,
        ] {
            let envelope = Envelope {
                cancelled: bytes == 8,
                ..Envelope::new(3, 7, bytes)
            };
            assert_eq!(Envelope::of_words(envelope.words()), envelope);
            let guess = Envelope {
                is_assumed: true,
                ..envelope
            };
            assert!(Envelope::of_words(guess.words()).is_assumed);
        }
        assert_eq!(Envelope::new(3, 7, 24).words(), [24, 0, 3, 7]);
    }
}
