//! Sessions, and communicators of groups.

use crate::arguments::{Int, Out, TextIn, TextOut};
use crate::entries::entries;
use crate::sessions::{self, GroupLeader};

entries! {
    starting Session_init = sessions::open: (info: Int, errhandler: Int, session: Out);
    every Session_finalize = sessions::close: (session: Out);
    every Session_get_info = sessions::info: (session: Int, info_used: Out);
    every Session_get_num_psets = sessions::count_sets: (session: Int, info: Int, npset_names: Out);
    every Session_get_nth_pset = sessions::set_by_number:
        (session: Int, info: Int, n: Int, pset_len: Out, pset_name: TextOut);
    every Session_get_pset_info = sessions::info_of_set: (session: Int, pset_name: TextIn, info: Out);
    every Group_from_session_pset = sessions::group_of_set: (session: Int, pset_name: TextIn, newgroup: Out);
    every Comm_create_from_group = sessions::communicator_of_group:
        (group: Int, stringtag: TextIn, info: Int, errhandler: Int, newcomm: Out);
    every Intercomm_create_from_groups = sessions::intercommunicator_of_groups: (
        local_group: Int, local_leader: Int, remote_group: Int, remote_leader: Int, stringtag: TextIn, info: Int,
        errhandler: Int, newintercomm: Out;
        GroupLeader { group: local_group, leader: local_leader },
        GroupLeader { group: remote_group, leader: remote_leader },
        stringtag, info, errhandler, newintercomm
    );
}
