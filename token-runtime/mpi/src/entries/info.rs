//! Info objects.

use crate::arguments::{Int, Out, TextIn, TextOut};
use crate::entries::entries;
use crate::info;

entries! {
    every Info_create = info::create: (info: Out);
    every Info_set = info::set: (info: Int, key: TextIn, value: TextIn);
    every Info_delete = info::delete: (info: Int, key: TextIn);
    every Info_get = info::get: (info: Int, key: TextIn, valuelen: Int, value: TextOut, flag: Out);
    every Info_get_string = info::get_string: (info: Int, key: TextIn, buflen: Out, value: TextOut, flag: Out);
    every Info_get_valuelen = info::value_length: (info: Int, key: TextIn, valuelen: Out, flag: Out);
    every Info_get_nkeys = info::count_keys: (info: Int, nkeys: Out);
    every Info_get_nthkey = info::key_by_number: (info: Int, n: Int, key: TextOut);
    every Info_dup = info::duplicate: (info: Int, newinfo: Out);
    every Info_free = info::free: (info: Out);
}
