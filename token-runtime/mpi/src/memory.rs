//! Memory and addresses: `MPI_Alloc_mem`, `MPI_Get_address` and the like.

use crate::arguments::{Aint, Buffer, Int, OutAint, OutOldAint};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::Process;
use token_runtime::mpich::{IN_PLACE, class};

pub fn allocate(process: &mut Process, size: Aint, info: Int, baseptr: OutAint) -> Outcome {
    process.info(info.0)?;
    let Ok(bytes) = usize::try_from(size.0) else {
        return wrong(
            class::ARG,
            format!("the size is {}; it must not be negative", size.0),
        );
    };
    // SAFETY: any size may be asked for.
    let place = unsafe { libc::malloc(bytes.max(1)) };
    if place.is_null() {
        return wrong(
            class::NO_MEM,
            format!("there is no memory for {bytes} bytes"),
        );
    }
    baseptr.set(place as i64);
    Ok(())
}

pub fn free(_: &mut Process, base: Buffer) -> Outcome {
    // SAFETY: the program passes what `allocate` gave it.
    unsafe { libc::free(address_of(base) as *mut libc::c_void) };
    Ok(())
}

fn address_of(location: Buffer) -> i64 {
    match location {
        Buffer::At(address) => address as i64,
        Buffer::Section(section) => section.start as i64,
        Buffer::InPlace => IN_PLACE as i64,
    }
}

pub fn address(process: &mut Process, location: Buffer, address: OutAint) -> Outcome {
    let queried = address_of(location);
    process.datatypes.record_queried_address(queried);
    address.set(queried);
    Ok(())
}

/// The form that MPI 2 replaced.
pub fn old_address(
    process: &mut Process,
    location: Buffer,
    address: OutOldAint,
) -> Result<(), Failure> {
    let queried = address_of(location);
    process.datatypes.record_queried_address(queried);
    address.set(queried);
    Ok(())
}
