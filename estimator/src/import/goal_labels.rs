//! The labels of one rank's operations. A rank may have as many as all others together, so their text is in one
//! string, and the table of the hash contains numbers alone.

use crate::numbered::HashIndex;
use base_data::hashing::NumberHasher;
use std::hash::Hasher;

/// Labels and the operations that they mean.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// The labels, one behind the other.
    text: String,
    /// By number of the label, in the order of the file.
    labels: Vec<Label>,
    places: HashIndex,
}

#[derive(Clone, Copy, Debug)]
struct Label {
    /// Where it ends in the text; the next one begins there.
    end: usize,
    operation: u32,
}

impl Labels {
    /// Enters the operation of a label; false if there is such a label already.
    pub(super) fn insert(&mut self, label: &str, operation: u32) -> bool {
        let Self {
            text,
            labels,
            places,
        } = self;
        places.make_room(|number| hash(label_text(text, labels, number)));
        let is_label = |number| label_text(text, labels, number) == label;
        let Err(free) = places.find(hash(label), is_label) else {
            return false;
        };
        text.push_str(label);
        labels.push(Label {
            end: text.len(),
            operation,
        });
        places.fill(free);
        true
    }

    /// The operation of a label.
    pub(super) fn get(&self, label: &str) -> Option<u32> {
        let is_label = |number| label_text(&self.text, &self.labels, number) == label;
        // Most dependencies are those of the operation above them.
        let last = self.labels.last()?;
        if is_label(self.labels.len() as u32 - 1) {
            return Some(last.operation);
        }
        let number = self.places.find(hash(label), is_label).ok()?;
        Some(self.labels[number as usize].operation)
    }
}

fn label_text<'t>(text: &'t str, labels: &[Label], number: u32) -> &'t str {
    let number = number as usize;
    let start = match number {
        0 => 0,
        number => labels[number - 1].end,
    };
    &text[start..labels[number].end]
}

fn hash(label: &str) -> u64 {
    let mut hasher = NumberHasher::default();
    hasher.write(label.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_mean_their_operations() {
        let mut labels = Labels::default();
        assert_eq!(labels.get("l0"), None);
        for number in 0..1000 {
            assert!(labels.insert(&format!("l{number}"), 2 * number));
        }
        assert!(!labels.insert("l7", 0));
        for number in 0..1000 {
            assert_eq!(labels.get(&format!("l{number}")), Some(2 * number));
        }
        // Text of two labels that stand side by side is no label.
        assert_eq!((labels.get("l1l2"), labels.get("l1000")), (None, None));
    }
}
