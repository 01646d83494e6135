//! Attributes of communicators and datatypes: values that a program keeps under a key of its own, with
//! functions that are called when the object is copied or freed.
//!
//! Keys and the functions of the program are in `keyvals`, the attributes that MPI has set in
//! `predefined`; what C and Fortran see of each other's values is here.

mod callbacks;
pub mod functions;
mod keyvals;
mod predefined;

pub use keyvals::{Keyval, ObjectKind};
pub use predefined::Predefined;

use crate::arguments::Language;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use std::rc::Rc;
use token_runtime::mpich::class;

/// A value: C keeps a pointer; what Fortran keeps is a number, which C sees by its address.
#[derive(Clone, Debug)]
pub enum Value {
    Pointer(i64),
    Number(Box<i64>),
}

impl Value {
    /// A value that a program of this language has passed.
    pub fn of(word: i64, language: Language) -> Self {
        match language {
            Language::C => Self::Pointer(word),
            Language::Fortran => Self::Number(Box::new(word)),
        }
    }

    /// What a program of this language gets.
    pub fn seen_by(&self, language: Language) -> i64 {
        match (self, language) {
            (Self::Pointer(word), _) => *word,
            (Self::Number(number), Language::Fortran) => **number,
            (Self::Number(number), Language::C) => std::ptr::from_ref::<i64>(number) as i64,
        }
    }
}

/// One attribute.
#[derive(Clone)]
pub struct Attribute {
    /// Handle of its key, which may have been freed.
    key: i32,
    keyval: Rc<Keyval>,
    value: Value,
}

/// The attributes of an object, in the order in which they were set.
pub type Attributes = Vec<Attribute>;

/// An object that has attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// By index.
    Communicator(usize),
    /// By handle.
    Datatype(i32),
}

impl Object {
    fn kind(self) -> ObjectKind {
        match self {
            Self::Communicator(_) => ObjectKind::Communicator,
            Self::Datatype(_) => ObjectKind::Datatype,
        }
    }
}

impl Process {
    fn attributes(&mut self, object: Object) -> &mut Attributes {
        match object {
            Object::Communicator(index) => &mut self.properties[index].attributes,
            Object::Datatype(handle) => self.tables.type_attributes.entry(handle).or_default(),
        }
    }

    fn object_handle(&self, object: Object) -> i32 {
        match object {
            Object::Communicator(index) => self.communicator_handle(index),
            Object::Datatype(handle) => handle,
        }
    }

    /// A key. One that was freed is known as long as an object has an attribute of it.
    fn keyval(&self, key: i32, kind: ObjectKind) -> Result<Rc<Keyval>, Failure> {
        let of_communicators = self
            .properties
            .iter()
            .map(|properties| &properties.attributes);
        let mut in_use = of_communicators
            .chain(self.tables.type_attributes.values())
            .flatten();
        let freed = || {
            in_use
                .find(|attribute| attribute.key == key)
                .map(|attribute| &attribute.keyval)
        };
        match self.tables.keyvals.get(key).or_else(freed) {
            Some(keyval) if keyval.kind == kind => Ok(keyval.clone()),
            Some(_) => wrong(
                class::KEYVAL,
                format!("the key {key:#x} was made for objects of another kind"),
            ),
            None => wrong(class::KEYVAL, format!("{key:#x} is no key of this rank")),
        }
    }

    fn set_attribute(&mut self, object: Object, key: i32, value: Value) -> Outcome {
        let keyval = self.keyval(key, object.kind())?;
        if self
            .attributes(object)
            .iter()
            .any(|attribute| attribute.key == key)
        {
            self.delete_attribute(object, key)?;
        }
        self.attributes(object)
            .push(Attribute { key, keyval, value });
        Ok(())
    }

    fn attribute(&mut self, object: Object, key: i32, language: Language) -> Option<i64> {
        let found = self
            .attributes(object)
            .iter()
            .find(|attribute| attribute.key == key)?;
        Some(found.value.seen_by(language))
    }

    /// Deletes an attribute, unless the program's function says that this fails.
    fn delete_attribute(&mut self, object: Object, key: i32) -> Outcome {
        let Some(attribute) = self
            .attributes(object)
            .iter()
            .find(|attribute| attribute.key == key)
            .cloned()
        else {
            return Ok(());
        };
        let handle = self.object_handle(object);
        callbacks::deleted(self, handle, &attribute)?;
        self.attributes(object)
            .retain(|attribute| attribute.key != key);
        Ok(())
    }

    /// The attributes that a copy of an object has, as the program's functions decide.
    pub fn copied_attributes(&mut self, object: Object) -> Result<Attributes, Failure> {
        let handle = self.object_handle(object);
        let mut copies = Attributes::new();
        for attribute in self.attributes(object).clone() {
            if let Some(value) = callbacks::copied(self, handle, &attribute)? {
                copies.push(Attribute { value, ..attribute });
            }
        }
        Ok(copies)
    }

    /// An object is about to be freed: deletes its attributes, last one first.
    pub fn drop_attributes(&mut self, object: Object) -> Outcome {
        while let Some(key) = self
            .attributes(object)
            .last()
            .map(|attribute| attribute.key)
        {
            self.delete_attribute(object, key)?;
        }
        if let Object::Datatype(handle) = object {
            self.tables.type_attributes.remove(&handle);
        }
        Ok(())
    }

    /// MPI is about to end: the attributes of `MPI_COMM_SELF` are deleted first, as the standard demands, then
    /// those of the world.
    pub fn drop_last_attributes(&mut self) {
        for index in [1, 0] {
            if let Err(failure) = self.drop_attributes(Object::Communicator(index)) {
                self.failed(failure);
            }
        }
    }

    /// The copy of a datatype gets the attributes of the original.
    pub fn copy_type_attributes(&mut self, old: i32, new: i32) -> Outcome {
        if self.tables.type_attributes.contains_key(&old) {
            let copies = self.copied_attributes(Object::Datatype(old))?;
            self.tables.type_attributes.insert(new, copies);
        }
        Ok(())
    }
}
