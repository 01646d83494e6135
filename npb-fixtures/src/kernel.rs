//! The kernels EP, CG and LU: sources, include directories, and how many messages they send.

use crate::{Official, ProblemClass, official, programs};
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
    official: fn(ProblemClass) -> Official,
}

/// All of them.
pub const KERNELS: [Kernel; 3] = [EP, CG, LU];

/// EP, "embarrassingly parallel": free form, `use mpi`, three reductions at the end.
pub const EP: Kernel = Kernel {
    name: "ep",
    files: &["ep.f90"],
    class_file: "problem.inc",
    official: official::ep,
};

/// CG, "conjugate gradient": fixed form, `mpif.h`, COMMON, a two-dimensional grid of ranks.
pub const CG: Kernel = Kernel {
    name: "cg",
    files: &[
        "cg.f", "grid.f", "matrix.f", "random.f", "solve.f", "timers.f",
    ],
    class_file: "problem.h",
    official: official::cg,
};

/// LU, a simulated flow: fixed form, `mpif.h`, COMMON, a wavefront of blocking messages over a
/// two-dimensional grid of ranks, a loop that a norm may end early.
pub const LU: Kernel = Kernel {
    name: "lu",
    files: &[
        "edges.f",
        "exact.f",
        "grid.f",
        "halo.f",
        "jacobian.f",
        "lu.f",
        "march.f",
        "norms.f",
        "residual.f",
        "surface.f",
        "sweep.f",
        "timers.f",
        "wave.f",
    ],
    class_file: "problem.h",
    official: official::lu,
};

impl Kernel {
    /// Its folder.
    pub fn folder(&self) -> PathBuf {
        programs().join(self.name)
    }

    /// Its source files.
    pub fn sources(&self) -> Vec<PathBuf> {
        self.files
            .iter()
            .map(|file| self.folder().join(file))
            .collect()
    }

    /// What must be on the include path for this problem class, in this order.
    pub fn include_directories(&self, class: ProblemClass) -> Vec<PathBuf> {
        vec![
            self.folder().join(format!("class-{}", class.letter())),
            self.folder(),
        ]
    }

    /// The line that a run with the right answer prints (it is indented by one blank).
    pub fn success_line(&self) -> String {
        format!("{} verification SUCCESSFUL", self.name.to_uppercase())
    }

    /// What it should answer.
    pub fn official(&self, class: ProblemClass) -> Official {
        (self.official)(class)
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

/// Points a side of LU's cube.
pub fn lu_points(class: ProblemClass) -> u64 {
    match class {
        ProblemClass::S => 12,
        ProblemClass::W => 33,
        ProblemClass::A => 64,
        ProblemClass::B => 102,
        ProblemClass::C => 162,
    }
}

/// Steps of LU in the timed section; one more is run before it.
pub fn lu_steps(class: ProblemClass) -> u64 {
    match class {
        ProblemClass::S => 50,
        ProblemClass::W => 300,
        ProblemClass::A | ProblemClass::B | ProblemClass::C => 250,
    }
}

/// Point-to-point messages that all ranks of LU together send in the whole run, on a number of
/// ranks that is a power of two.
///
/// Two neighbours on the grid of ranks exchange ghost points for the forcing term, for two first
/// residuals and after each step; each step passes every inner plane of points between them twice.
/// The surface integral takes one message of each pair for the faces across z, and one of each pair
/// along the four edges of the grid.
pub fn lu_messages(class: ProblemClass, ranks: u32) -> u64 {
    let along_x = 1 << ranks.ilog2().div_ceil(2);
    let along_y = u64::from(ranks) / along_x;
    let pairs = (along_x - 1) * along_y + along_x * (along_y - 1);
    let steps = lu_steps(class) + 1;
    let exchanges = 3 + steps;
    let planes = lu_points(class) - 2;
    let of_a_pair = 2 * exchanges + 2 * planes * steps + 1;
    let on_edges = 2 * (along_x - 1) + 2 * (along_y - 1);
    pairs * of_a_pair + on_edges
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

    /// The numbers of the include file that are to be compared with, in their order.
    fn answers(official: Official) -> Vec<f64> {
        match official {
            Official::Sums { x, y } => vec![x, y],
            Official::Zeta(zeta) => vec![zeta],
            Official::Norms {
                residual,
                error,
                surface,
            } => [&residual[..], &error, &[surface]].concat(),
        }
    }

    #[test]
    fn problem_classes_have_the_official_values() {
        for kernel in KERNELS {
            assert!(kernel.sources().iter().all(|source| source.is_file()));
            for class in ProblemClass::ALL {
                let text = class_text(&kernel, class);
                assert!(text.contains(&format!("'{}'", class.letter())));
                assert!(doubles(&text).ends_with(&answers(kernel.official(class))));
            }
        }
    }

    #[test]
    fn every_source_is_listed() {
        for kernel in KERNELS {
            let names = std::fs::read_dir(kernel.folder()).unwrap();
            let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut sources: Vec<String> = names.filter(|name| name.contains(".f")).collect();
            sources.sort();
            assert_eq!(sources, kernel.files);
        }
    }

    #[test]
    fn sizes_equal_those_of_the_sources() {
        for class in ProblemClass::ALL {
            assert!(class_text(&CG, class).contains(&format!("niter = {})", cg_steps(class))));
            let sizes = format!("npts = {}, nsteps = {},", lu_points(class), lu_steps(class));
            assert!(class_text(&LU, class).contains(&sizes));
        }
    }

    #[test]
    fn messages_per_rank_of_cg() {
        let per_rank = [1, 2, 4, 8, 16].map(|ranks| cg_messages_per_rank(ProblemClass::A, ranks));
        assert_eq!(per_rank, [0, 1680, 1680, 2944, 2944]);
    }

    #[test]
    fn messages_of_lu() {
        let all = [1, 2, 4, 8, 16].map(|ranks| lu_messages(ProblemClass::S, ranks));
        assert_eq!(all, [0, 1131, 4520, 11298, 27108]);
    }
}
