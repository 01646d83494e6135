//! Error handlers, codes and classes.

use crate::arguments::{Function, Int, Out, TextIn};
use crate::entries::entries;
use crate::errors;

entries! {
    every Comm_create_errhandler = errors::create_communicator_handler: (comm_errhandler_fn: Function, errhandler: Out);
    every Comm_set_errhandler = errors::set_handler: (comm: Int, errhandler: Int);
    every Comm_get_errhandler = errors::get_handler: (comm: Int, errhandler: Out);
    every Comm_call_errhandler = errors::call_handler: (comm: Int, errorcode: Int);
    old Errhandler_create = errors::create_communicator_handler: (comm_errhandler_fn: Function, errhandler: Out);
    old Errhandler_set = errors::set_handler: (comm: Int, errhandler: Int);
    old Errhandler_get = errors::get_handler: (comm: Int, errhandler: Out);
    always Session_create_errhandler = errors::create_handler:
        (session_errhandler_fn: Function, errhandler: Out);
    every Session_set_errhandler = errors::set_session_handler: (session: Int, errhandler: Int);
    every Session_get_errhandler = errors::get_session_handler: (session: Int, errhandler: Out);
    every Session_call_errhandler = errors::call_session_handler: (session: Int, errorcode: Int);
    always Errhandler_free = errors::free_handler: (errhandler: Out);
    always Error_class = errors::class_of: (errorcode: Int, errorclass: Out);
    always Add_error_class = errors::add_class: (errorclass: Out);
    always Add_error_code = errors::add_code: (errorclass: Int, errorcode: Out);
    always Add_error_string = errors::add_text: (errorcode: Int, string: TextIn);
    always Remove_error_class = errors::remove_class: (errorclass: Int);
    always Remove_error_code = errors::remove_code: (errorcode: Int);
    always Remove_error_string = errors::remove_text: (errorcode: Int);
}
