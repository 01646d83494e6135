//! Buffers for buffered sends: of the process, and, since MPI 4.1, of a communicator or a session. Buffered sends
//! take their data into the shared memory as all others do; the buffer only says how much they may take.
//! Nothing is ever left in a buffer, so flushing one is complete at once.

use crate::arguments::{Buffer, Count, Int, Language, Out, OutCount, OutWord};
use crate::completion::request_handle;
use crate::failure::{Outcome, wrong};
use crate::process::{self, Process};
use crate::requests::Request;
use token_runtime::mpich::status::Envelope;
use token_runtime::mpich::{BUFFER_AUTOMATIC, class};

/// `MPI_BSEND_OVERHEAD` of the ABI.
const OVERHEAD: u64 = 96;

/// A buffer that the program has attached.
#[derive(Clone, Copy, Debug)]
pub struct Attached {
    address: usize,
    bytes: u64,
}

impl Attached {
    /// Whether the library is to take as much memory as it needs.
    fn is_automatic(self) -> bool {
        self.address == BUFFER_AUTOMATIC
    }
}

fn attach_to(slot: &mut Option<Attached>, buffer: Buffer, size: Count) -> Outcome {
    let bytes = process::count(size.0)?;
    if slot.is_some() {
        return wrong(class::BUFFER, "a buffer is attached already");
    }
    let address = match buffer {
        Buffer::At(address) => address as usize,
        Buffer::Section(section) => section.start as usize,
        Buffer::InPlace => return wrong(class::BUFFER, "MPI_IN_PLACE is not allowed here"),
    };
    *slot = Some(Attached { address, bytes });
    Ok(())
}

/// Gives C the address back; a Fortran program knows its variable.
fn detach_from(slot: &mut Option<Attached>, buffer: OutWord, size: OutCount) -> Outcome {
    let Some(attached) = slot.take() else {
        return wrong(class::BUFFER, "no buffer is attached");
    };
    if buffer.language == Language::C {
        buffer.set(attached.address as i64);
    }
    size.set(if attached.is_automatic() {
        0
    } else {
        attached.bytes as i64
    });
    Ok(())
}

pub fn attach(process: &mut Process, buffer: Buffer, size: Count) -> Outcome {
    attach_to(&mut process.attached, buffer, size)
}

pub fn detach(process: &mut Process, buffer: OutWord, size: OutCount) -> Outcome {
    detach_from(&mut process.attached, buffer, size)
}

pub fn flush(_: &mut Process) -> Outcome {
    Ok(())
}

pub fn start_flush(process: &mut Process, request: Out) -> Outcome {
    let number = process.requests.add(Request::Done(Envelope::EMPTY));
    // Recordings have no form for it, and need none: nothing is sent by it.
    process.make_composite(number, 0);
    request.set(request_handle(number));
    Ok(())
}

pub fn attach_to_communicator(
    process: &mut Process,
    comm: Int,
    buffer: Buffer,
    size: Count,
) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    attach_to(&mut process.properties[index].attached, buffer, size)
}

pub fn detach_from_communicator(
    process: &mut Process,
    comm: Int,
    buffer: OutWord,
    size: OutCount,
) -> Outcome {
    let index = process.communicator_index(comm.0)?;
    detach_from(&mut process.properties[index].attached, buffer, size)
}

pub fn flush_of_communicator(process: &mut Process, comm: Int) -> Outcome {
    process.communicator_index(comm.0)?;
    Ok(())
}

pub fn start_flush_of_communicator(process: &mut Process, comm: Int, request: Out) -> Outcome {
    process.communicator_index(comm.0)?;
    start_flush(process, request)
}

pub fn attach_to_session(
    process: &mut Process,
    session: Int,
    buffer: Buffer,
    size: Count,
) -> Outcome {
    attach_to(&mut process.session(session)?.attached, buffer, size)
}

pub fn detach_from_session(
    process: &mut Process,
    session: Int,
    buffer: OutWord,
    size: OutCount,
) -> Outcome {
    detach_from(&mut process.session(session)?.attached, buffer, size)
}

pub fn flush_of_session(process: &mut Process, session: Int) -> Outcome {
    process.session(session)?;
    Ok(())
}

pub fn start_flush_of_session(process: &mut Process, session: Int, request: Out) -> Outcome {
    process.session(session)?;
    start_flush(process, request)
}

impl Process {
    /// Whether a buffered send of so many bytes finds a buffer that takes them. Communicators do not know the
    /// session that they come from, so any session's will do where there is no other.
    pub fn check_attached(&self, communicator: usize, bytes: u64) -> Outcome {
        let of_session = || {
            self.tables
                .sessions
                .iter()
                .find_map(|session| session.attached)
        };
        let attached = self.properties[communicator]
            .attached
            .or_else(of_session)
            .or(self.attached);
        match attached {
            Some(attached) if attached.is_automatic() || bytes + OVERHEAD <= attached.bytes => {
                Ok(())
            }
            Some(Attached { bytes: size, .. }) => wrong(
                class::BUFFER,
                format!(
                    "the message has {bytes} bytes and needs {OVERHEAD} more, but the attached buffer has {size}"
                ),
            ),
            None => wrong(
                class::BUFFER,
                "no buffer is attached; call MPI_Buffer_attach first",
            ),
        }
    }
}
