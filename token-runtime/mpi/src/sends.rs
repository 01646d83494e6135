//! Sends in all modes.

use crate::arguments::{Buffer, Count, Int, Out};
use crate::completion::request_handle;
use crate::datatypes::data_location::DataLocation;
use crate::failure::{Failure, Outcome};
use crate::process::Process;
use crate::requests::{Request, Start};
use crate::transfers::{self, Direction, Transfer};
use base_data::ids::RequestId;
use base_data::program_data::{Call, SendMode};
use token_runtime::mpich::status::Envelope;

type Data = (Buffer, Count, Int);
type Partner = (Int, Int, Int);

macro_rules! modes {
    ($($mode:ident $blocking:ident $starting:ident $persistent:ident;)+) => {$(
        pub fn $blocking(
            process: &mut Process,
            buf: Buffer,
            count: Count,
            datatype: Int,
            dest: Int,
            tag: Int,
            comm: Int,
        ) -> Outcome {
            block(process, SendMode::$mode, (buf, count, datatype), (dest, tag, comm))
        }

        #[allow(clippy::too_many_arguments)]
        pub fn $starting(
            process: &mut Process,
            buf: Buffer,
            count: Count,
            datatype: Int,
            dest: Int,
            tag: Int,
            comm: Int,
            request: Out,
        ) -> Outcome {
            start(process, SendMode::$mode, (buf, count, datatype), (dest, tag, comm), request)
        }

        #[allow(clippy::too_many_arguments)]
        pub fn $persistent(
            process: &mut Process,
            buf: Buffer,
            count: Count,
            datatype: Int,
            dest: Int,
            tag: Int,
            comm: Int,
            request: Out,
        ) -> Outcome {
            make(process, SendMode::$mode, (buf, count, datatype), (dest, tag, comm), request)
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
    let words = transfers::words((data.1, data.2), partner);
    // A buffered send needs a buffer, too.
    let words = (mode != SendMode::Buffered).then_some(words);
    process.execute_cached(words, |process| block_now(process, mode, data, partner))
}

fn block_now(
    process: &mut Process,
    mode: SendMode,
    (buf, count, datatype): Data,
    partner: Partner,
) -> Outcome {
    let transfer = transfers::checked(process, Direction::Out, (count, datatype), partner)?;
    process.record(|stream| Call::Send {
        mode,
        transfer: transfer.recorded(Direction::Out, stream),
        request: None,
    });
    let sent = process.deliver(mode, &transfer, &DataLocation::of(buf)?)?;
    process.wait_now(sent).map(|_| ())
}

fn start(
    process: &mut Process,
    mode: SendMode,
    data: Data,
    partner: Partner,
    request: Out,
) -> Outcome {
    let key = process
        .start_key((data.1, data.2), partner)
        .filter(|_| mode != SendMode::Buffered);
    let Some(key) = key else {
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
    (buf, count, datatype): Data,
    partner: Partner,
    request: Out,
) -> Outcome {
    let transfer = transfers::checked(process, Direction::Out, (count, datatype), partner)?;
    let sent = process.deliver(mode, &transfer, &DataLocation::of(buf)?)?;
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
    (buf, count, datatype): Data,
    partner: Partner,
    request: Out,
) -> Outcome {
    let transfer = transfers::checked(process, Direction::Out, (count, datatype), partner)?;
    let sends = Sends {
        mode,
        transfer: transfer.clone(),
        place: DataLocation::of(buf)?,
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
