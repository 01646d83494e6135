//! Which programs, problem classes and rank counts are measured.

use super::rows::Case;

/// Ranks that have a core each: judged. With more they share cores, and are observed one at a time.
const OWN_CORES: &[u32] = &[1, 2];

/// What is measured.
pub(super) struct Cases {
    /// Observed runs of each case, taken in turn over all cases, so that a slow phase of the machine hits all alike.
    pub(super) runs: usize,
    programs: &'static [&'static str],
    /// Problem class of the tables in time.
    timed_class: &'static str,
    shared_cores: &'static [u32],
    counted: &'static [CountedCase],
    counted_ranks: &'static [u32],
    /// Measured with so many ranks, used for others.
    pub(super) reused_from: &'static [u32],
    /// Programs and problem classes whose computation is summed over ranks.
    pub(super) summed: &'static [(&'static str, &'static str)],
    pub(super) summed_ranks: &'static [u32],
}

/// A program whose statements are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CountedCase {
    pub(super) program: &'static str,
    pub(super) problem_class: &'static str,
    /// The most ranks that the program divides this problem class among.
    pub(super) most_ranks: u32,
}

const fn counted(
    program: &'static str,
    problem_class: &'static str,
    most_ranks: u32,
) -> CountedCase {
    CountedCase {
        program,
        problem_class,
        most_ranks,
    }
}

/// What is counted for the page.
const COUNTED: &[CountedCase] = &[
    counted("ep", "S", 64),
    counted("ep", "W", 64),
    counted("ep", "A", 64),
    counted("cg", "S", 64),
    counted("cg", "W", 64),
    counted("cg", "A", 64),
    // 12 points a side, and LU refuses fewer than three a rank: 4 x 4 ranks.
    counted("lu", "S", 16),
    counted("lu", "W", 64),
    counted("lu", "A", 64),
];

const SHORTEST_COUNTED: &[CountedCase] = &[counted("ep", "S", 4)];

impl Cases {
    /// Those of the page.
    pub(super) fn usual() -> Cases {
        Cases {
            runs: 5,
            programs: &["ep", "cg", "lu"],
            // Runs of at most some seconds, so that five in turn of each case are affordable.
            timed_class: "W",
            shared_cores: &[4],
            counted: COUNTED,
            counted_ranks: &[1, 2, 4, 8, 16, 32, 64],
            reused_from: &[4, 16],
            summed: &[("lu", "W"), ("cg", "A")],
            summed_ranks: &[2, 4, 8, 16, 32, 64],
        }
    }

    /// The smallest case of each table.
    pub(super) fn shortest() -> Cases {
        Cases {
            runs: 1,
            programs: &["ep"],
            timed_class: "S",
            shared_cores: &[],
            counted: SHORTEST_COUNTED,
            counted_ranks: &[1, 2, 4],
            // Of the counted ranks 4 is left, which is predicted from these.
            reused_from: &[1, 2],
            summed: &[("ep", "S")],
            summed_ranks: &[1, 2],
        }
    }

    /// Cases of the table `end-to-end`.
    pub(super) fn end_to_end(&self, choice: &CaseFilter) -> Vec<Case> {
        self.timed(choice, &[OWN_CORES])
    }

    /// Cases of the table `in-time`.
    pub(super) fn in_time(&self, choice: &CaseFilter) -> Vec<Case> {
        self.timed(choice, &[OWN_CORES, self.shared_cores])
    }

    fn timed(&self, choice: &CaseFilter, rank_counts: &[&[u32]]) -> Vec<Case> {
        let mut cases = Vec::new();
        for &program in self.programs {
            for &ranks in rank_counts.iter().copied().flatten() {
                if choice.program(program) && choice.ranks(ranks) {
                    cases.push(case(program, self.timed_class, ranks));
                }
            }
        }
        cases
    }

    /// Programs whose statements are counted.
    pub(super) fn counted(&self, choice: &CaseFilter) -> Vec<CountedCase> {
        let mut cases = Vec::new();
        for &counted in self.counted {
            let is_chosen =
                choice.program(counted.program) && choice.problem_class(counted.problem_class);
            if is_chosen {
                cases.push(counted);
            }
        }
        cases
    }

    /// Rank counts of the table `computation-counted`.
    pub(super) fn counted_ranks(&self, choice: &CaseFilter, counted: CountedCase) -> Vec<u32> {
        let mut found = Vec::new();
        for &ranks in self.counted_ranks {
            if ranks <= counted.most_ranks && choice.ranks(ranks) {
                found.push(ranks);
            }
        }
        found
    }

    /// Rank counts of the table `computation-reused`: those above the smallest that was measured.
    pub(super) fn reused_ranks(&self, choice: &CaseFilter, counted: CountedCase) -> Vec<u32> {
        let smallest = self.reused_from.iter().copied().min().unwrap_or(0);
        let mut found = self.counted_ranks(choice, counted);
        found.retain(|ranks| *ranks > smallest && !self.reused_from.contains(ranks));
        found
    }
}

pub(super) fn case(program: &str, problem_class: &str, ranks: u32) -> Case {
    Case {
        program: program.to_string(),
        problem_class: problem_class.to_string(),
        ranks,
    }
}

/// Whether each rank has a core.
pub(super) fn has_own_cores(ranks: u32) -> bool {
    OWN_CORES.contains(&ranks)
}

/// Selects the cases to measure again; an empty list selects all.
#[derive(Default)]
pub(super) struct CaseFilter {
    programs: Vec<String>,
    problem_classes: Vec<String>,
    ranks: Vec<String>,
}

impl CaseFilter {
    /// As PROGRAMS, CLASSES and RANKS in the environment name them, separated by blanks.
    pub(super) fn from_environment() -> CaseFilter {
        CaseFilter {
            programs: words_of("PROGRAMS"),
            problem_classes: words_of("CLASSES"),
            ranks: words_of("RANKS"),
        }
    }

    fn program(&self, name: &str) -> bool {
        names(&self.programs, name)
    }

    fn problem_class(&self, name: &str) -> bool {
        names(&self.problem_classes, name)
    }

    fn ranks(&self, ranks: u32) -> bool {
        names(&self.ranks, &ranks.to_string())
    }
}

fn words_of(variable: &str) -> Vec<String> {
    let value = std::env::var(variable).unwrap_or_default();
    value.split_whitespace().map(str::to_string).collect()
}

fn names(list: &[String], name: &str) -> bool {
    list.is_empty() || list.iter().any(|one| one == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(programs: &str, problem_classes: &str, ranks: &str) -> CaseFilter {
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect();
        CaseFilter {
            programs: words(programs),
            problem_classes: words(problem_classes),
            ranks: words(ranks),
        }
    }

    #[test]
    fn usual_cases_in_time() {
        let cases = Cases::usual();
        assert_eq!(cases.end_to_end(&CaseFilter::default()).len(), 6);
        assert_eq!(cases.in_time(&CaseFilter::default()).len(), 9);
        let chosen = cases.in_time(&choice("lu ep", "", "4 2"));
        assert_eq!(
            chosen,
            [
                case("ep", "W", 2),
                case("ep", "W", 4),
                case("lu", "W", 2),
                case("lu", "W", 4),
            ]
        );
    }

    #[test]
    fn rank_counts_that_are_counted_and_reused() {
        let cases = Cases::usual();
        let chosen = cases.counted(&choice("lu", "S", ""));
        assert_eq!(chosen, [counted("lu", "S", 16)]);
        let all = CaseFilter::default();
        assert_eq!(cases.counted_ranks(&all, chosen[0]), [1, 2, 4, 8, 16]);
        assert_eq!(cases.reused_ranks(&all, chosen[0]), [8]);
        let short = Cases::shortest();
        let smallest = short.counted(&all)[0];
        assert_eq!(short.reused_ranks(&all, smallest), [4]);
    }
}
