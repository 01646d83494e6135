//! Error handlers, codes and classes.

use crate::arguments::Int;
use crate::communicators;
use crate::entries::entries;

entries! {
    every Comm_set_errhandler = communicators::set_errhandler: (comm: Int, errhandler: Int);
}
