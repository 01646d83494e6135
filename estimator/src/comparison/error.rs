//! Why two files are not compared.

use base_data::compute_data::Unit;

/// Why two files are not compared. Names are those of the files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// A run of which something is missing.
    #[error(
        "{name} is incomplete and cannot be compared: {}; observe the run again and let it reach MPI_Finalize",
        list(.missing)
    )]
    Incomplete {
        /// The file.
        name: String,
        /// What is missing, a sentence each.
        missing: Vec<String>,
    },
    /// Different numbers of ranks.
    #[error(
        "{} is of {}, {} of {}; compare files of the same number of ranks",
        .names.0, of_ranks(.ranks.0), .names.1, of_ranks(.ranks.1)
    )]
    Ranks {
        /// The files.
        names: (String, String),
        /// Their numbers of ranks.
        ranks: (u32, u32),
    },
    /// Programs that share no source file.
    #[error(
        "{} is of program '{}' and {} of program '{}', and no source file of one is in the other; compare files \
         of one program", .names.0, .programs.0, .names.1, .programs.1
    )]
    OtherProgram {
        /// The files.
        names: (String, String),
        /// Their programs.
        programs: (String, String),
    },
    /// One counts statements, the other time.
    #[error(
        "{} counts {}, {} counts {}; compare files of the same unit",
        .names.0, unit(.units.0), .names.1, unit(.units.1)
    )]
    Units {
        /// The files.
        names: (String, String),
        /// What they count.
        units: (Unit, Unit),
    },
    /// A stretch asked for between files without times.
    #[error(
        "{name} contains program data, which have no times; only an estimate or an observation \
        can be compared in part"
    )]
    NoTimes {
        /// The file.
        name: String,
    },
    /// A place that cannot be used as the begin or end of a stretch.
    #[error("{place}: {reason}")]
    Place {
        /// As the user wrote it.
        place: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// A section that one side has no marks of.
    #[error("{name} predicts the section {section}, {reason}")]
    Section {
        /// The file.
        name: String,
        /// Where the section stands.
        section: String,
        /// What is wrong and what to do.
        reason: String,
    },
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Time => "time",
        Unit::Statements => "statements",
    }
}

fn list(missing: &[String]) -> String {
    missing.join("; ")
}

fn of_ranks(number: u32) -> String {
    if number == 1 {
        "1 rank".into()
    } else {
        format!("{number} ranks")
    }
}
