//! The generated communication probe (MPIETE §3.1.2): a program over MPI that measures, on two ranks,
//! the times of messages by size, and prints a sample a line. It knows nothing of the user's program,
//! so that its samples depend on network and MPI library only. It is written in Fortran and, with the
//! same plan, in C.
//!
//! The programs stand in `comm_probe/` as they are; here their settings are put in. What the samples
//! become is the business of `calibrate`.

/// What the probe measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Longest message in bytes. The probe itself refuses what its MPI library cannot count.
    pub largest: u64,
    /// Distance in bytes of sizes to be measured beside 0 and the powers of two: the paper's
    /// increment.
    pub step: Option<u64>,
    /// Repetitions of each measurement; fewer, but at least five, where they would take longer
    /// than [`Settings::milliseconds_per_size`].
    pub repetitions: u32,
    /// Time for all repetitions of one measurement at one size, in milliseconds. The default keeps the whole plan short: over
    /// Gigabit Ethernet, a dozen measurements of each of the six sizes from 256 KiB to 4 MiB reach it, which is about 40 s.
    pub milliseconds_per_size: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            largest: 4 << 20,
            step: None,
            repetitions: 100,
            milliseconds_per_size: 500,
        }
    }
}

const PROGRAM: &str = include_str!("comm_probe/comm_probe.f90");
const PROGRAM_IN_C: &str = include_str!("comm_probe/comm_probe.c");
const MAKEFILE: &str = include_str!("comm_probe/Makefile");
const README: &str = include_str!("comm_probe/README");

/// The files of the probe: name and text.
pub fn generate(settings: &Settings) -> Vec<(String, String)> {
    // Without a step, the one multiple of the longest message adds no size of its own.
    let step = settings
        .step
        .filter(|&step| step > 0)
        .unwrap_or(settings.largest)
        .max(1);
    let with_settings = |program: &str| {
        program
            .replace("@LARGEST@", &signed_integer(settings.largest))
            .replace("@STEP@", &signed_integer(step))
            .replace(
                "@REPETITIONS@",
                &settings.repetitions.clamp(1, i32::MAX as u32).to_string(),
            )
            .replace(
                "@MILLISECONDS@",
                &settings.milliseconds_per_size.to_string(),
            )
    };
    [
        ("comm_probe.f90", with_settings(PROGRAM)),
        ("comm_probe.c", with_settings(PROGRAM_IN_C)),
        ("Makefile", MAKEFILE.into()),
        ("README", README.into()),
    ]
    .map(|(name, text)| (name.to_string(), text))
    .to_vec()
}

/// The programs have no unsigned integers: what exceeds signed ones is refused when the probe runs.
fn signed_integer(value: u64) -> String {
    value.min(i64::MAX as u64).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(settings: &Settings) -> String {
        let files = generate(settings);
        let names: Vec<&str> = files.iter().map(|file| file.0.as_str()).collect();
        assert_eq!(
            names,
            ["comm_probe.f90", "comm_probe.c", "Makefile", "README"]
        );
        let open: Vec<&str> = files[1].1.matches('@').collect();
        assert_eq!(open, [""; 0], "a setting is left open in C");
        files[0].1.clone()
    }

    #[test]
    fn settings_are_put_in() {
        let settings = Settings {
            largest: 1000,
            step: Some(300),
            repetitions: 7,
            milliseconds_per_size: 1,
        };
        let text = program(&settings);
        for line in [
            "largest = 1000_long",
            "step = 300_long",
            "most_repetitions = 7",
            "seconds_per_size = 1.0d-3",
        ] {
            assert!(text.contains(line), "{line}");
        }
        assert!(!text.contains('@'), "a setting is left open");
    }

    #[test]
    fn senseless_settings_still_make_a_program() {
        let settings = Settings {
            largest: u64::MAX,
            step: Some(0),
            repetitions: 0,
            ..Settings::default()
        };
        let text = program(&settings);
        assert!(text.contains("step = 9223372036854775807_long"));
        assert!(text.contains("most_repetitions = 1\n"));
        assert!(
            program(&Settings {
                largest: 0,
                ..settings
            })
            .contains("step = 1_long")
        );
    }
}
