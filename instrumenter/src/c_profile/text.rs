//! The inserted C text, and the source file that a profiled program needs beside its own.
//!
//! A range that is measured has a *guard*: a variable with the attribute `cleanup` of GCC and Clang, whose function is executed
//! where its scope is left, be it by return, break, goto or the end. By the number of a directive, from 0:
//!
//! | array | content |
//! | --- | --- |
//! | `mpiete_v[k]` | number of values; their sum, largest, least, first or last; of `of`: the least and the largest |
//! | `mpiete_t[k]` | time or amount of messages when it was entered |
//! | `mpiete_p[k]` | value before a call that may end MPI |
//! | `mpiete_o[k]` | 1 while it is open, 2 if `mpiete_p[k]` has its value |
//! | `mpiete_f[s]` | how often control is in calls of a step of a call path |
//! | `mpiete_b` | bytes of all messages so far |

use super::{ProfileClock, Target};
use base_data::profiling::Reduction;
use std::fmt::Write;
use std::ops::Range;

/// What is measured between entering and leaving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Time,
    /// Bytes of messages.
    Messages,
    /// The number that the guard refers to: a variable, or a counter of iterations.
    Number,
}

/// A condition that holds inside calls of a step.
pub(super) fn flag_is_set(flag: usize) -> String {
    format!("mpiete_f[{flag}] > 0")
}

/// Texts around a call of a step of a call path.
pub(super) fn mark(flag: usize) -> (String, String) {
    let before = format!(
        "({{ int mpiete_mark __attribute__((cleanup(mpiete_unmark))) = {flag}; ++mpiete_f[{flag}]; "
    );
    (before, "; })".into())
}

/// Texts around a call of MPI_Finalize.
pub(super) fn write_values() -> (String, String) {
    ("(mpiete_profile_write(), ".into(), ")".into())
}

/// Bytes of so many elements. `other` is used where MPI ignores the first pair.
pub(super) fn bytes(buffer: Option<&str>, first: (&str, &str), other: (&str, &str)) -> String {
    let buffer = buffer.unwrap_or("0");
    format!(
        "({{ double mpiete_profile_bytes(const void *, double, MPI_Datatype, double, MPI_Datatype); \
         mpiete_profile_bytes({buffer}, (double)({}), {}, (double)({}), {}); }})",
        first.0, first.1, other.0, other.1
    )
}

/// Bytes of a call, as expressions.
#[derive(Clone, Debug, Default)]
pub(super) struct Amounts {
    /// Evaluated before it: what it sends, or the size of a buffer.
    pub(super) before: Option<String>,
    /// Evaluated behind it: what it has received.
    pub(super) after: Option<String>,
    /// The argument whose status that has.
    pub(super) status: Option<Range<usize>>,
}

/// Bytes of the message that the last call with a kept status has received.
pub(super) fn received(datatype: &str) -> String {
    format!(
        "({{ double mpiete_profile_received(MPI_Datatype); mpiete_profile_received({datatype}); }})"
    )
}

/// Texts around a status, which is kept even if the program ignores it.
pub(super) fn kept_status() -> (String, String) {
    let before = "({ MPI_Status *mpiete_profile_status(MPI_Status *); mpiete_profile_status(";
    (before.into(), "); })".into())
}

/// Texts around a call that add to the bytes of all messages.
pub(super) fn add_bytes(amounts: &Amounts) -> (String, String) {
    let mut before = String::from("({ ");
    if let Some(bytes) = &amounts.before {
        let _ = write!(before, "mpiete_b += {bytes}; ");
    }
    let Some(bytes) = &amounts.after else {
        return (before, "; })".into());
    };
    before += RESULT;
    (before, format!("; mpiete_b += {bytes}; mpiete_result; }})"))
}

/// Keeps what a call returns.
const RESULT: &str = "int mpiete_result = ";

/// Texts around a call, with a value that is taken behind it.
pub(super) fn value_after(target: &Target, value: &str) -> (String, String) {
    let after = format!(
        "; mpiete_value_{}({value}); mpiete_result; }})",
        target.number
    );
    (format!("({{ {RESULT}"), after)
}

/// Texts around a call, with a value that is taken before it.
pub(super) fn value_before(target: &Target, value: &str) -> (String, String) {
    let before = format!("({{ mpiete_value_{}({value}); ", target.number);
    (before, "; })".into())
}

/// Texts around an expression that assigns a variable and has its new value.
pub(super) fn assigned(target: &Target, name: &str) -> (String, String) {
    let after = format!(
        "; mpiete_value_{}((double)({name})); {name}; }})",
        target.number
    );
    ("({ ".into(), after)
}

/// Texts around `x++`, whose value is the one before.
pub(super) fn assigned_postfix(target: &Target, name: &str) -> (String, String) {
    let before = format!("({{ __typeof__({name}) mpiete_old = ");
    let after = format!(
        "; mpiete_value_{}((double)({name})); mpiete_old; }})",
        target.number
    );
    (before, after)
}

/// Texts around the value in a declaration.
pub(super) fn initial(target: &Target, name: &str) -> (String, String) {
    let before = format!("({{ __typeof__({name}) mpiete_new = ");
    let after = format!(
        "; mpiete_value_{}((double) mpiete_new); mpiete_new; }})",
        target.number
    );
    (before, after)
}

/// What the guard of a directive refers to.
pub(super) enum Guarded<'a> {
    Nothing,
    Variable(&'a str),
    Iterations,
}

/// Declares a guard and enters what it measures.
pub(super) fn enter(target: &Target, guarded: &Guarded<'_>) -> String {
    let k = target.number;
    let (counter, content) = match guarded {
        Guarded::Nothing => (String::new(), "0, 0, 0, 0".into()),
        Guarded::Variable(name) => (
            String::new(),
            // A conversion shows what the type is: 0.5 is 0 in whole numbers, and -1 is large in unsigned ones.
            format!(
                "&{name}, sizeof({name}), (__typeof__({name})) 0.5 != 0, (__typeof__({name})) -1 < 0"
            ),
        ),
        Guarded::Iterations => (
            format!("long long mpiete_n{k} = 0; "),
            format!("&mpiete_n{k}, sizeof(mpiete_n{k}), 0, 1"),
        ),
    };
    format!(
        "{counter}struct mpiete_guard mpiete_g{k} __attribute__((cleanup(mpiete_leave_{k}))) = {{ {content} }}; \
         mpiete_enter_{k}();"
    )
}

/// Counts an iteration.
pub(super) fn iteration(target: &Target) -> String {
    format!("++mpiete_n{};", target.number)
}

/// Texts around a call that may end MPI: the value so far is kept.
pub(super) fn keep_value(target: &Target) -> (String, String) {
    let k = target.number;
    let before = format!(
        "({{ if (mpiete_o[{k}]) {{ mpiete_o[{k}] = 2; mpiete_p[{k}] = mpiete_number(&mpiete_g{k}); }} "
    );
    (before, "; })".into())
}

/// Functions of a directive, and the source file with the accumulators.
#[derive(Clone, Debug, Default)]
pub(super) struct Library {
    /// Functions of all directives.
    functions: String,
    /// Statements that end what is still open at MPI_Finalize.
    closings: String,
    directives: usize,
    pub(super) flags: usize,
}

impl Library {
    /// Adds a directive; `measure` is that of its range, if it has one.
    pub(super) fn add(&mut self, target: &Target, measure: Option<Measure>) {
        let k = target.number;
        self.directives = self.directives.max(k + 1);
        let condition = target.condition.as_deref().unwrap_or("1");
        let reduced = reduced(k, target.reduction);
        let mut text = format!(
            "{INLINE} void mpiete_value_{k}(double mpiete_x) {{ if ({condition}) {{ {reduced} }} }}\n"
        );
        if let Some(measure) = measure {
            let begin = match measure {
                Measure::Time => format!("mpiete_t[{k}] = mpiete_profile_clock();"),
                Measure::Messages => format!("mpiete_t[{k}] = mpiete_b;"),
                Measure::Number => String::new(),
            };
            let of_guard = "mpiete_number(mpiete_g)".to_string();
            // The library does not see variables: it has the value that was kept last.
            let (value, closing, is_known) = match measure {
                Measure::Time => {
                    let value = format!("mpiete_profile_clock() - mpiete_t[{k}]");
                    (value.clone(), value, ">= 1")
                }
                Measure::Messages => {
                    let value = format!("mpiete_b - mpiete_t[{k}]");
                    (value.clone(), value, ">= 1")
                }
                Measure::Number => (of_guard, format!("mpiete_p[{k}]"), "== 2"),
            };
            // Whether it is on its call path was found out when it was entered.
            let _ = write!(
                text,
                "{INLINE} void mpiete_enter_{k}(void) {{ if ({condition}) {{ mpiete_o[{k}] = 1; {begin} }} }}\n\
                 {INLINE} void mpiete_leave_{k}(const struct mpiete_guard *mpiete_g) {{ if (mpiete_o[{k}]) {{ \
                 double mpiete_x = {value}; mpiete_o[{k}] = 0; {reduced} }} }}\n"
            );
            let _ = writeln!(
                self.closings,
                "  if (mpiete_o[{k}] {is_known}) {{ double mpiete_x = {closing}; mpiete_o[{k}] = 0; {reduced} }}"
            );
        }
        self.functions.push_str(&text);
    }

    /// Declarations at the beginning of each file.
    pub(super) fn declarations(&self) -> String {
        let (directives, flags) = (self.directives.max(1), self.flags.max(1));
        format!(
            "extern double mpiete_v[{directives}][4], mpiete_t[{directives}], mpiete_p[{directives}], mpiete_b;\n\
             extern int mpiete_o[{directives}];\nextern long mpiete_f[{flags}];\n{DECLARATIONS}{}",
            self.functions
        )
    }

    /// The source file that is compiled with the program. Each rank writes the file of its number into `folder`.
    pub(super) fn text(&self, folder: &str, clock: ProfileClock) -> String {
        let (directives, flags) = (self.directives.max(1), self.flags.max(1));
        let declarations = format!(
            "{}double mpiete_v[{directives}][4], mpiete_t[{directives}], mpiete_p[{directives}], mpiete_b;\n\
             int mpiete_o[{directives}];\nlong mpiete_f[{flags}];\n",
            self.declarations()
        );
        LIBRARY
            .replace("<CLOCK>", &clock.number().to_string())
            .replace("<DECLARATIONS>\n", &declarations)
            .replace("<CLOSINGS>\n", &self.closings)
            .replace("<DIRECTIVES>", &self.directives.to_string())
            .replace("<FOLDER>", &constant(folder))
    }
}

/// Adds the value `mpiete_x` to an accumulator.
fn reduced(k: usize, reduction: Reduction) -> String {
    let (count, result) = (format!("mpiete_v[{k}][0]"), format!("mpiete_v[{k}][1]"));
    let keep = |operator: &str, to: &str| {
        format!("if ({count} == 0 || mpiete_x {operator} {to}) {to} = mpiete_x;")
    };
    let statements = match reduction {
        Reduction::Average => format!("{result} += mpiete_x;"),
        Reduction::Tail => format!("{result} = mpiete_x;"),
        Reduction::Head => format!("if ({count} == 0) {result} = mpiete_x;"),
        Reduction::Maximum => keep(">", &result),
        Reduction::Minimum => keep("<", &result),
        Reduction::Of => format!(
            "if ({count} == 0) {result} = mpiete_x; {} {}",
            keep("<", &format!("mpiete_v[{k}][2]")),
            keep(">", &format!("mpiete_v[{k}][3]"))
        ),
    };
    format!("{statements} {count} += 1;")
}

/// A string constant.
fn constant(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Specifiers of the inserted functions. They are always inlined, so that a variable whose address a guard has may stay in a
/// register.
const INLINE: &str = "static __inline__ __attribute__((always_inline, unused))";

const DECLARATIONS: &str = "\
struct mpiete_guard { const void *at; int size; int is_real; int is_signed; };
double mpiete_profile_clock(void);
void mpiete_profile_write(void);
static __inline__ __attribute__((always_inline, unused)) void mpiete_unmark(int *mpiete_s) { --mpiete_f[*mpiete_s]; }
static __inline__ __attribute__((always_inline, unused)) double mpiete_number(const struct mpiete_guard *g) {
  signed char c; short s; int i; long long l; float f; double d; long double e;
  switch (g->size) {
    case 1: __builtin_memcpy(&c, g->at, 1); return g->is_signed ? (double) c : (double) (unsigned char) c;
    case 2: __builtin_memcpy(&s, g->at, 2); return g->is_signed ? (double) s : (double) (unsigned short) s;
    case 4:
      if (g->is_real) { __builtin_memcpy(&f, g->at, 4); return f; }
      __builtin_memcpy(&i, g->at, 4); return g->is_signed ? (double) i : (double) (unsigned int) i;
    case 8:
      if (g->is_real) { __builtin_memcpy(&d, g->at, 8); return d; }
      __builtin_memcpy(&l, g->at, 8); return g->is_signed ? (double) l : (double) (unsigned long long) l;
    default: __builtin_memcpy(&e, g->at, sizeof e); return (double) e;
  }
}
";

/// Each rank writes one file: number of ranks, number of directives and the time of a reading of the clock; then a line for each
/// directive. The clock stands while it is read, as in Fortran.
const LIBRARY: &str = "\
/* Clock, amounts of messages and output of a program that mpiete profiles for a meta-program. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <time.h>
<DECLARATIONS>

static double mpiete_cost, mpiete_readings;

static double mpiete_now(void) {
  struct timespec t;
  clock_gettime(<CLOCK>, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

double mpiete_profile_clock(void) {
  int hundred, i;
  if (mpiete_cost == 0) {
    mpiete_cost = 1e300;
    for (hundred = 0; hundred < 20; hundred++) {
      double begun = mpiete_now(), time = begun;
      for (i = 0; i < 100; i++) time = mpiete_now();
      if ((time - begun) / 100 < mpiete_cost) mpiete_cost = (time - begun) / 100;
    }
  }
  return mpiete_now() - mpiete_readings++ * mpiete_cost;
}

/* MPI ignores count and type beside MPI_IN_PLACE: the other pair has the amount then. */
double mpiete_profile_bytes(const void *buffer, double count, MPI_Datatype type, double other_count, MPI_Datatype other_type) {
  int size = 0;
  if (buffer == MPI_IN_PLACE || type == MPI_DATATYPE_NULL) {
    count = other_count;
    type = other_type;
  }
  if (type != MPI_DATATYPE_NULL) MPI_Type_size(type, &size);
  return count * (double) size;
}

static MPI_Status mpiete_own_status, *mpiete_status;

MPI_Status *mpiete_profile_status(MPI_Status *status) {
  mpiete_status = status == MPI_STATUS_IGNORE ? &mpiete_own_status : status;
  return mpiete_status;
}

double mpiete_profile_received(MPI_Datatype type) {
  int count = 0, size = 1;
  MPI_Type_size(type, &size);
  MPI_Get_count(mpiete_status, type, &count);
  /* The last element may be incomplete. */
  if (count == MPI_UNDEFINED) {
    size = 1;
    MPI_Get_count(mpiete_status, MPI_BYTE, &count);
  }
  return count * (double) size;
}

void mpiete_profile_write(void) {
  int i, rank, ranks;
  char name[4096];
  FILE *file;
<CLOSINGS>
  /* Without directives of times nothing has measured the time of a reading. */
  mpiete_profile_clock();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(name, sizeof name, \"%s/%d\", <FOLDER>, rank);
  file = fopen(name, \"w\");
  if (!file) return;
  fprintf(file, \"%d %d %.17g\\n\", ranks, <DIRECTIVES>, mpiete_cost);
  for (i = 0; i < <DIRECTIVES>; i++)
    fprintf(file, \"%.17g %.17g %.17g %.17g\\n\", mpiete_v[i][0], mpiete_v[i][1], mpiete_v[i][2], mpiete_v[i][3]);
  fclose(file);
}
";
