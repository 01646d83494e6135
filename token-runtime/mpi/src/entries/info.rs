//! Info objects.

use crate::arguments::{Int, Out, TextIn, TextOut};
use crate::entries::entries;
use crate::info;

entries! {
    always Info_create = info::create: (info: Out);
    always Info_set = info::set: (info: Int, key: TextIn, value: TextIn);
    always Info_delete = info::delete: (info: Int, key: TextIn);
    always Info_get = info::get: (info: Int, key: TextIn, valuelen: Int, value: TextOut, flag: Out);
    always Info_get_string = info::get_string: (info: Int, key: TextIn, buflen: Out, value: TextOut, flag: Out);
    always Info_get_valuelen = info::value_length: (info: Int, key: TextIn, valuelen: Out, flag: Out);
    always Info_get_nkeys = info::count_keys: (info: Int, nkeys: Out);
    always Info_get_nthkey = info::key_by_number: (info: Int, n: Int, key: TextOut);
    always Get_hw_resource_info = info::hardware: (hw_info: Out);
    always Info_dup = info::duplicate: (info: Int, newinfo: Out);
    always Info_free = info::free: (info: Out);
}
