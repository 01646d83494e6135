//! Attributes.

use crate::arguments::{Function, Int, OldWord, Out, OutOldWord, OutWord, Word};
use crate::attributes::bodies;
use crate::entries::entries;

entries! {
    every Comm_create_keyval = bodies::create_comm_keyval: (
        comm_copy_attr_fn: Function, comm_delete_attr_fn: Function, comm_keyval: Out, extra_state: Word
    );
    every Comm_free_keyval = bodies::free_comm_keyval: (comm_keyval: Out);
    every Comm_set_attr = bodies::set_comm: (comm: Int, comm_keyval: Int, attribute_val: Word);
    every Comm_get_attr = bodies::get_comm: (comm: Int, comm_keyval: Int, attribute_val: OutWord, flag: Out);
    every Comm_delete_attr = bodies::delete_comm: (comm: Int, comm_keyval: Int);
    old Keyval_create = bodies::create_old_keyval:
        (copy_fn: Function, delete_fn: Function, keyval: Out, extra_state: OldWord);
    old Keyval_free = bodies::free_comm_keyval: (keyval: Out);
    old Attr_put = bodies::set_old: (comm: Int, keyval: Int, attribute_val: OldWord);
    old Attr_get = bodies::get_old: (comm: Int, keyval: Int, attribute_val: OutOldWord, flag: Out);
    old Attr_delete = bodies::delete_comm: (comm: Int, keyval: Int);
    every Type_create_keyval = bodies::create_type_keyval: (
        type_copy_attr_fn: Function, type_delete_attr_fn: Function, type_keyval: Out, extra_state: Word
    );
    every Type_free_keyval = bodies::free_type_keyval: (type_keyval: Out);
    every Type_set_attr = bodies::set_type: (datatype: Int, type_keyval: Int, attribute_val: Word);
    every Type_get_attr = bodies::get_type: (datatype: Int, type_keyval: Int, attribute_val: OutWord, flag: Out);
    every Type_delete_attr = bodies::delete_type: (datatype: Int, type_keyval: Int);
}
