//! Blocks of many branches: their dependences are followed once for all, not once for each branch.

use crate::harness::analyse;

/// With a walk for each branch, a program of 45,000 lines was not analysed in 400 s.
#[test]
fn branches_that_read_each_other_are_classified_together() {
    const BRANCHES: usize = 2000;
    let mut branches = String::new();
    for i in 1..=BRANCHES {
        let next = i + 1;
        branches += &format!("  if (x({i}) > 0) x({next}) = x({next}) + sin(x({i}))\n");
    }
    let source = format!(
        "program t\nuse mpi\nimplicit none\ninteger :: error\nreal(8) :: x(2001)\ncall mpi_init(error)\nread *, x\n\
         call mpi_barrier(mpi_comm_world, error)\n{branches}call mpi_barrier(mpi_comm_world, error)\n\
         call mpi_finalize(error)\nend program\n"
    );
    let analysed = analyse(&source);
    // The branches go; the calls stay.
    assert_eq!(analysed.kept().len(), 4, "{:?}", analysed.kept());
}
