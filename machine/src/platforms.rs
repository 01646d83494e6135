//! The platforms that come with mpiete, as the text of their files, and the file of this machine.
//!
//! Adding one is one file in `platforms/` and one row here. Every file says where its numbers come
//! from and what was put in place of what the source does not give.

use crate::platform::Platform;
use base_data::platform_file::{
    EagerCredit, MpiLibrary, PLATFORM_FORMAT, Placement, PlatformFile, Progress, PuChoice, Topology,
};

/// Name and text of each bundled platform.
pub const BUNDLED: &[(&str, &str)] = &[
    (
        "fast-ethernet",
        include_str!("platforms/fast-ethernet.toml"),
    ),
    ("mpiete-2004", include_str!("platforms/mpiete-2004.toml")),
    ("cenju-4", include_str!("platforms/cenju-4.toml")),
    ("myrinet-2001", include_str!("platforms/myrinet-2001.toml")),
    (
        "fast-ethernet-2001",
        include_str!("platforms/fast-ethernet-2001.toml"),
    ),
    (
        "hdr-infiniband",
        include_str!("platforms/hdr-infiniband.toml"),
    ),
    ("slingshot", include_str!("platforms/slingshot.toml")),
    ("25gbe-roce", include_str!("platforms/25gbe-roce.toml")),
    ("25gbe-cloud", include_str!("platforms/25gbe-cloud.toml")),
    ("100gbe-tcp", include_str!("platforms/100gbe-tcp.toml")),
];

/// Name of the platform that [`here`] makes.
pub const HERE: &str = "here";

/// The text of a bundled platform.
pub fn bundled(name: &str) -> Option<&'static str> {
    BUNDLED
        .iter()
        .find(|(bundled, _)| *bundled == name)
        .map(|(_, text)| *text)
}

/// A bundled platform, ready for use.
///
/// # Errors
/// A sentence: the name is not bundled (all names are listed), or its text is wrong.
pub fn load(name: &str) -> Result<Platform, String> {
    let text = bundled(name).ok_or_else(|| {
        let names: Vec<&str> = BUNDLED.iter().map(|(name, _)| *name).collect();
        format!(
            "'{name}' is no bundled platform; there are {}",
            names.join(", ")
        )
    })?;
    let file = PlatformFile::parse(text).map_err(|error| format!("platform '{name}': {error}"))?;
    Platform::new(file, &|file| {
        Err(format!("a bundled platform names the file '{file}'"))
    })
    .map_err(|error| error.to_string())
}

/// This machine as a platform: one node that holds all ranks, its PU the one that compute data are
/// measured on. It has no links: communication data must be given ([`Platform::replace_comm`]).
pub fn here(ranks: u32, threads_per_rank: u32, pu: &str) -> PlatformFile {
    PlatformFile {
        format: PLATFORM_FORMAT,
        name: HERE.into(),
        description: format!("this machine ({pu}), all ranks on one node"),
        nodes: 1,
        ranks_per_node: ranks.max(1),
        threads_per_rank: threads_per_rank.max(1),
        placement: Placement::Block,
        pu: PuChoice::default(),
        progress: Progress::default(),
        eager_credit: EagerCredit::default(),
        mpi: MpiLibrary::default(),
        topology: Topology::Star,
        links: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{MODELS, model};
    use base_data::Rank;
    use base_data::comm_data::LinkClass;

    #[test]
    fn every_bundled_platform_has_a_model() {
        for (name, _) in BUNDLED {
            let platform = load(name).unwrap();
            assert_eq!(platform.name(), *name);
            let ranks = platform.capacity() as u32;
            let usable = MODELS.iter().filter(|entry| {
                platform
                    .fits(entry.fits, ranks)
                    .is_ok_and(|fits| (entry.build)(&fits, ranks).is_ok())
            });
            assert!(usable.count() > 0, "{name}");
            assert_eq!(platform.link(Rank(0), Rank(1)), LinkClass::BetweenNodes);
        }
    }

    #[test]
    fn the_demonstration_platform_takes_the_overhead_by_ranks() {
        let platform = load("fast-ethernet").unwrap();
        let first = MODELS
            .iter()
            .find(|entry| platform.fits(entry.fits, 16).is_ok())
            .unwrap();
        assert_eq!((first.name, platform.capacity()), ("loggps-p", 64));
        assert!(model("loggps").is_ok_and(|row| platform.fits(row.fits, 16).is_ok()));
    }

    /// A first estimate for a cluster of today must not look more certain than its sources are.
    #[test]
    fn modern_platforms_have_error_estimates() {
        for name in [
            "hdr-infiniband",
            "slingshot",
            "25gbe-roce",
            "25gbe-cloud",
            "100gbe-tcp",
        ] {
            let platform = load(name).unwrap();
            for model in ["flow", "mpiete"] {
                let fit = platform.fit(model, LinkClass::BetweenNodes).unwrap();
                assert!(fit.residual.is_some_and(|share| share > 0.01), "{name}");
                assert!(fit.source.contains("20"), "{name}: {}", fit.source);
            }
        }
    }

    #[test]
    fn here_needs_communication_data() {
        let platform = Platform::new(here(4, 1, "test"), &|name| Err(name.into())).unwrap();
        assert!(platform.check_capacity(4).is_ok());
        let error = platform.fits("mpiete", 4).unwrap_err().to_string();
        assert!(
            error.contains("link class inside-node; give communication data with --comm"),
            "{error}"
        );
    }

    #[test]
    fn unknown_names_list_the_known() {
        assert!(
            load("t3e")
                .unwrap_err()
                .contains("there are fast-ethernet, mpiete-2004")
        );
    }
}
