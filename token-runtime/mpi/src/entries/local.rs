//! What is none of the other chapters'.

use crate::arguments::Int;
use crate::entries::entries;
use crate::local;

entries! {
    every Abort = local::abort: (comm: Int, errorcode: Int);
}
