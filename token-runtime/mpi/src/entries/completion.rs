//! Completing requests, and what statuses say.

use crate::arguments::{Int, Out, Status};
use crate::entries::entries;
use crate::{completion, local};

entries! {
    every Wait = completion::wait: (request: Out, status: Status);
    every Waitall = completion::wait_all: (count: Int, array_of_requests: Out, array_of_statuses: Status);
    every Get_count = local::get_count: (status: Status, datatype: Int, count: Out);
}
