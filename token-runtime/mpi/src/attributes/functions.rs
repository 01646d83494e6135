//! Bodies of the functions about attributes, for communicators and datatypes, in the forms of today and those that
//! MPI 2 replaced.

use super::keyvals::Form;
use super::{Keyval, Object, ObjectKind, Value, predefined};
use crate::arguments::{Function, Int, OldWord, Out, OutOldWord, OutWord, Word};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use std::rc::Rc;
use token_runtime::mpich::{KEYVAL_INVALID, class};

fn communicator(process: &Process, handle: Int) -> Result<Object, Failure> {
    process
        .communicator_index(handle.0)
        .map(Object::Communicator)
}

fn datatype(process: &Process, handle: Int) -> Result<Object, Failure> {
    process.any_datatype(handle.0)?;
    Ok(Object::Datatype(handle.0))
}

fn add_keyval(process: &mut Process, keyval: Keyval, place: Out) -> Outcome {
    place.set(process.tables.keyvals.add(Rc::new(keyval)));
    Ok(())
}

pub fn create_comm_keyval(
    process: &mut Process,
    copy: Function,
    delete: Function,
    keyval: Out,
    extra: Word,
) -> Outcome {
    let (kind, form) = (ObjectKind::Communicator, Form::of(extra.language));
    add_keyval(
        process,
        Keyval {
            kind,
            form,
            copy,
            delete,
            extra_state: extra.value,
        },
        keyval,
    )
}

pub fn create_type_keyval(
    process: &mut Process,
    copy: Function,
    delete: Function,
    keyval: Out,
    extra: Word,
) -> Outcome {
    let (kind, form) = (ObjectKind::Datatype, Form::of(extra.language));
    add_keyval(
        process,
        Keyval {
            kind,
            form,
            copy,
            delete,
            extra_state: extra.value,
        },
        keyval,
    )
}

pub fn create_old_keyval(
    process: &mut Process,
    copy: Function,
    delete: Function,
    keyval: Out,
    extra: OldWord,
) -> Outcome {
    let (kind, form) = (ObjectKind::Communicator, Form::old(extra.language));
    add_keyval(
        process,
        Keyval {
            kind,
            form,
            copy,
            delete,
            extra_state: extra.value,
        },
        keyval,
    )
}

fn free_keyval(process: &mut Process, place: Out, kind: ObjectKind) -> Outcome {
    let key = place.get();
    if predefined::is_predefined(key) {
        return wrong(
            class::KEYVAL,
            "the keys of MPI's own attributes cannot be freed",
        );
    }
    process.keyval(key, kind)?;
    process.tables.keyvals.remove(key);
    place.set(KEYVAL_INVALID);
    Ok(())
}

pub fn free_comm_keyval(process: &mut Process, keyval: Out) -> Outcome {
    free_keyval(process, keyval, ObjectKind::Communicator)
}

pub fn free_type_keyval(process: &mut Process, keyval: Out) -> Outcome {
    free_keyval(process, keyval, ObjectKind::Datatype)
}

fn changeable(key: Int) -> Outcome {
    if predefined::is_predefined(key.0) {
        return wrong(class::KEYVAL, "MPI's own attributes cannot be changed");
    }
    Ok(())
}

pub fn set_comm(process: &mut Process, comm: Int, keyval: Int, value: Word) -> Outcome {
    let object = communicator(process, comm)?;
    changeable(keyval)?;
    process.set_attribute(object, keyval.0, Value::of(value.value, value.language))
}

pub fn set_type(process: &mut Process, handle: Int, keyval: Int, value: Word) -> Outcome {
    let object = datatype(process, handle)?;
    process.set_attribute(object, keyval.0, Value::of(value.value, value.language))
}

pub fn set_old(process: &mut Process, comm: Int, keyval: Int, value: OldWord) -> Outcome {
    let object = communicator(process, comm)?;
    changeable(keyval)?;
    process.set_attribute(object, keyval.0, Value::of(value.value, value.language))
}

pub fn delete_comm(process: &mut Process, comm: Int, keyval: Int) -> Outcome {
    let object = communicator(process, comm)?;
    changeable(keyval)?;
    process.keyval(keyval.0, ObjectKind::Communicator)?;
    process.delete_attribute(object, keyval.0)
}

pub fn delete_type(process: &mut Process, handle: Int, keyval: Int) -> Outcome {
    let object = datatype(process, handle)?;
    process.keyval(keyval.0, ObjectKind::Datatype)?;
    process.delete_attribute(object, keyval.0)
}

pub fn get_comm(
    process: &mut Process,
    comm: Int,
    keyval: Int,
    value: OutWord,
    flag: Out,
) -> Outcome {
    let object = communicator(process, comm)?;
    let found = match predefined::value(process, keyval.0, value.language) {
        Some(found) => Some(found),
        None => look(process, object, keyval, value.language)?,
    };
    flag.set(found.is_some().into());
    found.into_iter().for_each(|found| value.set(found));
    Ok(())
}

pub fn get_old(
    process: &mut Process,
    comm: Int,
    keyval: Int,
    value: OutOldWord,
    flag: Out,
) -> Outcome {
    let object = communicator(process, comm)?;
    let found = match predefined::value(process, keyval.0, value.language) {
        Some(found) => Some(found),
        None => look(process, object, keyval, value.language)?,
    };
    flag.set(found.is_some().into());
    found.into_iter().for_each(|found| value.set(found));
    Ok(())
}

pub fn get_type(
    process: &mut Process,
    handle: Int,
    keyval: Int,
    value: OutWord,
    flag: Out,
) -> Outcome {
    let object = datatype(process, handle)?;
    let found = look(process, object, keyval, value.language)?;
    flag.set(found.is_some().into());
    found.into_iter().for_each(|found| value.set(found));
    Ok(())
}

fn look(
    process: &mut Process,
    object: Object,
    key: Int,
    language: crate::arguments::Language,
) -> Result<Option<i64>, Failure> {
    process.keyval(key.0, object.kind())?;
    Ok(process.attribute(object, key.0, language))
}
