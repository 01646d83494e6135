//! What of a platform file this version can honour; everything else is refused, never ignored.

use super::PlatformError;
use crate::network::Pu;
use base_data::comm_data::LinkClass;
use base_data::platform_file::{Placement, PlatformFile, PuChoice, PuType};

pub(super) fn covers(pu: &PuType, node: u32) -> bool {
    node >= pu.first_node && node - pu.first_node < pu.nodes
}

pub(super) fn wrong(file: &PlatformFile, reason: String) -> PlatformError {
    PlatformError::Value {
        platform: file.name.clone(),
        reason,
    }
}

pub(super) fn not_modelled(
    file: &PlatformFile,
    setting: impl Into<String>,
    remedy: &str,
) -> PlatformError {
    PlatformError::NotModelled {
        platform: file.name.clone(),
        setting: setting.into(),
        remedy: remedy.into(),
    }
}

pub(super) fn refuse_what_is_not_modelled(file: &PlatformFile) -> Result<(), PlatformError> {
    for link in &file.links {
        if let LinkClass::Switches(_) = link.class {
            let setting = format!("link class {}", link.class);
            return Err(not_modelled(
                file,
                setting,
                "give the data of class between-nodes",
            ));
        }
    }
    check_pus(file)
}

fn check_pus(file: &PlatformFile) -> Result<(), PlatformError> {
    let types = match &file.pu {
        PuChoice::Phrase(_) => return Ok(()),
        PuChoice::Types(types) => types,
    };
    for pu in types {
        if let Some(speed) = pu.speed
            && !(speed.is_finite() && speed > 0.0)
        {
            return Err(wrong(
                file,
                format!("speed {speed} of a PU type must be a number above 0"),
            ));
        }
    }
    match (0..file.nodes).find(|&node| types.iter().filter(|pu| covers(pu, node)).count() != 1) {
        None => Ok(()),
        Some(node) => Err(wrong(
            file,
            format!("node {node} must be in exactly one PU type"),
        )),
    }
}

pub(super) fn listed_pus(file: &PlatformFile) -> Result<Vec<Pu>, PlatformError> {
    let list = match &file.placement {
        Placement::Block | Placement::Cyclic | Placement::File(_) => return Ok(Vec::new()),
        Placement::List(list) => list,
    };
    let mut taken = vec![0u32; file.nodes as usize];
    let mut pus = Vec::with_capacity(list.len());
    for (rank, &node) in list.iter().enumerate() {
        let Some(count) = taken.get_mut(node as usize) else {
            let last = file.nodes - 1;
            return Err(wrong(
                file,
                format!("placement puts rank {rank} on node {node}; nodes are 0 to {last}"),
            ));
        };
        if *count == file.ranks_per_node {
            let most = file.ranks_per_node;
            return Err(wrong(
                file,
                format!(
                    "placement puts more than ranks_per_node = {most} ranks on node {node}; raise it"
                ),
            ));
        }
        // Ranks of a node take its PUs in the order of the list.
        pus.push(Pu(node * file.ranks_per_node + *count));
        *count += 1;
    }
    Ok(pus)
}
