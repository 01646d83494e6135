//! Handle tables. An object of Open MPI has two handles: C's, an address, and
//! Fortran's, a small number. The values are disjoint, so one table serves both.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hashes one word. Handles come from the MPI library, so no resistance to chosen collisions is needed.
#[derive(Default)]
pub struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|&byte| self.write_u64(self.0 ^ u64::from(byte)));
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(word ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

/// A table by handle that finds what was asked for last at once.
#[derive(Debug)]
pub struct Handles<T> {
    known: HashMap<usize, T, BuildHasherDefault<Spread>>,
    recent: Option<(usize, T)>,
}

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Self {
            known: HashMap::default(),
            recent: None,
        }
    }
}

impl<T: Copy> Handles<T> {
    /// What is known of a handle.
    #[inline]
    pub fn get(&mut self, handle: usize) -> Option<T> {
        if let Some((recent, value)) = self.recent
            && recent == handle
        {
            return Some(value);
        }
        let value = *self.known.get(&handle)?;
        self.recent = Some((handle, value));
        Some(value)
    }

    /// Remembers a handle, in place of what was known of it.
    pub fn set(&mut self, handle: usize, value: T) {
        self.recent = None;
        self.known.insert(handle, value);
    }

    /// Forgets a handle.
    pub fn forget(&mut self, handle: usize) {
        self.recent = None;
        self.known.remove(&handle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_lookup_is_updated() {
        let mut handles = Handles::default();
        handles.set(0x4400_0000, 0);
        handles.set(7, 1);
        assert_eq!(
            [0x4400_0000, 7, 7].map(|h| handles.get(h)),
            [Some(0), Some(1), Some(1)]
        );
        handles.set(7, 2);
        assert_eq!(handles.get(7), Some(2));
        handles.forget(7);
        assert_eq!([7, 8].map(|h| handles.get(h)), [None, None]);
    }
}
