//! Objects of the program by handle: groups, infos, error handlers, keys of attributes.

/// Objects whose handles count up from a first one. A handle is never used again, so that one that was
/// freed is never mistaken for another.
pub struct Handles<T> {
    first: i32,
    entries: Vec<Option<T>>,
}

impl<T> Handles<T> {
    /// None yet; the first will get this handle.
    pub fn starting_at(first: u32) -> Self {
        Self {
            first: first as i32,
            entries: Vec::new(),
        }
    }

    /// The handle of the next object that is added.
    pub fn next(&self) -> i32 {
        self.first.wrapping_add(self.entries.len() as i32)
    }

    /// Adds an object; gives its handle.
    pub fn add(&mut self, object: T) -> i32 {
        let handle = self.next();
        self.entries.push(Some(object));
        handle
    }

    fn index(&self, handle: i32) -> usize {
        handle.wrapping_sub(self.first) as u32 as usize
    }

    /// The object of a handle.
    pub fn get(&self, handle: i32) -> Option<&T> {
        self.entries.get(self.index(handle))?.as_ref()
    }

    /// The object of a handle, to be changed.
    pub fn get_mut(&mut self, handle: i32) -> Option<&mut T> {
        let index = self.index(handle);
        self.entries.get_mut(index)?.as_mut()
    }

    /// All objects.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().flatten()
    }

    /// Puts an object that is still in use back under the handle that it had.
    pub fn restore(&mut self, handle: i32, object: T) {
        let index = self.index(handle);
        if let Some(entry) = self.entries.get_mut(index) {
            *entry = Some(object);
        }
    }

    /// Takes the object of a handle out.
    pub fn remove(&mut self, handle: i32) -> Option<T> {
        let index = self.index(handle);
        self.entries.get_mut(index)?.take()
    }
}
