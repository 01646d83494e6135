//! BLOCK DATA. Derived types, pointers and who may be called are in `tests/ui/ir`.

use super::{diagnostics_text, lower};

#[test]
fn block_data_gives_common_its_values() {
    let (_, lowered) = lower(&[(
        "a.f",
        "      program p\n      common /c/ x, n\n      x = n\n      end\n      block data\n      common /c/ x, n\n      data n /3/\n      end\n",
    )]);
    assert_eq!(diagnostics_text(&lowered), "");
    assert_eq!(lowered.program.procedures.len(), 1);
    let places = |name: &str| {
        lowered
            .program
            .variables
            .iter()
            .filter(|one| one.name == name)
            .count()
    };
    assert_eq!((places("x"), places("n")), (2, 2));
}
