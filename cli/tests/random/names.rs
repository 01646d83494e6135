//! What the units of a random program have: their variables, which of them are the same on all ranks, and
//! how each gets its first value. What is done with them is in [`super::statements`] and
//! [`super::messages`].

use super::rare_features;
use super::rng::Rng;

/// A unit of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The main program.
    Main,
    /// A subroutine that is called by all ranks alike; may call [`Who::Inner`].
    Outer,
    /// The same; calls functions only.
    Inner,
    /// A function with side effects, called by all ranks alike.
    Function,
    /// A subroutine that ranks call as they like: it touches only what may differ among them.
    Alone,
}

/// What a program is made of.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Modules, derived types, pointers and allocatables; otherwise COMMON and EQUIVALENCE alone.
    pub modern: bool,
    /// Whether units see COMMON in different layouts.
    pub layouts: bool,
    /// Whether only the main program and [`Who::Outer`] send: calls of the others stay for what they write.
    pub quiet: bool,
    /// Whether [`Who::Inner`] counts its calls and sends as often.
    pub counts: bool,
    /// Whether there are loops of steps.
    pub steps: bool,
    /// Whether there are loops that count.
    pub nests: bool,
    /// Whether there is what programs do less often.
    pub wide: bool,
    /// Whether there are procedures of one form each.
    pub forms: bool,
    /// Whether there is hardly anything else.
    pub sparse: bool,
    /// Whether these are the forms of the later programs.
    pub later: bool,
    /// Whether they are those of names that hide others.
    pub hiding: bool,
    /// Loops that a count and a test end in one condition.
    pub convergence_loop_program: bool,
}

/// Names that can be used in a unit.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Integers that are the same on all ranks, to be read and written.
    pub uniform: Vec<&'static str>,
    /// Those that are only read.
    pub read_only: Vec<&'static str>,
    /// Integers that may differ among ranks.
    pub local: Vec<&'static str>,
    /// Arrays of four, the same on all ranks.
    pub uniform_arrays: Vec<&'static str>,
    /// Arrays of four that may differ.
    pub local_arrays: Vec<&'static str>,
}

impl Names {
    pub fn of(who: Who, style: Style) -> Self {
        let mut names = Names {
            uniform: vec!["ua", "ub", "uc", "ud", "ga", "gb"],
            read_only: vec!["i1", "i2", "i3", "nprocs"],
            local: vec!["la", "lb", "lc", "ha"],
            uniform_arrays: vec!["ux", "gx"],
            local_arrays: vec!["lx", "ly", "hx"],
        };
        if style.modern {
            names
                .uniform
                .extend(["ma", "mb", "pu", "mo%m", "mo%w", "ob%m", "ob%w"]);
            names.uniform_arrays.extend(["mx", "ob%n", "mo%n", "ob%v"]);
            names.local.push("mla");
        }
        match who {
            Who::Main => {}
            Who::Outer | Who::Inner | Who::Function => names.uniform.push("ks"),
            Who::Alone => {
                names.local.push("ks");
                names.read_only = vec!["nprocs"];
            }
        }
        names
    }
}

/// Module of the modern style.
pub const MODULE: &str = "module zqm
  implicit none
  type zqb
    integer :: m = 1
    integer :: n(4) = 2
    integer, pointer :: w => null()
    integer, allocatable :: v(:)
  end type
  integer, save, target :: ma = 2, mb = 1, mx(4) = 3
  integer, save :: mla = 2
  integer, save, allocatable :: mv(:)
  type(zqb), save, target :: mo
end module";

/// The declarations of a unit and the first values of what it owns.
pub fn head(who: Who, style: Style, chance: &mut Rng) -> Vec<String> {
    let mut head: Vec<String> = Vec::new();
    let statement = match who {
        Who::Main => "program zqt",
        Who::Outer => "subroutine zqa(ua, ub, ux, la, lx)",
        Who::Inner => "subroutine zqi(ua, ub, ux, la, lx)",
        Who::Function => "integer function zqf(ua, ub)",
        Who::Alone => "subroutine zql(la, lx)",
    };
    let mut put = |lines: &[&str]| head.extend(lines.iter().map(|line| line.to_string()));
    put(&[statement]);
    put(if style.modern {
        &["  use mpi", "  use zqm"]
    } else {
        &[]
    });
    put(&["  implicit none"]);
    put(if style.modern {
        &[]
    } else {
        &["  include 'mpif.h'"]
    });
    put(&[if style.modern {
        "  integer, target :: uc, ud"
    } else {
        "  integer :: uc, ud"
    }]);
    put(&[
        "  integer :: ua, ub, la, lb, lc, ux(4), lx(4), ly(4)",
        "  integer :: i1, i2, i3, j1, j2, k1, k2, k3, k4, ic, ierr, rank, nprocs, cm",
        "  integer :: st(mpi_status_size), sts(mpi_status_size, 4), rq(4), sb(4), rb(4), big(16)",
        "  integer :: ga, gb, gx(4), ha, hx(4), parts(2)",
        "  double precision :: w(64), x",
        "  character(8) :: tx",
    ]);
    let other = style.layouts && who != Who::Main && chance.one_in(2);
    let common = if other {
        "gx, gb, ga, hx, ha"
    } else {
        "ga, gb, gx, ha, hx"
    };
    put(&[&format!("  common /zqc/ {common}")]);
    put(match who {
        Who::Main => &[],
        Who::Outer | Who::Inner | Who::Function | Who::Alone => &["  integer, save :: ks = 1"],
    });
    put(if style.modern {
        &["  type(zqb), target :: ob", "  integer, pointer :: pu"]
    } else {
        &[]
    });
    put(match who {
        Who::Function => &[],
        Who::Main | Who::Outer | Who::Inner | Who::Alone => &["  integer, external :: zqf"],
    });
    if !style.modern && style.layouts {
        put(match who {
            Who::Main => &["  equivalence (uc, ux(2)), (lc, lx(3))"],
            Who::Outer | Who::Inner | Who::Function | Who::Alone => &["  equivalence (lb, ly(2))"],
        });
    }
    if style.wide {
        head.extend(rare_features::DECLARATIONS.map(String::from));
    }
    head.extend(first_values(who, style, chance));
    head
}

fn first_values(who: Who, style: Style, chance: &mut Rng) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let own: &[&str] = match who {
        Who::Main => {
            lines.push("  call mpi_init(ierr)".into());
            &["ua", "ub", "ux", "ga", "gb", "gx"]
        }
        Who::Outer | Who::Inner | Who::Alone => &[],
        Who::Function => &["ux"],
    };
    lines.push("  call mpi_comm_rank(mpi_comm_world, rank, ierr)".into());
    lines.push("  call mpi_comm_size(mpi_comm_world, nprocs, ierr)".into());
    for name in own.iter().chain(&["uc", "ud"]) {
        lines.push(format!("  {name} = {}", 1 + chance.below(6)));
    }
    let own: &[&str] = match who {
        Who::Main => &["la", "lx", "ha", "hx"],
        Who::Outer | Who::Inner | Who::Alone => &[],
        Who::Function => &["la", "lx"],
    };
    for name in own.iter().chain(&["lb", "lc", "ly"]) {
        lines.push(format!(
            "  {name} = {} + {} * rank",
            1 + chance.below(4),
            chance.below(3)
        ));
    }
    lines.push("  i1 = 1; i2 = 1; i3 = 1; ic = 0; sb = 1; rb = 2; big = 3".into());
    lines.push("  w = 1.5d0; x = 0.5d0; tx = '       7'".into());
    if style.modern {
        let held = "  pu => uc; ob%w => ud; allocate(ob%v(4)); ob%v = 2";
        lines.push(held.into());
    }
    match who {
        Who::Main => {
            lines.push("  open(20, status='scratch')".into());
            if style.modern {
                lines.push("  mo%w => ma".into());
            }
            if style.wide {
                lines.extend(rare_features::FIRST_VALUES.map(String::from));
            }
        }
        Who::Function => lines.push("  zqf = ua".into()),
        Who::Inner if style.counts => lines.extend(COUNTED.map(String::from)),
        Who::Inner | Who::Outer | Who::Alone => {}
    }
    if who == Who::Main && style.counts {
        lines.extend((0..2).map(|_| "  call zqi(uc, uc, ux, la, lx)".into()));
    }
    lines
}

/// The next call, or the other half of an array, makes an assignment visible that nothing else does.
const COUNTED: [&str; 6] = [
    "  parts(1) = 1",
    "  parts(2) = ks",
    "  do i1 = 1, modulo(ks, 3) * parts(1)",
    "    call mpi_barrier(mpi_comm_world, ierr)",
    "  end do",
    "  ks = modulo(ks + 1, 97)",
];
