//! EP and CG: sources, include directories, official answers, and how many messages CG sends.
//! The answers are those of the benchmarks' specification (RNR-94-007, NAS-95-020) and of its
//! later additions for problem classes W and C.

use crate::{ProblemClass, programs};
use std::path::PathBuf;

/// A kernel: one program, whose problem class is chosen by include directory and whose number of
/// ranks is chosen when it is run.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// Name, also of its folder.
    pub name: &'static str,
    /// Source files in its folder; any order compiles.
    pub files: &'static [&'static str],
    /// The include file that each problem class has its own of.
    pub class_file: &'static str,
}

/// EP, "embarrassingly parallel": free form, `use mpi`, three reductions at the end.
pub const EP: Kernel = Kernel { name: "ep", files: &["ep.f90"], class_file: "problem.inc" };

/// CG, "conjugate gradient": fixed form, `mpif.h`, COMMON, a two-dimensional grid of ranks.
pub const CG: Kernel = Kernel {
    name: "cg",
    files: &["cg.f", "grid.f", "matrix.f", "random.f", "solve.f", "timers.f"],
    class_file: "problem.h",
};

/// What a kernel should answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Official {
    /// EP: the sums of both deviates, to a relative 1e-8.
    Sums {
        /// Sum of the first deviates of all pairs.
        x: f64,
        /// Sum of the second ones.
        y: f64,
    },
    /// CG: the estimate of the eigenvalue, to a relative 1e-10.
    Zeta(f64),
}

impl Kernel {
    /// Its folder.
    pub fn folder(&self) -> PathBuf {
        programs().join(self.name)
    }

    /// Its source files.
    pub fn sources(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| self.folder().join(file)).collect()
    }

    /// What must be on the include path for this problem class, in this order.
    pub fn include_directories(&self, class: ProblemClass) -> Vec<PathBuf> {
        vec![self.folder().join(format!("class-{}", class.letter())), self.folder()]
    }

    /// The line that a run with the right answer prints (it is indented by one blank).
    pub fn success_line(&self) -> String {
        format!("{} verification SUCCESSFUL", self.name.to_uppercase())
    }

    /// What it should answer.
    pub fn official(&self, class: ProblemClass) -> Official {
        if self.name == EP.name { ep_sums(class) } else { Official::Zeta(cg_zeta(class)) }
    }
}

fn ep_sums(class: ProblemClass) -> Official {
    let (x, y) = match class {
        ProblemClass::S => (-3.24783465203474e3, -6.958407078382297e3),
        ProblemClass::W => (-2.863319731645753e3, -6.320053679109499e3),
        ProblemClass::A => (-4.295875165629892e3, -1.580732573678431e4),
        ProblemClass::B => (4.033815542441498e4, -2.660669192809235e4),
        ProblemClass::C => (4.764367927995374e4, -8.084072988043731e4),
    };
    Official::Sums { x, y }
}

fn cg_zeta(class: ProblemClass) -> f64 {
    match class {
        ProblemClass::S => 8.5971775078648,
        ProblemClass::W => 10.362595087124,
        ProblemClass::A => 17.130235054029,
        ProblemClass::B => 22.712745482631,
        ProblemClass::C => 28.973605592845,
    }
}

/// Outer iterations of CG in the timed section; one more is run before it.
pub fn cg_steps(class: ProblemClass) -> u64 {
    match class {
        ProblemClass::S | ProblemClass::W | ProblemClass::A => 15,
        ProblemClass::B | ProblemClass::C => 75,
    }
}

/// Point-to-point messages that each rank of CG sends (and receives) in the whole run, on a number
/// of ranks that is a power of two; those to itself included.
///
/// With 2^L columns of ranks a sum over a row of the grid takes L exchanges. An outer iteration has
/// 26 matrix products (one sum of vectors, one transpose exchange) and 53 sums of scalars.
pub fn cg_messages_per_rank(class: ProblemClass, ranks: u32) -> u64 {
    if ranks == 1 {
        return 0;
    }
    let exchanges_per_sum = u64::from(ranks.ilog2().div_ceil(2));
    let (products, scalar_sums) = (26, 53);
    (cg_steps(class) + 1) * (products * (exchanges_per_sum + 1) + scalar_sums * exchanges_per_sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class_text(kernel: &Kernel, class: ProblemClass) -> String {
        let path = kernel.include_directories(class)[0].join(kernel.class_file);
        std::fs::read_to_string(path).unwrap()
    }

    /// All numbers with a Fortran double precision exponent.
    fn doubles(text: &str) -> Vec<f64> {
        text.split(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)))
            .filter(|word| word.contains('d') && word.contains('.'))
            .filter_map(|word| word.replace('d', "e").parse().ok())
            .collect()
    }

    #[test]
    fn every_problem_class_has_the_official_values() {
        for kernel in [EP, CG] {
            assert!(kernel.sources().iter().all(|source| source.is_file()));
            for class in ProblemClass::ALL {
                let text = class_text(&kernel, class);
                assert!(text.contains(&format!("'{}'", class.letter())));
                match kernel.official(class) {
                    Official::Sums { x, y } => assert_eq!(doubles(&text), [x, y]),
                    Official::Zeta(zeta) => assert_eq!(doubles(&text).last(), Some(&zeta)),
                }
            }
        }
    }

    #[test]
    fn steps_are_those_of_the_sources() {
        for class in ProblemClass::ALL {
            assert!(class_text(&CG, class).contains(&format!("niter = {})", cg_steps(class))));
        }
    }

    #[test]
    fn messages_per_rank() {
        let per_rank = [1, 2, 4, 8, 16].map(|ranks| cg_messages_per_rank(ProblemClass::A, ranks));
        assert_eq!(per_rank, [0, 1680, 1680, 2944, 2944]);
    }
}
