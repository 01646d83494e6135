//! Groups, communicators and topologies.

use crate::arguments::{Flag, Int, Ints, Out, OutWeights, TextIn, TextOut, Weights};
use crate::communicators::{self, constructors, intercommunicators};
use crate::entries::entries;
use crate::groups;
use crate::topologies::graphs::{AdjacentEdges, ContributedEdges, NeighbourPlaces};
use crate::topologies::{self, cartesian, graphs};

entries! {
    every Group_size = groups::size: (group: Int, size: Out);
    every Group_rank = groups::rank: (group: Int, rank: Out);
    every Group_translate_ranks = groups::translate:
        (group1: Int, n: Int, ranks1: Ints, group2: Int, ranks2: Out);
    every Group_compare = groups::compare: (group1: Int, group2: Int, result: Out);
    every Group_union = groups::union: (group1: Int, group2: Int, newgroup: Out);
    every Group_intersection = groups::intersection: (group1: Int, group2: Int, newgroup: Out);
    every Group_difference = groups::difference: (group1: Int, group2: Int, newgroup: Out);
    every Group_incl = groups::include: (group: Int, n: Int, ranks: Ints, newgroup: Out);
    every Group_excl = groups::exclude: (group: Int, n: Int, ranks: Ints, newgroup: Out);
    every Group_range_incl = groups::include_ranges: (group: Int, n: Int, ranges: Ints, newgroup: Out);
    every Group_range_excl = groups::exclude_ranges: (group: Int, n: Int, ranges: Ints, newgroup: Out);
    every Group_free = groups::free: (group: Out);

    every Comm_rank = communicators::rank: (comm: Int, rank: Out);
    every Comm_size = communicators::size: (comm: Int, size: Out);
    every Comm_group = communicators::group: (comm: Int, group: Out);
    every Comm_compare = communicators::compare: (comm1: Int, comm2: Int, result: Out);
    every Comm_set_name = communicators::set_name: (comm: Int, comm_name: TextIn);
    every Comm_get_name = communicators::get_name: (comm: Int, comm_name: TextOut, resultlen: Out);
    every Comm_set_info = communicators::set_info: (comm: Int, info: Int);
    every Comm_get_info = communicators::get_info: (comm: Int, info_used: Out);
    every Comm_free = communicators::free: (comm: Out);
    every Comm_disconnect = communicators::free: (comm: Out);
    every Comm_get_parent = communicators::parent: (parent: Out);
    every Comm_dup = constructors::duplicate: (comm: Int, newcomm: Out);
    every Comm_dup_with_info = constructors::duplicate_with_info: (comm: Int, info: Int, newcomm: Out);
    every Comm_idup = constructors::start_duplicate: (comm: Int, newcomm: Out, request: Out);
    every Comm_idup_with_info = constructors::start_duplicate_with_info:
        (comm: Int, info: Int, newcomm: Out, request: Out);
    every Comm_split = constructors::split: (comm: Int, color: Int, key: Int, newcomm: Out);
    every Comm_split_type = constructors::split_type: (comm: Int, split_type: Int, key: Int, info: Int, newcomm: Out);
    every Comm_create = constructors::create: (comm: Int, group: Int, newcomm: Out);
    every Comm_create_group = constructors::create_group: (comm: Int, group: Int, tag: Int, newcomm: Out);

    every Comm_test_inter = communicators::test_inter: (comm: Int, flag: Out);
    every Comm_remote_size = communicators::remote_size: (comm: Int, size: Out);
    every Comm_remote_group = communicators::remote_group: (comm: Int, group: Out);
    every Intercomm_create = intercommunicators::create: (
        local_comm: Int, local_leader: Int, peer_comm: Int, remote_leader: Int, tag: Int, newintercomm: Out
    );
    every Intercomm_merge = intercommunicators::merge: (intercomm: Int, high: Flag, newintracomm: Out);

    every Topo_test = topologies::test: (comm: Int, status: Out);
    every Cart_create = cartesian::create:
        (comm: Int, ndims: Int, dims: Ints, periods: Ints, reorder: Flag, newcomm: Out);
    every Cart_sub = cartesian::part: (comm: Int, remain_dims: Ints, newcomm: Out);
    every Cartdim_get = cartesian::dimension_count: (comm: Int, ndims: Out);
    every Cart_get = cartesian::get: (comm: Int, maxdims: Int, dims: Out, periods: Out, coords: Out);
    every Cart_coords = cartesian::coordinates: (comm: Int, rank: Int, maxdims: Int, coords: Out);
    every Cart_rank = cartesian::rank: (comm: Int, coords: Ints, rank: Out);
    every Cart_shift = cartesian::shift: (comm: Int, direction: Int, disp: Int, source: Out, dest: Out);
    every Cart_map = cartesian::map: (comm: Int, ndims: Int, dims: Ints, periods: Ints, newrank: Out);
    every Dims_create = cartesian::fill_dimensions: (nnodes: Int, ndims: Int, dims: Out);

    every Graph_create = graphs::create:
        (comm_old: Int, nnodes: Int, index: Ints, edges: Ints, reorder: Flag, comm_graph: Out);
    every Graph_map = graphs::map: (comm: Int, nnodes: Int, index: Ints, edges: Ints, newrank: Out);
    every Graphdims_get = graphs::sizes: (comm: Int, nnodes: Out, nedges: Out);
    every Graph_get = graphs::get: (comm: Int, maxindex: Int, maxedges: Int, index: Out, edges: Out);
    every Graph_neighbors_count = graphs::neighbour_count: (comm: Int, rank: Int, nneighbors: Out);
    every Graph_neighbors = graphs::neighbours: (comm: Int, rank: Int, maxneighbors: Int, neighbors: Out);
    every Dist_graph_create_adjacent = graphs::create_adjacent: (
        comm_old: Int, indegree: Int, sources: Ints, sourceweights: Weights,
        outdegree: Int, destinations: Ints, destweights: Weights,
        info: Int, reorder: Flag, comm_dist_graph: Out;
        comm_old,
        AdjacentEdges { degree: indegree, neighbours: sources, weights: sourceweights },
        AdjacentEdges { degree: outdegree, neighbours: destinations, weights: destweights },
        info, reorder, comm_dist_graph
    );
    every Dist_graph_create = graphs::create_distributed: (
        comm_old: Int, n: Int, sources: Ints, degrees: Ints, destinations: Ints, weights: Weights,
        info: Int, reorder: Flag, comm_dist_graph: Out;
        comm_old, ContributedEdges { n, sources, degrees, destinations, weights }, info, reorder, comm_dist_graph
    );
    every Dist_graph_neighbors_count = graphs::own_counts:
        (comm: Int, indegree: Out, outdegree: Out, weighted: Out);
    every Dist_graph_neighbors = graphs::own_neighbours: (
        comm: Int, maxindegree: Int, sources: Out, sourceweights: OutWeights,
        maxoutdegree: Int, destinations: Out, destweights: OutWeights;
        comm,
        NeighbourPlaces { room: maxindegree, neighbours: sources, weights: sourceweights },
        NeighbourPlaces { room: maxoutdegree, neighbours: destinations, weights: destweights }
    );
}
