//! A rank's requests by number: the lowest free one is taken, so that equal iterations use equal
//! numbers.

/// What a request stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// A send: its data have been taken, it is complete.
    Send,
    /// A receive that is only recorded: complete, its buffer untouched.
    Recorded {
        /// The rank it asked for, as the program wrote it.
        source: i32,
        /// The tag it asked for.
        tag: i32,
    },
    /// A receive from `MPI_PROC_NULL`.
    Nothing,
    /// A posted receive.
    Receive {
        /// Its node in shared memory.
        node: u64,
        /// Address of the program's buffer; 0 if only the envelope is wanted.
        buffer: usize,
        /// Bytes the buffer takes.
        capacity: u64,
        /// Whether it takes a message from any source or with any tag.
        wildcard: bool,
    },
}

/// The table.
#[derive(Debug, Default)]
pub struct Requests {
    entries: Vec<Option<Request>>,
    lowest_free: usize,
}

impl Requests {
    /// Adds a request; gives its number.
    pub fn add(&mut self, request: Request) -> u32 {
        let number = self.lowest_free;
        if number == self.entries.len() {
            self.entries.push(None);
        }
        self.entries[number] = Some(request);
        let later = &self.entries[number + 1..];
        self.lowest_free = number + 1 + later.iter().position(Option::is_none).unwrap_or(later.len());
        number as u32
    }

    /// The request with this number.
    pub fn get(&self, number: u32) -> Option<Request> {
        self.entries.get(number as usize).copied().flatten()
    }

    /// Removes a request; its number is free again.
    pub fn remove(&mut self, number: u32) -> Option<Request> {
        let removed = self.entries.get_mut(number as usize)?.take();
        if removed.is_some() {
            self.lowest_free = self.lowest_free.min(number as usize);
        }
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_lowest_free_number() {
        let mut requests = Requests::default();
        assert_eq!([0; 3].map(|_| requests.add(Request::Send)), [0, 1, 2]);
        requests.remove(1);
        requests.remove(0);
        assert_eq!(requests.remove(0), None);
        assert_eq!([0; 3].map(|_| requests.add(Request::Nothing)), [0, 1, 3]);
        assert_eq!((requests.get(2), requests.get(9)), (Some(Request::Send), None));
    }
}
