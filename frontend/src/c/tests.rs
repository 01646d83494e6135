//! Positions in a text that a preprocessor made.

use super::*;

const TEXT: &str = r#"# 0 "a.c"
# 1 "/usr/include/odd.h" 1 3 4
extern int odd (int) __asm__ ("" "other") __attribute__ ((__nothrow__ , @));
# 2 "a.c" 2
typedef struct { int a; } pair;
typedef double real;
static int total = 3;
static real work(int n, double *data, register int r)
{
  pair p; real x = 1.0; static int kept = 5;
  int i, list[3];
  for (i = 0; i < n; i++)
    x += data[i];
#pragma GCC ivdep
  while (x > 0) {
    int i = 2;
    (x)--, ++i;
    if (i == 3) goto out;
  }
  do { x = other(x = 2, (list[0]), sizeof(i++)); } while (x < 3);
out:
  switch (n) { case 1: (work)(n - 1, data + f(1), r); }
  return x;
}
"#;

fn read() -> CFile {
    CFile::read("a.c", TEXT.into())
}

fn spelled<'a>(file: &CFile, ranges: impl Iterator<Item = &'a Range<usize>>) -> Vec<String> {
    ranges.map(|range| file.spelling(range)).collect()
}

#[test]
fn loops_and_assignments_stand_in_the_order_of_the_text() {
    let file = read();
    let [function] = &file.functions[..] else {
        panic!("{:?}", file.functions)
    };
    assert_eq!((function.name.as_str(), function.unread), ("work", None));
    let kinds: Vec<CLoopKind> = function.loops.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [CLoopKind::For, CLoopKind::While, CLoopKind::Do]);
    let places: Vec<String> = function
        .loops
        .iter()
        .map(|one| file.place(one.begin))
        .collect();
    assert_eq!(places, ["a.c:9", "a.c:12", "a.c:17"]);
    assert!(
        file.spelling(&function.loops[1].whole)
            .starts_with("#pragma")
    );
    let names = function
        .assignments
        .iter()
        .map(|one| one.name.as_str())
        .collect::<Vec<_>>();
    assert_eq!(names, ["x", "i", "i", "x", "i", "x", "i", "x", "x"]);
    let texts = spelled(&file, function.assignments.iter().map(|one| &one.whole));
    assert_eq!(
        texts,
        [
            "1.0",
            "i = 0",
            "i++",
            "x += data[i]",
            "2",
            "(x)--",
            "++i",
            "x = other(x = 2, (list[0]), sizeof(i++))",
            "x = 2"
        ]
    );
}

#[test]
fn calls_have_their_arguments() {
    let file = read();
    let calls = &file.functions[0].calls;
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["other", "work", "f"]);
    let effects = |call: &CCall| -> Vec<bool> {
        let arguments = call.arguments.iter();
        arguments.map(|one| one.has_effects).collect()
    };
    assert_eq!(effects(&calls[0]), [true, false, false]);
    assert_eq!(effects(&calls[1]), [false, true, false]);
}

#[test]
fn variables_are_those_of_their_scope() {
    let file = read();
    let function = &file.functions[0];
    let kind = |name: &str, at: &str| {
        let at = TEXT.find(at).unwrap();
        let variable = function.variable(name, at)?;
        Some((variable.of_type, variable.is_outermost))
    };
    assert_eq!(kind("x", "return"), Some((CType::Number, true)));
    assert_eq!(kind("p", "return"), Some((CType::Structure, true)));
    assert_eq!(kind("data", "return"), Some((CType::Pointer, true)));
    assert_eq!(kind("list", "return"), Some((CType::Array, true)));
    assert_eq!(kind("i", "++i"), Some((CType::Number, false)));
    assert_eq!(kind("i", "return"), Some((CType::Number, true)));
    assert_eq!(kind("x", "pair p"), None);
    assert!(function.variables.iter().any(|one| one.is_register));
    let globals: Vec<&str> = file.variables.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(globals, ["total"]);
}

#[test]
fn macros_of_system_headers_are_parts_of_expressions() {
    // As gcc -E writes `f(NULL, stderr)`.
    let text = "\
# 0 \"b.c\"
# 1 \"/usr/include/stdio.h\" 1 3 4
extern @ \"C\";
# 2 \"b.c\" 2
int g(int *p) {
  int k = 1;
  if (p == 
# 5 \"b.c\" 3 4
          ((void *)0)
# 5 \"b.c\"
              ) f(
# 5 \"b.c\" 3 4
                 ((void *)0)
# 5 \"b.c\"
                     , k);
  return k;
}
";
    let file = CFile::read("b.c", text.into());
    let [function] = &file.functions[..] else {
        panic!("{:?}", file.functions);
    };
    assert_eq!(function.unread, None);
    let call = &function.calls[0];
    assert_eq!(call.arguments.len(), 2);
    let whole = file.spelling(&call.whole);
    let words: Vec<&str> = whole.split_whitespace().collect();
    assert_eq!(words.join(" "), "f( ((void *)0) , k)");
    assert_eq!(file.place(text.find("return").unwrap()), "b.c:6");
}

#[test]
fn labels_and_unreadable_text_are_noted() {
    let file = read();
    let function = &file.functions[0];
    let labels: Vec<Option<&str>> = function
        .labels
        .iter()
        .map(|label| label.name.as_deref())
        .collect();
    assert!(
        labels.contains(&Some("out")) && labels.contains(&None),
        "{labels:?}"
    );
    assert_eq!(function.jumps.len(), 1);
    let broken = CFile::read("b.c", "int f(void) { x = ) 3 @; }\n".into());
    assert!(broken.functions.iter().all(|one| one.unread.is_some()));
}
