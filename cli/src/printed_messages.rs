//! The messages that a command has printed, so that it prints none twice.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Whether this is the first call with this sentence.
pub fn is_new(sentence: &str) -> bool {
    PRINTED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(sentence.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentence_is_new_once() {
        assert!(is_new("one") && !is_new("one") && is_new("other"));
    }
}
