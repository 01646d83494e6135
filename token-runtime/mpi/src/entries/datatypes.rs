//! Datatypes.

use crate::arguments::{Int, Out};
use crate::entries::entries;
use crate::local;

entries! {
    every Type_size = local::type_size: (datatype: Int, size: Out);
}
