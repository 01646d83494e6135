//! Properties of reader and formatter: what is written reads as the same tree, and no text makes the reader panic.

use base_data::profiling::{Position, Quantity, Reduction};
use meta::syntax::{
    ACTIONS, BinaryOperator, Block, CostForm, Directive, Expression, ExpressionKind, FUNCTIONS,
    Name, PathStep, Range, Statement, StatementKind, SyntaxTree, UnaryOperator,
};
use meta::{Arguments, MetaProgram, Span, Units, format_source};
use proptest::prelude::*;

const OPERATORS: [BinaryOperator; 14] = [
    BinaryOperator::Or,
    BinaryOperator::And,
    BinaryOperator::Equal,
    BinaryOperator::Unequal,
    BinaryOperator::Less,
    BinaryOperator::LessEqual,
    BinaryOperator::Greater,
    BinaryOperator::GreaterEqual,
    BinaryOperator::Add,
    BinaryOperator::Subtract,
    BinaryOperator::Multiply,
    BinaryOperator::Divide,
    BinaryOperator::Modulo,
    BinaryOperator::Power,
];

fn expression_of(kind: ExpressionKind) -> Expression {
    Expression {
        kind,
        span: Span::default(),
    }
}

fn name() -> impl Strategy<Value = Name> {
    prop::sample::select(vec!["a", "b", "$g", "N", "x_1", "größe"]).prop_map(|text| Name {
        text: text.into(),
        span: Span::default(),
    })
}

fn variable() -> impl Strategy<Value = Expression> {
    let names = prop::sample::select(vec!["a", "b", "$g", "N", "ID", "RANKS", "NONE", "ANY"]);
    names.prop_map(|text| expression_of(ExpressionKind::Name(text.into())))
}

fn number() -> impl Strategy<Value = Expression> {
    let spellings = prop::sample::select(vec!["0", "7", "0.5", "1.50", "2e3", "1e-3", "007"]);
    spellings
        .prop_map(|text| expression_of(ExpressionKind::Number(text.parse().unwrap(), text.into())))
}

fn directive() -> impl Strategy<Value = Expression> {
    let quantities = vec![Quantity::Time, Quantity::Variable, Quantity::Message];
    let reductions = vec![
        Reduction::Of,
        Reduction::Maximum,
        Reduction::Minimum,
        Reduction::Head,
        Reduction::Tail,
    ];
    let positions = prop_oneof![
        (1u32..9).prop_map(Position::Inside),
        (1u32..9).prop_map(Position::Before),
        (1u32..9).prop_map(Position::After),
    ];
    let step = (
        prop::option::of(1u32..9),
        prop::option::of(prop::sample::select(vec!["for", "while", "do"])),
        prop::option::of(positions),
        prop::option::of(prop::sample::select(vec!["i", "_L_1"])),
    )
        .prop_map(|(count, kind, position, variable)| PathStep {
            span: Default::default(),
            function: "f".into(),
            block_count: count,
            block_name: kind.map(String::from),
            position,
            variable_name: variable.map(String::from),
        });
    (
        prop::sample::select(quantities),
        prop::sample::select(reductions),
        prop::collection::vec(step, 1..4),
    )
        .prop_map(|(quantity, reduction, path)| {
            expression_of(ExpressionKind::Directive(Directive {
                quantity,
                reduction,
                path,
            }))
        })
}

fn expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        number(),
        variable(),
        (0u32..5).prop_map(|index| expression_of(ExpressionKind::Argument(index))),
    ];
    let cost = (leaf.clone(), any::<bool>()).prop_map(|(inner, is_new)| {
        let form = if is_new {
            CostForm::New
        } else {
            CostForm::Cost
        };
        expression_of(ExpressionKind::Cost(form, Box::new(inner)))
    });
    let prefixed = Just(expression_of(ExpressionKind::Cost(
        CostForm::Prefix,
        Box::new(expression_of(ExpressionKind::Name("unknown".into()))),
    )));
    let leaf = prop_oneof![4 => leaf, 1 => cost, 1 => prefixed, 1 => directive()];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let unary = (any::<bool>(), inner.clone()).prop_map(|(is_minus, operand)| {
            let operator = if is_minus {
                UnaryOperator::Minus
            } else {
                UnaryOperator::Not
            };
            expression_of(ExpressionKind::Unary(operator, Box::new(operand)))
        });
        let binary = (
            prop::sample::select(OPERATORS.to_vec()),
            inner.clone(),
            inner.clone(),
        )
            .prop_map(|(operator, left, right)| {
                expression_of(ExpressionKind::Binary(
                    operator,
                    Box::new(left),
                    Box::new(right),
                ))
            });
        let function = (
            prop::sample::select(FUNCTIONS.to_vec()),
            inner.clone(),
            inner,
        )
            .prop_map(|((_, function, count), first, second)| {
                let mut arguments = vec![first, second];
                arguments.truncate(count);
                expression_of(ExpressionKind::Function(function, arguments))
            });
        prop_oneof![1 => unary, 3 => binary, 1 => function]
    })
}

fn comment() -> impl Strategy<Value = Option<String>> {
    prop::option::weighted(0.2, Just(String::from("# comment")))
}

fn statement_of(kind: StatementKind, comment: Option<String>) -> Statement {
    // The comment behind a compound statement belongs to its last block.
    let is_compound = matches!(
        kind,
        StatementKind::For { .. } | StatementKind::If { .. } | StatementKind::Parallel { .. }
    );
    Statement {
        leading: if comment.is_some() && is_compound {
            vec!["# before".into()]
        } else {
            Vec::new()
        },
        kind,
        comment: if is_compound { None } else { comment },
        span: Span::default(),
    }
}

fn block(inner: impl Strategy<Value = Statement>) -> impl Strategy<Value = Block> {
    (prop::collection::vec(inner, 0..4), comment()).prop_map(|(statements, opening_comment)| {
        Block {
            opening_comment,
            statements,
            ..Block::default()
        }
    })
}

/// Statements that are valid in a FOR, with calls of `f(a)` and `g()`.
fn statement() -> impl Strategy<Value = Statement> {
    let assignment =
        (name(), expression()).prop_map(|(target, value)| StatementKind::Assign { target, value });
    let action = (
        prop::sample::select((0..ACTIONS.len()).collect::<Vec<_>>()),
        prop::collection::vec(expression(), 3),
    )
        .prop_map(|(index, mut arguments)| {
            let entry = &ACTIONS[index];
            arguments.truncate(entry.parameters.len());
            StatementKind::Act {
                action: entry.action,
                arguments,
            }
        });
    let call = expression().prop_map(|argument| StatementKind::Call {
        name: Name {
            text: "f".into(),
            span: Span::default(),
        },
        arguments: vec![argument],
    });
    let leaf = (
        prop_oneof![assignment, action, call, Just(StatementKind::Break)],
        comment(),
    )
        .prop_map(|(kind, comment)| statement_of(kind, comment));
    leaf.prop_recursive(3, 24, 4, |inner| {
        let range = prop_oneof![
            expression().prop_map(Range::Count),
            (expression(), expression()).prop_map(|(from, to)| Range::Between(from, to)),
        ];
        let repetition = (prop::option::of(name()), range, block(inner.clone()))
            .prop_map(|(index, range, body)| StatementKind::For { index, range, body });
        let branch = (
            expression(),
            block(inner.clone()),
            prop::option::of(block(inner)),
        )
            .prop_map(|(condition, then, otherwise)| StatementKind::If {
                condition,
                then,
                otherwise,
            });
        (prop_oneof![repetition, branch], comment())
            .prop_map(|(kind, comment)| statement_of(kind, comment))
    })
}

fn program() -> impl Strategy<Value = SyntaxTree> {
    let body = prop::collection::vec(statement(), 0..5).prop_map(|statements| Block {
        statements,
        ..Block::default()
    });
    (body, block(statement())).prop_map(|(body, called)| {
        let name = |text: &str| Name {
            text: text.into(),
            span: Span::default(),
        };
        // A BREAK needs a loop around it.
        let looped = |body: Block| {
            statement_of(
                StatementKind::For {
                    index: None,
                    range: Range::Count(expression_of(ExpressionKind::Number(2.0, "2".into()))),
                    body,
                },
                None,
            )
        };
        let define = StatementKind::Define {
            name: name("f"),
            parameters: vec![name("a")],
            body: Block {
                statements: vec![looped(called)],
                ..Block::default()
            },
        };
        SyntaxTree {
            body: Block {
                statements: vec![statement_of(define, None), looped(body)],
                ..Block::default()
            },
        }
    })
}

/// Words from which texts are made that are nearly meta-programs.
const WORDS: [&str; 48] = [
    "FOR", "END", "IF", "ELSE", "DEF", "PARALLEL", "DO", "BREAK", "IN", "compute", "msgsend",
    "msgrecv", "barrier", "(", ")", "[", "]", ",", "..", ".", "+", "-", "*", "/", "%", "^", "==",
    "<", "<-", "=", "!", "&&", "0", "2", "0.5", "1e9", "ID", "RANKS", "x", "$y", "@arg", "Cost",
    "\"x\"", "C_z", "getTime", "of", "\n", ";",
];

const UNITS: Units = Units {
    computation: 1.0,
    stream: 1.0,
    message: 1.0,
};

/// Does everything that can be done with a text.
fn use_text(text: &str) {
    let Ok(program) = MetaProgram::parse("a.meta", text) else {
        return;
    };
    let formatted = format_source(program.tree());
    let again = MetaProgram::parse("a.meta", &formatted)
        .unwrap_or_else(|error| panic!("{text:?} became {formatted:?}: {error}"));
    assert_eq!(
        program.tree(),
        again.tree(),
        "{text:?} became {formatted:?}"
    );
    assert_eq!(format_source(again.tree()), formatted);
    let arguments = Arguments::default();
    _ = program.costs(&arguments, Some(2));
    _ = program.base_data(&arguments, Some(2), UNITS, 1);
}

/// The text with `;` behind each statement; where `joined` says so, the next one stands on the same line.
fn with_semicolons(text: &str, joined: &[bool]) -> String {
    let mut result = String::new();
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let (content, comment) = line.split_at(line.find('#').unwrap_or(line.len()));
        result.push_str(content.trim_end());
        if content.trim().is_empty() {
            result.push_str(comment);
            result.push('\n');
            continue;
        }
        result.push_str(" ; ");
        result.push_str(comment);
        // A comment ends with its line, and one on a line of its own belongs to the next statement.
        let next = lines.get(number + 1).copied().unwrap_or_default();
        let is_joined = joined[number % joined.len()] && comment.is_empty();
        if !is_joined || next.trim_start().starts_with('#') {
            result.push('\n');
        }
    }
    result
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn written_trees_read_as_they_were(tree in program()) {
        let text = format_source(&tree);
        match MetaProgram::parse("a.meta", &text) {
            Ok(read) => {
                prop_assert_eq!(read.tree(), &tree, "{}", text);
                prop_assert_eq!(format_source(read.tree()), text);
            }
            Err(error) => prop_assert!(false, "{}\n{}", error, text),
        }
    }

    #[test]
    fn semicolons_leave_trees_and_comments_as_they_are(
        tree in program(),
        joined in prop::collection::vec(any::<bool>(), 64),
    ) {
        let text = with_semicolons(&format_source(&tree), &joined);
        match MetaProgram::parse("a.meta", &text) {
            Ok(read) => prop_assert_eq!(read.tree(), &tree, "{}", text),
            Err(error) => prop_assert!(false, "{}\n{}", error, text),
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        use_text(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_words_make_the_reader_panic(
        words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..60)
    ) {
        use_text(&words.join(" "));
    }

    #[test]
    fn executions_of_random_trees_end(tree in program()) {
        use_text(&format_source(&tree));
    }
}

#[test]
fn comments_behind_semicolons_stay() {
    let text = "\
; # first
PARALLEL 1 DO ; # a
IF 1 > 0; # b
compute(1); # c
ELSE; # d
FOR 2 ; # e
compute(2) ; compute(3);; # f
END; # g
END; # h
END ; # i
";
    let program = MetaProgram::parse("a.meta", text).unwrap();
    let formatted = "\
# first
PARALLEL 1 DO  # a
  IF 1 > 0  # b
    compute(1)  # c
  ELSE  # d
    FOR 2  # e
      compute(2)
      compute(3)  # f
    END  # g
  END  # h
END  # i
";
    assert_eq!(format_source(program.tree()), formatted);
}
