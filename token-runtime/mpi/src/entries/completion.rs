//! Completing requests, and what statuses say.

use crate::arguments::{
    Aint, Count, Flag, Function, Int, Out, OutAint, OutCount, OutIndex, Status, Word,
};
use crate::entries::entries;
use crate::{completion, generalized, request_lifecycle, request_status, statuses};

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
    every Request_get_status = request_status::of_one: (request: Int, flag: Out, status: Status);
    every Request_get_status_all = request_status::of_all: (
        count: Int, array_of_requests: Out, flag: Out, array_of_statuses: Status
    );
    every Request_get_status_any = request_status::of_any: (
        count: Int, array_of_requests: Out, index: OutIndex, flag: Out, status: Status
    );
    every Request_get_status_some = request_status::of_some: (
        incount: Int, array_of_requests: Out, outcount: Out, array_of_indices: OutIndex, array_of_statuses: Status
    );
    every Request_free = request_lifecycle::free: (request: Out);
    every Cancel = request_lifecycle::cancel: (request: Out);
    every Test_cancelled = request_lifecycle::is_cancelled: (status: Status, flag: Out);
    every Start = request_lifecycle::start: (request: Out);
    every Startall = request_lifecycle::start_all: (count: Int, array_of_requests: Out);

    every Grequest_start = generalized::start: (
        query_fn: Function, free_fn: Function, cancel_fn: Function, extra_state: Word, request: Out
    );
    every Grequest_complete = generalized::complete: (request: Int);

    every_large Get_count = statuses::count: (status: Status, datatype: Int, count: OutCount);
    every_large Get_elements = statuses::elements: (status: Status, datatype: Int, count: OutCount);
    every Get_elements_x = statuses::elements_x: (status: Status, datatype: Int, count: OutAint);
    every Status_set_elements = statuses::set_elements: (status: Status, datatype: Int, count: Count);
    every Status_set_elements_x = statuses::set_elements_x: (status: Status, datatype: Int, count: Aint);
    every Status_get_source = statuses::source: (status: Status, source: Out);
    every Status_get_tag = statuses::tag: (status: Status, tag: Out);
    every Status_get_error = statuses::error: (status: Status, err: Out);
    every Status_set_source = statuses::set_source: (status: Status, source: Int);
    every Status_set_tag = statuses::set_tag: (status: Status, tag: Int);
    every Status_set_error = statuses::set_error: (status: Status, err: Int);
    every Status_set_cancelled = request_lifecycle::set_cancelled: (status: Status, flag: Flag);
}
