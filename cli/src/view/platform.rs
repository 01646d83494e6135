//! A platform as a document: nodes, placement, processing units, and the communication data of
//! each kind of link.

use super::document::{ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::{comm, html, numbers, text as terminal};
use base_data::platform_file::{
    EagerCredit, Link, Placement, PlatformFile, Progress, PuChoice, PuType, Topology,
};

/// The report for a terminal.
pub fn text(platform: &PlatformFile) -> String {
    terminal::render(&document(platform))
}

/// One self-contained page.
pub fn html(platform: &PlatformFile) -> String {
    html::page(&document(platform))
}

/// Several platforms in a line each, for a terminal.
pub fn list_text(platforms: &[PlatformFile]) -> String {
    terminal::render(&list(platforms))
}

/// Several platforms in a line each, as a page.
pub fn list_html(platforms: &[PlatformFile]) -> String {
    html::page(&list(platforms))
}

fn list(platforms: &[PlatformFile]) -> Document {
    let rows = platforms.iter().map(|platform| {
        [
            TableCell::from(platform.name.as_str()),
            TableCell::count(u64::from(platform.nodes)),
            TableCell::count(u64::from(platform.ranks_per_node)),
            models(platform).join(", ").into(),
            founded(platform).into(),
            first_sentence(&platform.description).into(),
        ]
    });
    let columns = [
        ("name", ColumnStyle::Name),
        ("nodes", ColumnStyle::Number),
        ("per node", ColumnStyle::Number),
        ("models", ColumnStyle::Name),
        ("error", ColumnStyle::Name),
        ("description", ColumnStyle::Sentences),
    ];
    let hint = "The error is that of the network's parameters, where their source states one. `mpiete show NAME` prints \
                one platform.";
    let parts = [
        SectionElement::Table(Table::new(columns, rows)),
        SectionElement::Paragraph(hint.into()),
    ];
    Document {
        title: "bundled platforms".into(),
        sections: vec![Section::new("", parts)],
    }
}

/// The first sentence of a description, on one line.
fn first_sentence(description: &str) -> String {
    let words = description.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => words,
    }
}

/// The largest error that the parameters between nodes claim for themselves: how well a platform is founded.
fn founded(platform: &PlatformFile) -> String {
    let mut worst: Option<f64> = None;
    for link in &platform.links {
        for fit in link.data.iter().flat_map(|data| &data.fits) {
            let Some(residual) = fit.residual else {
                return "not known".into();
            };
            worst = Some(worst.map_or(residual, |other| other.max(residual)));
        }
    }
    worst.map_or("not known".into(), |share| {
        format!("± {}", numbers::percent(share))
    })
}

/// The models that a platform has embedded parameters for, each once.
fn models(platform: &PlatformFile) -> Vec<&str> {
    let fits = platform
        .links
        .iter()
        .filter_map(|link| link.data.as_ref())
        .flat_map(|data| &data.fits);
    let mut names: Vec<&str> = fits.map(|fit| fit.model.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn document(platform: &PlatformFile) -> Document {
    let mut sections = vec![overview(platform), pu_types(platform), links(platform)];
    for link in &platform.links {
        sections.extend(embedded(link));
    }
    Document {
        title: format!("platform {}", platform.name),
        sections,
    }
}

fn overview(platform: &PlatformFile) -> Section {
    let nodes = numbers::counted(u64::from(platform.nodes), "node", "nodes");
    let ranks = numbers::counted(u64::from(platform.ranks_per_node), "rank", "ranks");
    let threads = numbers::counted(u64::from(platform.threads_per_rank), "thread", "threads");
    let overrides: Vec<String> = platform
        .mpi
        .overrides
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    Section::new(
        "",
        [
            SectionElement::Paragraph(platform.description.clone()),
            SectionElement::facts([
                (
                    "size",
                    format!("{nodes}, {ranks} per node, {threads} per rank"),
                ),
                ("placement", placement(&platform.placement)),
                ("topology", topology(&platform.topology)),
                ("processing units", processing_units(&platform.pu)),
                ("progress", progress(platform.progress).into()),
                ("eager credit", eager_credit(platform.eager_credit)),
                (
                    "MPI library",
                    format!("{} {}", platform.mpi.library, platform.mpi.version)
                        .trim()
                        .into(),
                ),
                ("settings", overrides.join(", ")),
            ]),
        ],
    )
}

fn topology(topology: &Topology) -> String {
    match topology {
        Topology::Star => "one switch".into(),
        Topology::Cascade {
            nodes_per_switch,
            uplink,
        } => format!(
            "switches in a row, {nodes_per_switch} nodes each; a link between two has {uplink} times the capacity of a node's"
        ),
        Topology::FatTree {
            nodes_per_switch,
            oversubscription,
        } => format!(
            "fat tree, {nodes_per_switch} nodes for each leaf switch, oversubscription {oversubscription}"
        ),
        Topology::Torus {
            sides: [x, y, z],
            link,
        } => format!(
            "torus of {x} × {y} × {z} nodes; a link has {link} times the capacity of a node's"
        ),
        Topology::Dragonfly {
            nodes_per_router,
            routers_per_group,
            local,
            global,
        } => format!(
            "dragonfly, {nodes_per_router} nodes for each router, {routers_per_group} routers for each group; \
            links have {local} (inside a group) and {global} times the capacity of a node's"
        ),
        Topology::Links { switches, .. } => {
            format!(
                "links as listed, {}",
                numbers::counted(u64::from(*switches), "switch", "switches")
            )
        }
    }
}

fn placement(placement: &Placement) -> String {
    match placement {
        Placement::Block => "neighbouring ranks fill a node".into(),
        Placement::Cyclic => "neighbouring ranks go to neighbouring nodes".into(),
        Placement::List(nodes) => {
            let nodes: Vec<String> = nodes.iter().map(u32::to_string).collect();
            format!("node of each rank: {}", nodes.join(" "))
        }
        Placement::File(name) => format!("node of each rank as {name} lists them"),
    }
}

fn processing_units(pu: &PuChoice) -> String {
    match pu {
        PuChoice::Phrase(phrase) if phrase == PuChoice::AS_MEASURED => {
            "those that the compute data were measured on".into()
        }
        PuChoice::Phrase(phrase) => phrase.clone(),
        PuChoice::Types(types) => numbers::counted(types.len() as u64, "type", "types"),
    }
}

fn progress(progress: Progress) -> &'static str {
    match progress {
        Progress::Asynchronous => "transfers move whenever they can",
        Progress::InCall => "transfers that need both sides move while both are inside MPI",
    }
}

fn eager_credit(credit: EagerCredit) -> String {
    match credit {
        EagerCredit::Unlimited => "unlimited".into(),
        EagerCredit::Bytes(bytes) => numbers::memory(bytes),
    }
}

fn pu_types(platform: &PlatformFile) -> Section {
    let types: &[PuType] = match &platform.pu {
        PuChoice::Phrase(_) => &[],
        PuChoice::Types(types) => types,
    };
    let rows = types.iter().map(|found| {
        let last = found
            .first_node
            .saturating_add(found.nodes.saturating_sub(1));
        let speed = found.speed.map_or("".into(), |speed| {
            format!("{} (a guess)", numbers::plain(speed))
        });
        [
            TableCell::from(format!("{}-{last}", found.first_node)),
            found.compute.as_deref().unwrap_or("as given").into(),
            speed.into(),
        ]
    });
    let columns = [
        ("nodes", ColumnStyle::Words),
        ("compute data", ColumnStyle::Place),
        ("relative speed", ColumnStyle::Words),
    ];
    Section::new(
        "processing units",
        [SectionElement::Table(Table::new(columns, rows))],
    )
}

fn links(platform: &PlatformFile) -> Section {
    let rows = platform.links.iter().map(|link| {
        let data = match (&link.file, &link.data) {
            (Some(file), _) => file.as_str().into(),
            (None, Some(data)) => format!("embedded: {}", data.network),
            (None, None) => "none".into(),
        };
        [TableCell::from(link.class.to_string()), data.into()]
    });
    let columns = [
        ("link", ColumnStyle::Words),
        ("communication data", ColumnStyle::Place),
    ];
    Section::new("links", [SectionElement::Table(Table::new(columns, rows))])
}

fn embedded(link: &Link) -> Vec<Section> {
    let Some(data) = &link.data else {
        return Vec::new();
    };
    let named = |section: Section| match section.heading.as_str() {
        "" => Section {
            heading: format!("{}: {}", link.class, data.network),
            ..section
        },
        // A fit names its own link.
        heading if heading.ends_with(&link.class.to_string()) => section,
        heading => Section {
            heading: format!("{}: {heading}", link.class),
            ..section
        },
    };
    comm::sections(data).into_iter().map(named).collect()
}
