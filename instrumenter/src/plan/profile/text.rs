//! The inserted statements of a profiled program, and the source file that it needs beside its own.
//!
//! Storage is one COMMON block, so that nothing has to be inserted among USE statements. By the number of a directive:
//!
//! | array | content |
//! | --- | --- |
//! | `mpiete_v(1, k)` | number of values |
//! | `mpiete_v(2, k)` | their sum, largest, least, first or last |
//! | `mpiete_v(3, k)`, `mpiete_v(4, k)` | of `of`: the least and the largest |
//! | `mpiete_t(k)` | time or amount of messages when it was entered, or iterations |
//! | `mpiete_p(k)` | value before a call that may end MPI |
//! | `mpiete_o(k)` | 1 while it is open |
//! | `mpiete_n(1, k)`, `mpiete_n(2, k)` | first value and step of a loop |
//! | `mpiete_f(s)` | how often control is in calls of a step of a call path |
//! | `mpiete_b` | bytes of all messages so far |

use super::Target;
use base_data::profiling::Reduction;
use std::fmt::Write;

/// What is measured between entering and leaving.
pub(super) enum Measure {
    Time,
    /// Bytes of messages.
    Messages,
    /// The value of an expression when it is left.
    Variable(String),
    /// Iterations, counted one by one.
    CountedLoop,
    /// Iterations, from the bounds and the counter of the loop. The counter is one step beyond the last iteration if the loop ended
    /// by itself.
    LoopFromBounds {
        from: String,
        to: String,
        step: Option<String>,
        counter: String,
    },
}

/// The clock of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileClock {
    /// Processor time of the thread.
    Processor,
    /// Elapsed time.
    Elapsed,
}

impl ProfileClock {
    /// Its number for clock_gettime, on Linux.
    pub(crate) fn number(self) -> i32 {
        match self {
            // CLOCK_THREAD_CPUTIME_ID.
            Self::Processor => 3,
            // CLOCK_MONOTONIC.
            Self::Elapsed => 1,
        }
    }
}

/// Declares what [`WRITE`] calls, outside the library.
pub(super) const DECLARE_WRITE: &str = "external mpiete_profile_write";

/// The call that writes the values.
pub(super) const WRITE: &str = "call mpiete_profile_write";

/// A condition that holds inside calls of a step.
pub(super) fn flag_is_set(flag: usize) -> String {
    format!("mpiete_f({flag}) > 0_8")
}

/// Enters a call of a step, or leaves it.
pub(super) fn mark(flag: usize, sign: char) -> String {
    format!("mpiete_f({flag}) = mpiete_f({flag}) {sign} 1_8")
}

/// Bytes of so many elements.
pub(super) fn bytes(count: &str, datatype: &str) -> String {
    format!("mpiete_profile_bytes(int({count}, 8), int({datatype}, 4))")
}

/// Bytes of the message that a call has received with a status.
pub(super) fn received(status: &str, datatype: &str) -> String {
    format!("mpiete_profile_received({status}, int({datatype}, 4))")
}

/// Bytes of the message that a call is about to receive.
pub(super) fn probed(source: &str, tag: &str, communicator: &str, datatype: &str) -> String {
    format!(
        "mpiete_profile_probed(int({source}, 4), int({tag}, 4), int({communicator}, 4), int({datatype}, 4))"
    )
}

/// Adds to the bytes of all messages.
pub(super) fn add_bytes(bytes: &str) -> String {
    format!("mpiete_b = mpiete_b + {bytes}")
}

/// Counts an iteration.
pub(super) fn iteration(number: usize) -> String {
    format!("mpiete_t({number}) = mpiete_t({number}) + 1.0_8")
}

/// Enters what is measured.
pub(super) fn enter(target: &Target, measure: &Measure) -> String {
    let k = target.number;
    let open = format!("mpiete_o({k}) = 1_8");
    let begin = match measure {
        Measure::Time => format!("{open}; mpiete_t({k}) = mpiete_profile_clock()"),
        Measure::Messages => format!("{open}; mpiete_t({k}) = mpiete_b"),
        Measure::Variable(_) => open,
        Measure::CountedLoop => format!("{open}; mpiete_t({k}) = 0.0_8"),
        Measure::LoopFromBounds { from, to, step, .. } => {
            // The number of iterations as Fortran defines it: MAX((last - first + step)/step, 0).
            let first = format!("{open}; mpiete_n(1, {k}) = int({from}, 8)");
            match step {
                None => format!(
                    "{first}; mpiete_t({k}) = real(max(0_8, int({to}, 8) - mpiete_n(1, {k}) + 1_8), 8)"
                ),
                Some(step) => format!(
                    "{first}; mpiete_n(2, {k}) = int({step}, 8); mpiete_t({k}) = real(max(0_8, (int({to}, 8) \
                     - mpiete_n(1, {k}) + mpiete_n(2, {k})) / mpiete_n(2, {k})), 8)"
                ),
            }
        }
    };
    guarded(target.condition.as_deref(), &begin)
}

/// Leaves what is measured, if it is open.
pub(super) fn leave(target: &Target, measure: &Measure) -> String {
    left_with(target, &value_of(target.number, measure))
}

/// Keeps the value that it has so far, if it is open: a procedure that ends MPI does not see it.
pub(super) fn keep(target: &Target, measure: &Measure) -> String {
    let k = target.number;
    let value = value_of(k, measure);
    format!("if (mpiete_o({k}) /= 0_8) mpiete_p({k}) = {value}")
}

/// Leaves what is still open when MPI ends.
pub(super) fn close(target: &Target, measure: &Measure) -> String {
    match measure {
        Measure::Time | Measure::Messages | Measure::CountedLoop => leave(target, measure),
        Measure::Variable(_) | Measure::LoopFromBounds { .. } => {
            left_with(target, &format!("mpiete_p({})", target.number))
        }
    }
}

fn left_with(target: &Target, value: &str) -> String {
    let k = target.number;
    format!(
        "if (mpiete_o({k}) /= 0_8) then; mpiete_o({k}) = 0_8; {}; end if",
        reduced(k, target.reduction, value)
    )
}

fn value_of(k: usize, measure: &Measure) -> String {
    match measure {
        Measure::Time => format!("mpiete_profile_clock() - mpiete_t({k})"),
        Measure::Messages => format!("mpiete_b - mpiete_t({k})"),
        Measure::Variable(value) => value.clone(),
        Measure::CountedLoop => format!("mpiete_t({k})"),
        Measure::LoopFromBounds { step, counter, .. } => {
            // After an EXIT, the counter gives the number of iterations that were begun. After the last iteration it is one step
            // further, and the number from the bounds is the smaller one.
            let distance = format!("int({counter}, 8) - mpiete_n(1, {k})");
            let iterations = match step {
                None => distance,
                Some(_) => format!("({distance}) / mpiete_n(2, {k})"),
            };
            format!("min(mpiete_t({k}), real({iterations} + 1_8, 8))")
        }
    }
}

/// Takes a value where it arises.
pub(super) fn value(target: &Target, value: &str) -> String {
    let statements = reduced(target.number, target.reduction, value);
    guarded(target.condition.as_deref(), &statements)
}

fn guarded(condition: Option<&str>, statements: &str) -> String {
    match condition {
        None => statements.into(),
        Some(condition) => format!("if ({condition}) then; {statements}; end if"),
    }
}

/// Adds a value to its accumulator.
fn reduced(k: usize, reduction: Reduction, value: &str) -> String {
    let count = format!("mpiete_v(1, {k}) = mpiete_v(1, {k}) + 1.0_8");
    let result = format!("mpiete_v(2, {k})");
    let is_first = format!("mpiete_v(1, {k}) == 0.0_8");
    match reduction {
        Reduction::Average => format!("{result} = {result} + {value}; {count}"),
        Reduction::Tail => format!("{result} = {value}; {count}"),
        Reduction::Head => format!("if ({is_first}) {result} = {value}; {count}"),
        Reduction::Maximum | Reduction::Minimum => {
            let choose = if reduction == Reduction::Maximum {
                "max"
            } else {
                "min"
            };
            format!(
                "mpiete_x = {value}; if ({is_first}) {result} = mpiete_x; {result} = {choose}({result}, mpiete_x); {count}"
            )
        }
        Reduction::Of => {
            let (least, largest) = (format!("mpiete_v(3, {k})"), format!("mpiete_v(4, {k})"));
            format!(
                "mpiete_x = {value}; if ({is_first}) then; {result} = mpiete_x; {least} = mpiete_x; {largest} = mpiete_x; \
                 end if; {least} = min({least}, mpiete_x); {largest} = max({largest}, mpiete_x); {count}"
            )
        }
    }
}

/// The source file that a profiled program needs beside its own.
#[derive(Clone, Debug)]
pub(super) struct Library {
    pub(super) directives: usize,
    pub(super) flags: usize,
    /// Statements that end what is still open.
    pub(super) closings: Vec<String>,
}

impl Library {
    /// Declarations of each procedure that measures something.
    pub(super) fn declarations(&self) -> Vec<String> {
        let (directives, flags) = (self.directives, self.flags.max(1));
        vec![
            format!(
                "real(8) mpiete_v(4, {directives}), mpiete_t({directives}), mpiete_p({directives}), mpiete_b, mpiete_x"
            ),
            format!(
                "integer(8) mpiete_o({directives}), mpiete_n(2, {directives}), mpiete_f({flags})"
            ),
            "common /mpiete_profile/ mpiete_v, mpiete_t, mpiete_p, mpiete_b, mpiete_o, mpiete_n, mpiete_f"
                .into(),
            "real(8) mpiete_profile_clock, mpiete_profile_bytes, mpiete_profile_received".into(),
            "real(8) mpiete_profile_probed".into(),
            "external mpiete_profile_clock, mpiete_profile_bytes, mpiete_profile_received".into(),
            "external mpiete_profile_probed".into(),
        ]
    }

    pub(super) fn text(&self, folder: &str, clock: ProfileClock) -> String {
        let mut text = LIBRARY.replace("<CLOCK>", &clock.number().to_string());
        let mut lines = String::new();
        for line in self.declarations() {
            let _ = writeln!(lines, "  {line}");
        }
        text = text.replace("  <DECLARATIONS>\n", &lines);
        lines.clear();
        for closing in &self.closings {
            // One statement a line: all together may exceed the 132 columns of free form.
            for statement in closing.split("; ") {
                let _ = writeln!(lines, "  {statement}");
            }
        }
        text = text.replace("  <CLOSINGS>\n", &lines);
        text = text.replace("<DIRECTIVES>", &self.directives.to_string());
        text.replace("<FOLDER>", &constant(folder))
    }
}

/// A character constant, in pieces that fit on lines.
fn constant(text: &str) -> String {
    // Even 60 apostrophes, which are doubled, fit into the 132 columns of free form.
    let characters: Vec<char> = text.chars().collect();
    let pieces = characters.chunks(60).map(|piece| {
        let piece: String = piece.iter().collect();
        format!("'{}'", piece.replace('\'', "''"))
    });
    pieces.collect::<Vec<_>>().join("// &\n    ")
}

/// Each rank writes one file: number of ranks, number of directives and the time of a reading of the clock; then a line for each
/// directive.
///
/// The clock stands while it is read, so that times do not contain the readings of directives inside them. The time of a reading
/// is the least mean of a hundred: an interrupted hundred counts too much.
const LIBRARY: &str = "\
! Clock, amounts of messages and output of a program that mpiete profiles for a meta-program.
function mpiete_profile_clock() result(time)
  use, intrinsic :: iso_c_binding, only: c_int, c_long
  implicit none
  real(8) :: time, begun, cost, readings
  common /mpiete_reading/ cost, readings
  integer(c_long) :: parts(2)
  integer(c_int) :: status
  integer :: hundred, i
  interface
    function clock_gettime(clock, parts) bind(c, name='clock_gettime')
      import :: c_int, c_long
      integer(c_int), value :: clock
      integer(c_long) :: parts(2)
      integer(c_int) :: clock_gettime
    end function clock_gettime
  end interface
  if (cost == 0.0_8) then
    cost = huge(cost)
    do hundred = 1, 20
      status = clock_gettime(<CLOCK>_c_int, parts)
      begun = real(parts(1), 8)*1.0e9_8 + real(parts(2), 8)
      do i = 1, 100
        status = clock_gettime(<CLOCK>_c_int, parts)
      end do
      time = real(parts(1), 8)*1.0e9_8 + real(parts(2), 8)
      cost = min(cost, (time - begun)/100.0_8)
    end do
  end if
  status = clock_gettime(<CLOCK>_c_int, parts)
  time = real(parts(1), 8)*1.0e9_8 + real(parts(2), 8) - readings*cost
  readings = readings + 1.0_8
end function mpiete_profile_clock

function mpiete_profile_bytes(count, datatype) result(bytes)
  implicit none
  integer(8) :: count
  integer(4) :: datatype
  real(8) :: bytes
  integer :: one, error
  call MPI_Type_size(int(datatype), one, error)
  bytes = real(count, 8)*real(one, 8)
end function mpiete_profile_bytes

function mpiete_profile_received(status, datatype) result(bytes)
  implicit none
  include 'mpif.h'
  integer :: status(*)
  integer(4) :: datatype
  real(8) :: bytes
  integer :: count, one, error
  call MPI_Type_size(int(datatype), one, error)
  call MPI_Get_count(status, int(datatype), count, error)
  ! The last element may be incomplete.
  if (count == MPI_UNDEFINED) then
    one = 1
    call MPI_Get_count(status, MPI_BYTE, count, error)
  end if
  bytes = real(count, 8)*real(one, 8)
end function mpiete_profile_received

function mpiete_profile_probed(source, tag, communicator, datatype) result(bytes)
  implicit none
  include 'mpif.h'
  integer(4) :: source, tag, communicator, datatype
  real(8) :: bytes, mpiete_profile_received
  external mpiete_profile_received
  integer :: status(MPI_STATUS_SIZE), error
  call MPI_Probe(int(source), int(tag), int(communicator), status, error)
  bytes = mpiete_profile_received(status, datatype)
end function mpiete_profile_probed

subroutine mpiete_profile_write
  implicit none
  include 'mpif.h'
  <DECLARATIONS>
  real(8) :: cost, readings, now
  common /mpiete_reading/ cost, readings
  integer :: i, rank, ranks, file, error
  character(len=12) :: digits
  <CLOSINGS>
  ! Without directives of times nothing has measured the time of a reading.
  now = mpiete_profile_clock()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  write (digits, '(i0)') rank
  open (newunit=file, file= &
    <FOLDER>// &
    '/'//trim(digits), action='write', status='replace')
  write (file, '(i0,1x,i0,1x,es24.16e3)') ranks, <DIRECTIVES>, cost
  do i = 1, <DIRECTIVES>
    write (file, '(4(1x,es24.16e3))') mpiete_v(:, i)
  end do
  close (file)
end subroutine mpiete_profile_write
";
