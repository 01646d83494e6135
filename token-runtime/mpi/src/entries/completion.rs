//! Completing requests, and what statuses say.

use crate::arguments::{Aint, Count, Flag, Function, Int, Out, OutAint, OutCount, OutIndex, Status, Word};
use crate::entries::entries;
use crate::{completion, generalized, managing, statuses};

entries! {
    every Wait = completion::wait: (request: Out, status: Status);
    every Waitall = completion::wait_all: (count: Int, array_of_requests: Out, array_of_statuses: Status);
    every Waitany = completion::wait_any: (
        count: Int, array_of_requests: Out, index: OutIndex, status: Status
    );
    every Waitsome = completion::wait_some: (
        incount: Int, array_of_requests: Out, outcount: Out, array_of_indices: OutIndex, array_of_statuses: Status
    );
    every Test = completion::test: (request: Out, flag: Out, status: Status);
    every Testall = completion::test_all: (
        count: Int, array_of_requests: Out, flag: Out, array_of_statuses: Status
    );
    every Testany = completion::test_any: (
        count: Int, array_of_requests: Out, index: OutIndex, flag: Out, status: Status
    );
    every Testsome = completion::test_some: (
        incount: Int, array_of_requests: Out, outcount: Out, array_of_indices: OutIndex, array_of_statuses: Status
    );
    every Request_get_status = managing::status_of_request: (request: Int, flag: Out, status: Status);
    every Request_free = managing::free: (request: Out);
    every Cancel = managing::cancel: (request: Out);
    every Test_cancelled = managing::is_cancelled: (status: Status, flag: Out);
    every Start = managing::start: (request: Out);
    every Startall = managing::start_all: (count: Int, array_of_requests: Out);

    every Grequest_start = generalized::start: (
        query_fn: Function, free_fn: Function, cancel_fn: Function, extra_state: Word, request: Out
    );
    every Grequest_complete = generalized::complete: (request: Int);

    every_large Get_count = statuses::count: (status: Status, datatype: Int, count: OutCount);
    every_large Get_elements = statuses::elements: (status: Status, datatype: Int, count: OutCount);
    every Get_elements_x = statuses::elements_x: (status: Status, datatype: Int, count: OutAint);
    every Status_set_elements = statuses::set_elements: (status: Status, datatype: Int, count: Count);
    every Status_set_elements_x = statuses::set_elements_x: (status: Status, datatype: Int, count: Aint);
    every Status_set_cancelled = managing::set_cancelled: (status: Status, flag: Flag);
}
