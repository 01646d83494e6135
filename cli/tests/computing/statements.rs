//! Random statements of compute blocks: loops and triangles, branches and jumps, calls, and what arrays do.

use super::program_tree::ProgramNode;
use super::rng::Rng;

/// What statements may name.
#[derive(Clone, Default)]
pub struct Scope {
    /// Whether what other ranks have sent may decide.
    pub sent: bool,
    /// Whether work terms cover most control flow, so that few ranks measure for all.
    pub quiet: bool,
    /// Whether there is a time loop around.
    pub steps: bool,
    /// Variables of loops around, the outermost first.
    pub loops: Vec<&'static str>,
    /// Constructs around.
    pub depth: usize,
}

/// Constructs in each other.
const DEEPEST: usize = 3;

const COUNTERS: [&str; 3] = ["i", "j", "k"];

/// A block: a few statements, of which at least one is a loop.
pub fn block(chance: &mut Rng, scope: &Scope) -> ProgramNode {
    let mut body = vec![looped(chance, scope)];
    (0..chance.below(3)).for_each(|_| body.push(statement(chance, scope)));
    ProgramNode::around(Vec::new(), body, Vec::new())
}

fn statement(chance: &mut Rng, scope: &Scope) -> ProgramNode {
    if scope.quiet && chance.one_in(2) {
        let has_room = scope.depth < DEEPEST && chance.one_in(2);
        return if has_room {
            looped(chance, scope)
        } else {
            work(chance, scope)
        };
    }
    match chance.below(if scope.depth < DEEPEST { 12 } else { 5 }) {
        0 => work(chance, scope),
        1 | 2 => call(chance, scope),
        3 => arrays(chance, scope),
        4 if !scope.loops.is_empty() => jump(chance, scope),
        4 | 5 => repeated(chance, scope),
        6 => select(chance, scope),
        7..=9 => branch(chance, scope),
        _ => looped(chance, scope),
    }
}

/// What stands in a construct.
fn body(chance: &mut Rng, scope: &Scope) -> Vec<ProgramNode> {
    let scope = Scope {
        depth: scope.depth + 1,
        ..scope.clone()
    };
    let mut body = vec![work(chance, &scope)];
    (0..chance.below(3)).for_each(|_| body.push(statement(chance, &scope)));
    body
}

fn work(chance: &mut Rng, scope: &Scope) -> ProgramNode {
    let at = scope.loops.last().copied().unwrap_or("3");
    let lines = [
        format!("s = s + 0.01d0*x({at})"),
        "s = s*0.5d0".into(),
        format!("a({at}, 1) = 0.5d0*a({at}, 2)"),
    ];
    ProgramNode::Lines(lines[..1 + chance.below(3)].to_vec())
}

/// A number that decides how often something is done.
fn bound(chance: &mut Rng, scope: &Scope) -> String {
    let known = [
        "n",
        "cap",
        "nc",
        "mc",
        "40/ranks",
        "rank + 3",
        "size(own)",
        "width",
        "n - mc",
        "max(3, n/2)",
    ];
    let of_data = [
        "shape(5)",
        "mine(2)",
        "shape(mod(rank, 20))",
        "shape(mod(n, 20))",
    ];
    let of_steps = [
        "grow",
        "5 + 7*flip",
        "mine(mod(step, 20))",
        "shape(mod(step, 20))",
        "step",
        "late",
    ];
    let sent = ["got", "most", "given"];
    match chance.below(10) {
        0 | 1 if scope.quiet && !chance.one_in(4) => chance.pick(&known).into(),
        0 => chance.pick(&of_data).into(),
        1 if scope.steps => chance.pick(&of_steps).into(),
        2 | 3 if scope.sent => chance.pick(&sent).into(),
        _ => chance.pick(&known).into(),
    }
}

fn condition(chance: &mut Rng, scope: &Scope) -> String {
    let on_rank = [
        "rank == 0",
        "rank == ranks - 1",
        "mod(rank, 2) == 0",
        "rank < ranks/2",
        "rank > 0 .and. n > 5",
    ];
    let of_data = [
        "mine(3) > 6",
        "shape(4) > 5",
        "y(3) > 0.5d0",
        "nc > 12",
        "of(n) > 0.1d0",
    ];
    let of_steps = [
        "mod(step, 2) == 0",
        "step > 4",
        "flip == 1",
        "late > 0",
        "grow > 8",
        "x(5) > 0.4d0",
    ];
    let sent = ["got > 6", "most > 10", "x(102) > 0.2d0"];
    if let Some(at) = scope.loops.last().filter(|_| !chance.one_in(3)) {
        let of_loop = [
            "mod(@, 2) == 0",
            "mod(@, 3) == 1",
            "@ <= 8",
            "@ <= 2*rank",
            "@ <= n/2",
            "@ >= lo",
            "@ <= size(own)",
            "x(@) > 0.5d0",
            "y(@) > 0.5d0",
            "mine(mod(@, 20)) > 6",
            "shape(mod(@, 20)) > 5",
            "@ == rank",
            "of(@) > 0.4d0",
            "@ > mc",
        ];
        let warned = if scope.quiet && !chance.one_in(4) {
            7
        } else {
            of_loop.len()
        };
        return chance.pick(&of_loop[..warned]).replace('@', at);
    }
    match chance.below(6) {
        0..=2 if scope.quiet && !chance.one_in(4) => chance.pick(&on_rank).into(),
        0 | 1 => chance.pick(&of_data).into(),
        2 if scope.steps => chance.pick(&of_steps).into(),
        3 if scope.sent => chance.pick(&sent).into(),
        _ => chance.pick(&on_rank).into(),
    }
}

fn looped(chance: &mut Rng, scope: &Scope) -> ProgramNode {
    let Some(&counter) = COUNTERS.get(scope.loops.len()) else {
        return work(chance, scope);
    };
    let many = bound(chance, scope);
    let range = match (chance.below(8), scope.loops.last()) {
        (0, None) => "lo, hi".to_string(),
        (0 | 1, Some(outer)) => format!("{outer}, {many}"),
        (2 | 3, Some(outer)) => format!("1, {outer}"),
        (4, Some(outer)) => format!("max(1, {outer} - 2), {outer} + 2"),
        (5, _) => format!("1, {many}, 2"),
        (6, _) => format!("{many}, 1, -1"),
        _ => format!("1, {many}"),
    };
    let inside = inside(scope, counter);
    ProgramNode::around(
        vec![format!("do {counter} = {range}")],
        body(chance, &inside),
        vec!["end do".into()],
    )
}

fn inside(scope: &Scope, counter: &'static str) -> Scope {
    let mut inside = scope.clone();
    inside.loops.push(counter);
    inside
}

/// A loop that counts by itself; none in another such.
fn repeated(chance: &mut Rng, scope: &Scope) -> ProgramNode {
    let many = bound(chance, scope);
    let head = vec![
        format!("w = {many}"),
        "do while (w > 0)".to_string(),
        "  w = w - 1".to_string(),
    ];
    ProgramNode::around(
        head,
        vec![work(chance, scope), work(chance, scope)],
        vec!["end do".into()],
    )
}

fn branch(chance: &mut Rng, scope: &Scope) -> ProgramNode {
    let head = vec![format!("if ({}) then", condition(chance, scope))];
    let mut parts = vec![(String::new(), body(chance, scope))];
    if chance.one_in(4) {
        parts.push((
            format!("else if ({}) then", condition(chance, scope)),
            body(chance, scope),
        ));
    }
    if chance.one_in(3) {
        parts.push(("else".into(), body(chance, scope)));
    }
    ProgramNode::Construct {
        head,
        parts,
        end: vec!["end if".into()],
    }
}

fn select(chance: &mut Rng, scope: &Scope) -> ProgramNode {
    let at = scope.loops.last().copied();
    let by = at
        .filter(|_| chance.one_in(2))
        .unwrap_or(if scope.steps && chance.one_in(2) {
            "step"
        } else {
            "rank"
        });
    let part = |chance: &mut Rng, line: &str| (line.to_string(), body(chance, scope));
    let parts = vec![
        part(chance, "case (0)"),
        part(chance, "case (1)"),
        ("case default".into(), vec![work(chance, scope)]),
    ];
    ProgramNode::Construct {
        head: vec![format!("select case (mod({by}, 3))")],
        parts,
        end: vec!["end select".into()],
    }
}

fn jump(chance: &mut Rng, scope: &Scope) -> ProgramNode {
    let jump = if chance.one_in(3) { "exit" } else { "cycle" };
    ProgramNode::line(format!("if ({}) {jump}", condition(chance, scope)))
}

fn call(chance: &mut Rng, scope: &Scope) -> ProgramNode {
    let many = bound(chance, scope);
    let at = scope.loops.last().copied().unwrap_or("7");
    ProgramNode::line(match chance.below(5) {
        0 => format!("call row({many})"),
        1 => format!("call corner({many})"),
        2 => format!("call until({many}, {})", bound(chance, scope)),
        3 => format!("call onto(y, {many})"),
        _ => format!("s = s + 0.01d0*of({at})"),
    })
}

fn arrays(chance: &mut Rng, scope: &Scope) -> ProgramNode {
    let many = bound(chance, scope);
    ProgramNode::line(match chance.below(7) {
        0 => "own = own*0.5d0 + 0.1d0".to_string(),
        1 => format!("y(1:{many}) = y(1:{many})*0.5d0 + 0.2d0"),
        2 => format!("s = s + 0.01d0*sum([(of(m), m = 1, {many})])"),
        3 => format!("y(1:{many}) = [(of(m), m = 1, {many})]"),
        4 => format!("write(text, '(*(f8.3))') (of(m), m = 1, {many})"),
        5 => "s = s + 0.01d0*sum([((of(m + v), m = 1, v), v = 1, mc)])".to_string(),
        _ => format!("s = s + 0.001d0*sum(x(1:{many}))"),
    })
}
