//! What the evaluation of an expression reads, of values and of array shapes.

use crate::ir::Expression;
use crate::ir::array_inquiries::inquiry;
use crate::ir::references;
use crate::memory::location_id::LocationId;
use crate::memory::locations::Locations;

/// The locations that the evaluation of an expression reads: values, and the existence of arrays in inquiries.
pub(crate) fn read_by(locations: &Locations, expression: &Expression) -> Vec<LocationId> {
    let mut read: Vec<LocationId> = Vec::new();
    for named in references::values(expression) {
        if let Some(place) = locations.at(named) {
            read.extend(locations.innermost(place));
        }
    }
    references::walk(expression, &mut |part| {
        if let Some(inquiry) = inquiry(part)
            && let Some(array) = references::designated(inquiry.array)
            && let Some(place) = locations.at(array)
        {
            read.push(locations.existence(place));
        }
    });
    read
}
