//! Sends in all modes.

use crate::arguments::{Data, Out, Partner};
use crate::completion::request_handle;
use crate::datatypes::data_location::DataLocation;
use crate::failure::{Failure, Outcome};
use crate::process::Process;
use crate::requests::{Request, Start};
use crate::transfers::{self, Direction, Transfer};
use base_data::ids::RequestId;
use base_data::program_data::{Call, SendMode};
use token_runtime::mpich::status::Envelope;

macro_rules! modes {
    ($($mode:ident $blocking:ident $starting:ident $persistent:ident;)+) => {$(
        pub fn $blocking(process: &mut Process, data: Data, partner: Partner) -> Outcome {
            block(process, SendMode::$mode, data, partner)
        }

        pub fn $starting(process: &mut Process, data: Data, partner: Partner, request: Out) -> Outcome {
            start(process, SendMode::$mode, data, partner, request)
        }

        pub fn $persistent(process: &mut Process, data: Data, partner: Partner, request: Out) -> Outcome {
            make(process, SendMode::$mode, data, partner, request)
        }
    )+};
}

modes! {
    Standard send start_send make_send;
    Synchronous synchronous_send start_synchronous_send make_synchronous_send;
    Ready ready_send start_ready_send make_ready_send;
    Buffered buffered_send start_buffered_send make_buffered_send;
}

fn block(process: &mut Process, mode: SendMode, data: Data, partner: Partner) -> Outcome {
    // A buffered send depends on the attached buffer, too, which no argument names.
    if mode == SendMode::Buffered {
        return block_now(process, mode, data, partner);
    }
    let words = transfers::words(data, partner);
    process.execute_cached(Some(words), |process| {
        block_now(process, mode, data, partner)
    })
}

fn block_now(process: &mut Process, mode: SendMode, data: Data, partner: Partner) -> Outcome {
    let transfer = transfers::checked(process, Direction::Out, data, partner)?;
    process.record(|stream| Call::Send {
        mode,
        transfer: transfer.recorded(Direction::Out, stream),
        request: None,
    });
    let sent = process.deliver(mode, &transfer, &DataLocation::of(data.buffer)?)?;
    process.wait_now(sent).map(|_| ())
}

fn start(
    process: &mut Process,
    mode: SendMode,
    data: Data,
    partner: Partner,
    request: Out,
) -> Outcome {
    if mode == SendMode::Buffered {
        return start_now(process, mode, data, partner, request);
    }
    let Some(key) = process.start_key(data, partner) else {
        return start_now(process, mode, data, partner, request);
    };
    if !process.record_cached(&key) {
        return process.cached(&key, |process| {
            start_now(process, mode, data, partner, request)
        });
    }
    request.set(request_handle(
        process.requests.add(Request::Done(Envelope::EMPTY)),
    ));
    Ok(())
}

fn start_now(
    process: &mut Process,
    mode: SendMode,
    data: Data,
    partner: Partner,
    request: Out,
) -> Outcome {
    let transfer = transfers::checked(process, Direction::Out, data, partner)?;
    let sent = process.deliver(mode, &transfer, &DataLocation::of(data.buffer)?)?;
    let number = process.requests.add(sent);
    process.record(|stream| Call::Send {
        mode,
        transfer: transfer.recorded(Direction::Out, stream),
        request: Some(RequestId(number)),
    });
    request.set(request_handle(number));
    Ok(())
}

/// What a persistent send does.
struct Sends {
    mode: SendMode,
    transfer: Transfer,
    place: DataLocation,
}

impl Start for Sends {
    fn start(&self, process: &mut Process) -> Result<Request, Failure> {
        process.deliver(self.mode, &self.transfer, &self.place)
    }
}

fn make(
    process: &mut Process,
    mode: SendMode,
    data: Data,
    partner: Partner,
    request: Out,
) -> Outcome {
    let transfer = transfers::checked(process, Direction::Out, data, partner)?;
    let sends = Sends {
        mode,
        transfer: transfer.clone(),
        place: DataLocation::of(data.buffer)?,
    };
    let number = process
        .requests
        .add(Request::Persistent(Box::new(sends), None));
    process.record(|stream| Call::MakePersistent {
        send: Some(mode),
        transfer: transfer.recorded(Direction::Out, stream),
        request: RequestId(number),
    });
    request.set(request_handle(number));
    Ok(())
}
