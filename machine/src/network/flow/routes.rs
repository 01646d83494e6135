//! Routing of messages through a fat tree, cascade, torus, dragonfly or any other graph of links. A route is a list of vertices:
//! nodes are numbered from 0, switches and routers behind them. A link with a capacity joins two neighbours on a route.
//!
//! [`super::sharing`] has the flows over these links.

use base_data::platform_file::{Topology, TopologyLink};
use std::collections::VecDeque;

/// One step of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hop {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Multiple of what one node sends or receives.
    pub(crate) capacity: f64,
}

/// The ways between the nodes of a platform.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    topology: Topology,
    nodes: u32,
    /// Of [`Topology::Links`]: by vertex, its neighbours in ascending order.
    neighbours: Vec<Vec<(u32, f64)>>,
}

impl Routes {
    /// The ways between so many nodes.
    ///
    /// # Errors
    /// The second half of a sentence: what of the topology makes no network for these nodes.
    pub(crate) fn new(topology: &Topology, nodes: u32) -> Result<Self, String> {
        let mut routes = Self {
            topology: topology.clone(),
            nodes,
            neighbours: Vec::new(),
        };
        match topology {
            Topology::Star => {}
            Topology::Cascade {
                nodes_per_switch,
                uplink,
            } => {
                at_least_one("nodes_per_switch", *nodes_per_switch)?;
                positive("uplink", *uplink)?;
            }
            Topology::FatTree {
                nodes_per_switch,
                oversubscription,
            } => {
                at_least_one("nodes_per_switch", *nodes_per_switch)?;
                positive("oversubscription", *oversubscription)?;
            }
            Topology::Torus { sides, link } => {
                positive("link", *link)?;
                let places: u64 = sides.iter().map(|&side| u64::from(side)).product();
                if places != u64::from(nodes) {
                    let [x, y, z] = sides;
                    return Err(format!(
                        "torus of {x} x {y} x {z} nodes, but the platform has {nodes}; make them equal"
                    ));
                }
            }
            Topology::Dragonfly {
                nodes_per_router,
                routers_per_group,
                local,
                global,
            } => {
                at_least_one("nodes_per_router", *nodes_per_router)?;
                at_least_one("routers_per_group", *routers_per_group)?;
                positive("local", *local)?;
                positive("global", *global)?;
            }
            Topology::Links { switches, links } => {
                routes.neighbours = neighbours(nodes, *switches, links)?;
                routes.check_connected()?;
            }
        }
        Ok(routes)
    }

    /// Appends the hops from one node to another one.
    pub(crate) fn way(&self, from: u32, to: u32, hops: &mut Vec<Hop>) {
        let mut at = from;
        let mut go = |to: u32, capacity: f64| {
            hops.push(Hop {
                from: at,
                to,
                capacity,
            });
            at = to;
        };
        let nodes = self.nodes;
        match &self.topology {
            Topology::Star => {
                go(nodes, 1.0);
                go(to, 1.0);
            }
            Topology::Cascade {
                nodes_per_switch,
                uplink,
            } => {
                let (first, last) = (from / nodes_per_switch, to / nodes_per_switch);
                go(nodes + first, 1.0);
                let mut switch = first;
                while switch != last {
                    switch = if switch < last {
                        switch + 1
                    } else {
                        switch - 1
                    };
                    go(nodes + switch, *uplink);
                }
                go(to, 1.0);
            }
            Topology::FatTree {
                nodes_per_switch,
                oversubscription,
            } => {
                let (first, last) = (from / nodes_per_switch, to / nodes_per_switch);
                // The core is one vertex: a switch's uplinks count as one link of their common capacity.
                let core = nodes + nodes.div_ceil(*nodes_per_switch);
                go(nodes + first, 1.0);
                if first != last {
                    let uplink = f64::from(*nodes_per_switch) / oversubscription;
                    go(core, uplink);
                    go(nodes + last, uplink);
                }
                go(to, 1.0);
            }
            Topology::Torus { sides, link } => {
                let mut place = coordinates(from, sides);
                let target = coordinates(to, sides);
                go(nodes + from, 1.0);
                // Dimension-order routing: all of x, then y, then z.
                for axis in 0..3 {
                    while place[axis] != target[axis] {
                        place[axis] = towards(place[axis], target[axis], sides[axis]);
                        let [x, y, z] = place;
                        go(nodes + x + sides[0] * (y + sides[1] * z), *link);
                    }
                }
                go(to, 1.0);
            }
            Topology::Dragonfly {
                nodes_per_router,
                routers_per_group,
                local,
                global,
            } => {
                let (first, last) = (from / nodes_per_router, to / nodes_per_router);
                // Minimal routing: at most one local link, one global link, one local link.
                let (own, other) = (first / routers_per_group, last / routers_per_group);
                go(nodes + first, 1.0);
                let mut router = first;
                if own != other {
                    let leaves = gateway(own, other, *routers_per_group);
                    if leaves != router {
                        go(nodes + leaves, *local);
                    }
                    router = gateway(other, own, *routers_per_group);
                    go(nodes + router, *global);
                }
                if router != last {
                    go(nodes + last, *local);
                }
                go(to, 1.0);
            }
            Topology::Links { .. } => self.shortest_way(from, to, hops),
        }
    }

    /// Fewest links; of equal ways, the one through lower numbers.
    fn shortest_way(&self, from: u32, to: u32, hops: &mut Vec<Hop>) {
        // From the end, so that each vertex knows the next one on its way there.
        let next = self.next_hops(to);
        let mut at = from;
        while at != to
            && let Some(hop) = next[at as usize]
        {
            hops.push(hop);
            at = hop.to;
        }
    }

    /// By vertex, its first hop on the way to `to`; messages do not pass through other nodes.
    fn next_hops(&self, to: u32) -> Vec<Option<Hop>> {
        let mut next = vec![None; self.neighbours.len()];
        let mut reached = VecDeque::from([to]);
        while let Some(vertex) = reached.pop_front() {
            // A node is an end of ways, not a switch on them.
            if vertex < self.nodes && vertex != to {
                continue;
            }
            for &(neighbour, capacity) in &self.neighbours[vertex as usize] {
                if neighbour != to && next[neighbour as usize].is_none() {
                    next[neighbour as usize] = Some(Hop {
                        from: neighbour,
                        to: vertex,
                        capacity,
                    });
                    reached.push_back(neighbour);
                }
            }
        }
        next
    }

    /// Whether all nodes reach node 0, and so each other: links have both directions.
    fn check_connected(&self) -> Result<(), String> {
        if self.nodes == 0 {
            return Ok(());
        }
        let next = self.next_hops(0);
        match (1..self.nodes).find(|&node| next[node as usize].is_none()) {
            Some(node) => Err(format!(
                "topology has no way from node {node} to node 0; add a link that connects them through switches"
            )),
            None => Ok(()),
        }
    }
}

fn neighbours(
    nodes: u32,
    switches: u32,
    links: &[TopologyLink],
) -> Result<Vec<Vec<(u32, f64)>>, String> {
    let vertices = u64::from(nodes) + u64::from(switches);
    let mut neighbours = vec![Vec::new(); vertices as usize];
    for link in links {
        let TopologyLink { from, to, capacity } = *link;
        positive("capacity", capacity)?;
        if let Some(unknown) = [from, to]
            .into_iter()
            .find(|&end| u64::from(end) >= vertices)
        {
            return Err(format!(
                "topology has a link to {unknown}, but nodes and switches are numbered from 0 to {}",
                vertices.saturating_sub(1)
            ));
        }
        neighbours[from as usize].push((to, capacity));
        neighbours[to as usize].push((from, capacity));
    }
    for list in &mut neighbours {
        // Ascending order makes the choice among equally short ways independent of the order in the file.
        list.sort_by_key(|&(neighbour, _)| neighbour);
    }
    Ok(neighbours)
}

fn at_least_one(name: &str, value: u32) -> Result<(), String> {
    if value == 0 {
        return Err(format!("topology has {name} = 0; it must be at least 1"));
    }
    Ok(())
}

fn positive(name: &str, value: f64) -> Result<(), String> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(format!(
        "topology has {name} = {value}; it must be a number above 0"
    ))
}

fn coordinates(node: u32, sides: &[u32; 3]) -> [u32; 3] {
    [
        node % sides[0],
        node / sides[0] % sides[1],
        node / sides[0] / sides[1],
    ]
}

/// The next place on a ring towards another one, the shorter way; upwards where both are as long.
fn towards(place: u32, target: u32, side: u32) -> u32 {
    let up = (target + side - place) % side;
    if 2 * up <= side {
        (place + 1) % side
    } else {
        (place + side - 1) % side
    }
}

/// The router of group `own` that has the link to group `other`: the links of a group are dealt to its routers in turn.
fn gateway(own: u32, other: u32, routers_per_group: u32) -> u32 {
    let number = if other < own { other } else { other - 1 };
    own * routers_per_group + number % routers_per_group
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(topology: &Topology, nodes: u32, from: u32, to: u32) -> Vec<u32> {
        let routes = Routes::new(topology, nodes).unwrap();
        let mut hops = Vec::new();
        routes.way(from, to, &mut hops);
        assert!(hops.windows(2).all(|pair| pair[0].to == pair[1].from));
        let mut vertices = vec![from];
        vertices.extend(hops.iter().map(|hop| hop.to));
        vertices
    }

    #[test]
    fn ways_of_each_topology() {
        assert_eq!(way(&Topology::Star, 4, 1, 3), [1, 4, 3]);
        let cascade = Topology::Cascade {
            nodes_per_switch: 2,
            uplink: 1.0,
        };
        assert_eq!(way(&cascade, 6, 0, 1), [0, 6, 1]);
        assert_eq!(way(&cascade, 6, 0, 5), [0, 6, 7, 8, 5]);
        assert_eq!(way(&cascade, 6, 4, 1), [4, 8, 7, 6, 1]);
        let tree = Topology::FatTree {
            nodes_per_switch: 2,
            oversubscription: 2.0,
        };
        assert_eq!(way(&tree, 4, 0, 3), [0, 4, 6, 5, 3]);
        let torus = Topology::Torus {
            sides: [4, 2, 1],
            link: 1.0,
        };
        assert_eq!(way(&torus, 8, 0, 7), [0, 8, 11, 15, 7]);
        let dragonfly = Topology::Dragonfly {
            nodes_per_router: 1,
            routers_per_group: 2,
            local: 1.0,
            global: 1.0,
        };
        // Groups {0, 1}, {2, 3}, {4, 5}: group 0 has its link to 2 at router 1, group 2 its link to 0 at router 4.
        assert_eq!(way(&dragonfly, 6, 0, 5), [0, 6, 7, 10, 11, 5]);
        assert_eq!(way(&dragonfly, 6, 0, 1), [0, 6, 7, 1]);
        let link = |from, to| TopologyLink {
            from,
            to,
            capacity: 1.0,
        };
        let links = Topology::Links {
            switches: 3,
            links: vec![link(0, 2), link(2, 3), link(3, 4), link(2, 4), link(4, 1)],
        };
        assert_eq!(way(&links, 2, 0, 1), [0, 2, 4, 1]);
    }

    #[test]
    fn bad_topologies_are_named() {
        let refused = |topology, expected: &str| {
            let error = Routes::new(&topology, 4).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        let torus = Topology::Torus {
            sides: [2, 3, 1],
            link: 1.0,
        };
        refused(torus, "2 x 3 x 1 nodes, but the platform has 4");
        let links = |links: &[(u32, u32)]| Topology::Links {
            switches: 1,
            links: links
                .iter()
                .map(|&(from, to)| TopologyLink {
                    from,
                    to,
                    capacity: 1.0,
                })
                .collect(),
        };
        refused(
            links(&[(0, 4), (1, 4), (2, 4)]),
            "no way from node 3 to node 0",
        );
        refused(links(&[(0, 5)]), "a link to 5");
        let cascade = Topology::Cascade {
            nodes_per_switch: 0,
            uplink: 1.0,
        };
        refused(cascade, "nodes_per_switch = 0");
        let tree = Topology::FatTree {
            nodes_per_switch: 1,
            oversubscription: -1.0,
        };
        refused(tree, "oversubscription = -1");
    }
}
