//! A rank's requests by number: the lowest free one is taken, so that equal iterations use equal
//! numbers. The package `mpi` defines the requests.

/// The table.
#[derive(Debug)]
pub struct Requests<R> {
    entries: Vec<Option<R>>,
    lowest_free: usize,
    /// By number: when it was added or begun anew, counted in such events.
    begun: Vec<u64>,
    /// How many of those there were.
    events: u64,
}

impl<R> Default for Requests<R> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            lowest_free: 0,
            begun: Vec::new(),
            events: 0,
        }
    }
}

impl<R> Requests<R> {
    /// The number of the request that is added next.
    #[inline]
    pub fn next_number(&self) -> u32 {
        self.lowest_free as u32
    }

    /// Adds a request; gives its number.
    pub fn add(&mut self, request: R) -> u32 {
        let number = self.lowest_free;
        if number == self.entries.len() {
            self.entries.push(None);
            self.begun.push(0);
        }
        self.entries[number] = Some(request);
        self.begin(number as u32);
        let later = &self.entries[number + 1..];
        self.lowest_free = number
            + 1
            + later
                .iter()
                .position(Option::is_none)
                .unwrap_or(later.len());
        number as u32
    }

    /// The request with this number stands for something else from now on, as a persistent one does that is
    /// started again.
    pub fn begin(&mut self, number: u32) {
        self.events += 1;
        self.begun[number as usize] = self.events;
    }

    /// One number for all requests that `is_open` says are under way: it is the same as long as none of them
    /// is completed and none is begun.
    pub fn under_way(&self, is_open: impl Fn(&R) -> bool) -> u64 {
        let open = self.iter().filter(|(_, request)| is_open(request));
        open.fold(0, |all, (number, _)| {
            crate::intern::mix(all, self.begun[number as usize])
        })
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.iter().all(Option::is_none)
    }

    /// The request with this number.
    pub fn get(&self, number: u32) -> Option<&R> {
        self.entries.get(number as usize)?.as_ref()
    }

    /// The request with this number, to be changed.
    pub fn get_mut(&mut self, number: u32) -> Option<&mut R> {
        self.entries.get_mut(number as usize)?.as_mut()
    }

    /// Replaces the request with this number, or puts one back that was removed.
    pub fn put(&mut self, number: u32, request: R) {
        self.entries[number as usize] = Some(request);
        if self.lowest_free == number as usize {
            let later = &self.entries[self.lowest_free + 1..];
            self.lowest_free += 1 + later
                .iter()
                .position(Option::is_none)
                .unwrap_or(later.len());
        }
    }

    /// Removes a request; its number is free again.
    pub fn remove(&mut self, number: u32) -> Option<R> {
        let removed = self.entries.get_mut(number as usize)?.take();
        if removed.is_some() {
            self.lowest_free = self.lowest_free.min(number as usize);
        }
        removed
    }

    /// All requests with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &R)> {
        (0..)
            .zip(&self.entries)
            .filter_map(|(number, entry)| Some((number, entry.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_set_hash_changes_with_any_request() {
        let mut requests = Requests::default();
        let seen = |requests: &Requests<char>| requests.under_way(|&request| request != '-');
        let none = seen(&requests);
        let first = requests.add('a');
        let one = seen(&requests);
        assert_ne!(one, none);
        let second = requests.add('b');
        assert_ne!(seen(&requests), one);
        requests.remove(second);
        requests.add('-');
        assert_eq!(
            seen(&requests),
            one,
            "the second was completed, and the added one is not open"
        );
        requests.begin(first);
        assert_ne!(seen(&requests), one, "the same number, but begun anew");
        requests.remove(first);
        assert_eq!(seen(&requests), none);
    }

    #[test]
    fn takes_the_lowest_free_number() {
        let mut requests = Requests::default();
        assert_eq!(
            ['a', 'b', 'c'].map(|request| requests.add(request)),
            [0, 1, 2]
        );
        requests.remove(1);
        requests.remove(0);
        assert_eq!(requests.remove(0), None);
        assert!(!requests.is_empty() && Requests::<char>::default().is_empty());
        assert_eq!(
            ['d', 'e', 'f'].map(|request| requests.add(request)),
            [0, 1, 3]
        );
        assert_eq!((requests.get(2), requests.get(9)), (Some(&'c'), None));
        assert_eq!(
            requests
                .iter()
                .map(|(number, _)| number)
                .collect::<Vec<_>>(),
            [0, 1, 2, 3]
        );
    }
}
