//! What the kernels should answer: the values of the benchmarks' specification (RNR-94-007,
//! NAS-95-020) and of its later additions for problem classes W and C.

use crate::ProblemClass;

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
    /// LU: all eleven to a relative 1e-8.
    Norms {
        /// Roots of the mean squares of the residual, one for each equation.
        residual: [f64; 5],
        /// The same of the difference from the exact solution.
        error: [f64; 5],
        /// The integral of the pressure over a box's surface.
        surface: f64,
    },
}

/// Of EP.
pub(crate) fn ep(class: ProblemClass) -> Official {
    let (x, y) = match class {
        ProblemClass::S => (-3.24783465203474e3, -6.958407078382297e3),
        ProblemClass::W => (-2.863319731645753e3, -6.320053679109499e3),
        ProblemClass::A => (-4.295875165629892e3, -1.580732573678431e4),
        ProblemClass::B => (4.033815542441498e4, -2.660669192809235e4),
        ProblemClass::C => (4.764367927995374e4, -8.084072988043731e4),
    };
    Official::Sums { x, y }
}

/// Of CG.
pub(crate) fn cg(class: ProblemClass) -> Official {
    Official::Zeta(match class {
        ProblemClass::S => 8.5971775078648,
        ProblemClass::W => 10.362595087124,
        ProblemClass::A => 17.130235054029,
        ProblemClass::B => 22.712745482631,
        ProblemClass::C => 28.973605592845,
    })
}

/// Of LU.
pub(crate) fn lu(class: ProblemClass) -> Official {
    let (residual, error, surface) = match class {
        ProblemClass::S => (
            [
                1.6196343210976702e-2,
                2.197674516482132e-3,
                1.5179927653399185e-3,
                1.5029584435994323e-3,
                3.426407315589646e-2,
            ],
            [
                6.422331995796092e-4,
                8.414434204734793e-5,
                5.8588269616485186e-5,
                5.847422259515735e-5,
                1.3103347914111294e-3,
            ],
            7.841892886593708,
        ),
        ProblemClass::W => (
            [
                12.36511638192,
                1.317228477799,
                2.550120713095,
                2.326187750252,
                28.26799444189,
            ],
            [
                0.4867877144216,
                5.064652880982e-2,
                9.28181810196e-2,
                8.570126542733e-2,
                1.084277417792,
            ],
            11.61399311023,
        ),
        ProblemClass::A => (
            [
                779.0210760668937,
                63.40276525969287,
                194.9924972729248,
                178.45301160418537,
                1838.4760349464247,
            ],
            [
                29.964085685471942,
                2.819457636500335,
                7.347341269877474,
                6.713922568777705,
                70.71531568839258,
            ],
            26.030925604886277,
        ),
        ProblemClass::B => (
            [
                3553.2672969982736,
                262.1475079531069,
                883.3372185095219,
                778.1277473942526,
                7308.796959254531,
            ],
            [
                114.01176380212709,
                8.109896365542157,
                28.480597317698308,
                25.90539456783294,
                260.54907504857413,
            ],
            47.88716270330823,
        ),
        ProblemClass::C => (
            [
                10376.698032353785,
                892.2124588010086,
                2562.3881458266087,
                2191.9434385783143,
                17807.80572610612,
            ],
            [
                215.98639971694928,
                15.57895592398636,
                54.13188630772078,
                48.22626431540454,
                455.90291004325036,
            ],
            66.64045535721813,
        ),
    };
    Official::Norms {
        residual,
        error,
        surface,
    }
}
