//! A rank's requests by number: the lowest free one is taken, as the token runtime does, so that
//! equal iterations use equal numbers. A library may give several requests the same handle (those
//! that are complete from the start): the variable in which the program keeps
//! the handle distinguishes them, and if it was moved, their age.

/// What is kept of a request that was made and not freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Active {
    /// The handle the library gave.
    pub handle: usize,
    /// Address of the variable it was written to.
    pub variable: usize,
    /// Whether it receives from any source or with any tag.
    pub wildcard: bool,
    /// Whether it is persistent, and then whether it has been started.
    pub persistent: Option<bool>,
}

impl Active {
    /// Whether a call that completes requests waits for this one.
    fn is_pending(&self) -> bool {
        self.persistent != Some(false)
    }
}

/// The table.
#[derive(Debug, Default)]
pub struct Requests {
    /// With the number of requests made before each.
    entries: Vec<Option<(u64, Active)>>,
    lowest_free: usize,
    made: u64,
    /// One after the request that was found last: the next one of an array is likely there.
    next: usize,
}

impl Requests {
    /// The number of the request that is made next.
    #[inline]
    pub fn next_number(&self) -> u32 {
        self.lowest_free as u32
    }

    /// Adds a request; gives its number.
    pub fn add(&mut self, request: Active) -> u32 {
        let number = self.lowest_free;
        if number == self.entries.len() {
            self.entries.push(None);
        }
        self.entries[number] = Some((self.made, request));
        self.made += 1;
        let later = &self.entries[number + 1..];
        self.lowest_free = number
            + 1
            + later
                .iter()
                .position(Option::is_none)
                .unwrap_or(later.len());
        number as u32
    }

    /// The number of the request whose handle stands in this variable and that is none of `taken`.
    pub fn find(&mut self, variable: usize, handle: usize, taken: &[u32]) -> Option<u32> {
        let same =
            |(_, request): &(u64, Active)| request.handle == handle && request.variable == variable;
        let number = match self.search(same) {
            Some(number) if !taken.contains(&number) => Some(number),
            Some(_) | None => self.oldest(handle, taken),
        }?;
        self.next = number as usize + 1;
        Some(number)
    }

    fn search(&self, wanted: impl Fn(&(u64, Active)) -> bool) -> Option<u32> {
        let is_wanted = |entry: &Option<(u64, Active)>| entry.as_ref().is_some_and(&wanted);
        let (before, after) = self.entries.split_at(self.next.min(self.entries.len()));
        let found = after
            .iter()
            .position(is_wanted)
            .map(|place| before.len() + place);
        found
            .or_else(|| before.iter().position(is_wanted))
            .map(|number| number as u32)
    }

    fn oldest(&self, handle: usize, taken: &[u32]) -> Option<u32> {
        let entries = self
            .entries
            .iter()
            .zip(0u32..)
            .filter_map(|(entry, number)| Some((entry.as_ref()?, number)));
        let free = entries
            .filter(|((_, request), number)| request.handle == handle && !taken.contains(number));
        free.min_by_key(|((made, _), _)| *made)
            .map(|(_, number)| number)
    }

    /// The request with this number.
    pub fn get(&self, number: u32) -> Option<Active> {
        self.entries
            .get(number as usize)
            .copied()
            .flatten()
            .map(|(_, request)| request)
    }

    /// Whether a call that completes requests waits for this one.
    pub fn is_pending(&self, number: u32) -> bool {
        self.get(number).is_some_and(|request| request.is_pending())
    }

    /// A persistent request is started.
    pub fn start(&mut self, number: u32) {
        self.set_started(number, true);
    }

    /// A request is complete: its number is free again, unless it is persistent.
    pub fn complete(&mut self, number: u32) {
        match self.get(number).and_then(|request| request.persistent) {
            Some(_) => self.set_started(number, false),
            None => self.free(number),
        }
    }

    fn set_started(&mut self, number: u32, started: bool) {
        if let Some(Some((_, request))) = self.entries.get_mut(number as usize) {
            request.persistent = Some(started);
        }
    }

    /// A request is gone.
    pub fn free(&mut self, number: u32) {
        if self
            .entries
            .get_mut(number as usize)
            .and_then(Option::take)
            .is_some()
        {
            self.lowest_free = self.lowest_free.min(number as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(handle: usize, variable: usize) -> Active {
        Active {
            handle,
            variable,
            wildcard: false,
            persistent: None,
        }
    }

    #[test]
    fn equal_handles_are_distinguished_by_variable_then_age() {
        let mut requests = Requests::default();
        assert_eq!(
            [10, 20, 30].map(|variable| requests.add(request(7, variable))),
            [0, 1, 2]
        );
        assert_eq!(requests.find(20, 7, &[]), Some(1));
        requests.complete(0);
        assert_eq!(requests.add(request(7, 40)), 0);
        assert_eq!(requests.find(99, 7, &[]), Some(1));
        assert_eq!(requests.find(99, 7, &[1]), Some(2));
        assert_eq!(requests.find(99, 7, &[1, 2]), Some(0));
        assert_eq!(requests.find(99, 8, &[]), None);
    }

    #[test]
    fn reused_variable_finds_the_new_request() {
        let mut requests = Requests::default();
        requests.add(request(7, 10));
        requests.add(request(7, 10));
        let first = requests.find(10, 7, &[]);
        assert_eq!(
            requests.find(10, 7, &[first.unwrap()]),
            Some(1 - first.unwrap())
        );
    }

    #[test]
    fn persistent_requests_keep_their_numbers() {
        let mut requests = Requests::default();
        let number = requests.add(Active {
            persistent: Some(false),
            ..request(7, 10)
        });
        assert!(!requests.is_pending(number));
        requests.start(number);
        assert!(requests.is_pending(number));
        requests.complete(number);
        assert!(!requests.is_pending(number) && requests.get(number).is_some());
        assert_eq!(requests.add(request(8, 11)), 1);
        requests.free(number);
        assert_eq!(requests.add(request(9, 12)), 0);
    }
}
