//! Questions about datatypes: size, bounds, name.

use crate::arguments::{Int, Out, OutAint, OutCount, OutOldAint, TextIn, TextOut};
use crate::failure::Outcome;
use crate::process::Process;

pub fn size(process: &mut Process, datatype: Int, size: OutCount) -> Outcome {
    size.set(process.any_datatype(datatype.0)?.data.size() as i64);
    Ok(())
}

pub fn size_x(process: &mut Process, datatype: Int, size: OutAint) -> Outcome {
    size.set(process.any_datatype(datatype.0)?.data.size() as i64);
    Ok(())
}

pub fn extent(process: &mut Process, datatype: Int, lower: OutAint, extent: OutAint) -> Outcome {
    let data = &process.any_datatype(datatype.0)?.data;
    lower.set(data.lower());
    extent.set(data.extent());
    Ok(())
}

pub fn true_extent(
    process: &mut Process,
    datatype: Int,
    lower: OutAint,
    extent: OutAint,
) -> Outcome {
    let data = &process.any_datatype(datatype.0)?.data;
    lower.set(data.true_lower());
    extent.set(data.true_extent());
    Ok(())
}

pub fn old_extent(process: &mut Process, datatype: Int, extent: OutOldAint) -> Outcome {
    extent.set(process.any_datatype(datatype.0)?.data.extent());
    Ok(())
}

pub fn old_lower(process: &mut Process, datatype: Int, lower: OutOldAint) -> Outcome {
    lower.set(process.any_datatype(datatype.0)?.data.lower());
    Ok(())
}

pub fn old_upper(process: &mut Process, datatype: Int, upper: OutOldAint) -> Outcome {
    upper.set(process.any_datatype(datatype.0)?.data.upper());
    Ok(())
}

pub fn set_name(process: &mut Process, datatype: Int, name: TextIn) -> Outcome {
    process.datatypes.entry_mut(datatype.0)?.name = Some(name.text());
    Ok(())
}

pub fn name(process: &mut Process, datatype: Int, name: TextOut, length: Out) -> Outcome {
    /// The standard has two names for this one; MPICH gives the shorter one.
    const C_COMPLEX: &str = "MPI_C_FLOAT_COMPLEX";
    let entry = process.datatypes.entry(datatype.0)?;
    let standard = match entry.datatype.name() {
        C_COMPLEX => "MPI_C_COMPLEX",
        other => other,
    };
    name.set_with_length(entry.name.as_deref().unwrap_or(standard).as_bytes(), length);
    Ok(())
}
