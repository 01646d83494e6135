//! Attributes.

use crate::arguments::{Function, Int, OldWord, Out, OutOldWord, OutWord, Word};
use crate::attributes::functions;
use crate::entries::entries;

entries! {
    every Comm_create_keyval = functions::create_comm_keyval: (
        comm_copy_attr_fn: Function, comm_delete_attr_fn: Function, comm_keyval: Out, extra_state: Word
    );
    every Comm_free_keyval = functions::free_comm_keyval: (comm_keyval: Out);
    every Comm_set_attr = functions::set_comm: (comm: Int, comm_keyval: Int, attribute_val: Word);
    every Comm_get_attr = functions::get_comm: (comm: Int, comm_keyval: Int, attribute_val: OutWord, flag: Out);
    every Comm_delete_attr = functions::delete_comm: (comm: Int, comm_keyval: Int);
    old Keyval_create = functions::create_old_keyval:
        (copy_fn: Function, delete_fn: Function, keyval: Out, extra_state: OldWord);
    old Keyval_free = functions::free_comm_keyval: (keyval: Out);
    old Attr_put = functions::set_old: (comm: Int, keyval: Int, attribute_val: OldWord);
    old Attr_get = functions::get_old: (comm: Int, keyval: Int, attribute_val: OutOldWord, flag: Out);
    old Attr_delete = functions::delete_comm: (comm: Int, keyval: Int);
    every Type_create_keyval = functions::create_type_keyval: (
        type_copy_attr_fn: Function, type_delete_attr_fn: Function, type_keyval: Out, extra_state: Word
    );
    every Type_free_keyval = functions::free_type_keyval: (type_keyval: Out);
    every Type_set_attr = functions::set_type: (datatype: Int, type_keyval: Int, attribute_val: Word);
    every Type_get_attr = functions::get_type: (datatype: Int, type_keyval: Int, attribute_val: OutWord, flag: Out);
    every Type_delete_attr = functions::delete_type: (datatype: Int, type_keyval: Int);
}
