//! Statuses: queries of the received count, and setting it.

use crate::arguments::{Aint, Count, Int, Out, OutAint, OutCount, Status};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Process};
use crate::solo::needs_other_ranks;
use token_runtime::datatypes::Datatype;
use token_runtime::mpich::status::{Envelope, MOST_BYTES, word};
use token_runtime::mpich::{UNDEFINED, class};

/// Received bytes in a status. A replayed message of unknown length is an error: the program's further
/// behaviour depends on the length.
fn received(status: Status) -> Result<u64, Failure> {
    let envelope = status.envelope();
    if envelope.is_assumed {
        Err(needs_other_ranks())
    } else {
        Ok(envelope.bytes)
    }
}

pub fn count(process: &mut Process, status: Status, datatype: Int, count: OutCount) -> Outcome {
    let (size, bytes) = (
        process.any_datatype(datatype.0)?.data.size(),
        received(status)?,
    );
    count.set(match size {
        0 if bytes == 0 => 0,
        size if size > 0 && bytes % size == 0 => (bytes / size) as i64,
        _ => i64::from(UNDEFINED),
    });
    Ok(())
}

/// Number of basic elements in so many bytes; `MPI_UNDEFINED` if they end within one.
fn elements_in(datatype: &Datatype, bytes: u64) -> i64 {
    let size = datatype.size();
    if size == 0 {
        return if bytes == 0 { 0 } else { i64::from(UNDEFINED) };
    }
    let (whole, rest) = (bytes / size, bytes % size);
    match datatype.layout.elements_in(rest) {
        (more, 0) => (whole * datatype.layout.elements + more) as i64,
        (_, _) => i64::from(UNDEFINED),
    }
}

pub fn elements(process: &mut Process, status: Status, datatype: Int, count: OutCount) -> Outcome {
    count.set(elements_in(
        &process.any_datatype(datatype.0)?.data,
        received(status)?,
    ));
    Ok(())
}

pub fn elements_x(process: &mut Process, status: Status, datatype: Int, count: OutAint) -> Outcome {
    count.set(elements_in(
        &process.any_datatype(datatype.0)?.data,
        received(status)?,
    ));
    Ok(())
}

fn set(process: &Process, status: Status, datatype: Int, count: i64) -> Result<(), Failure> {
    let elements = process::count(count)?;
    let bytes = process
        .any_datatype(datatype.0)?
        .data
        .bytes_of_elements(elements);
    let Some(bytes) = bytes.filter(|&bytes| bytes <= MOST_BYTES) else {
        return wrong(
            class::COUNT,
            format!("{count} elements are more bytes than a status can say"),
        );
    };
    status.set(Envelope {
        bytes,
        ..status.envelope()
    });
    Ok(())
}

pub fn set_elements(process: &mut Process, status: Status, datatype: Int, count: Count) -> Outcome {
    set(process, status, datatype, count.0)
}

pub fn set_elements_x(
    process: &mut Process,
    status: Status,
    datatype: Int,
    count: Aint,
) -> Outcome {
    set(process, status, datatype, count.0)
}

pub fn source(_: &mut Process, status: Status, source: Out) -> Outcome {
    source.set(status.words()[word::SOURCE]);
    Ok(())
}

pub fn tag(_: &mut Process, status: Status, tag: Out) -> Outcome {
    tag.set(status.words()[word::TAG]);
    Ok(())
}

pub fn error(_: &mut Process, status: Status, error: Out) -> Outcome {
    error.set(status.words()[word::ERROR]);
    Ok(())
}

pub fn set_source(_: &mut Process, status: Status, source: Int) -> Outcome {
    status.set_word(0, word::SOURCE, source.0);
    Ok(())
}

pub fn set_tag(_: &mut Process, status: Status, tag: Int) -> Outcome {
    status.set_word(0, word::TAG, tag.0);
    Ok(())
}

pub fn set_error(_: &mut Process, status: Status, error: Int) -> Outcome {
    status.set_word(0, word::ERROR, error.0);
    Ok(())
}
