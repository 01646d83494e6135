//! The formatter: a syntax tree to text. Reading the text gives the same tree.

use crate::syntax::{
    BinaryOperator, Block, CostForm, Directive, Expression, ExpressionKind, FUNCTIONS,
    MINUS_PRECEDENCE, NOT_PRECEDENCE, Name, PathStep, QUANTITIES, REDUCTIONS, Range, StatementKind,
    SyntaxTree, UnaryOperator,
};
use base_data::profiling::Position;

/// Blanks per level.
const INDENT: &str = "  ";

/// The text of a meta-program.
pub fn format_source(tree: &SyntaxTree) -> String {
    let mut text = String::new();
    write_block(&mut text, &tree.body, 0);
    text
}

fn write_line(text: &mut String, depth: usize, content: &str, comment: Option<&str>) {
    // An empty line gets no blanks at its end.
    if !content.is_empty() || comment.is_some() {
        for _ in 0..depth {
            text.push_str(INDENT);
        }
    }
    text.push_str(content);
    if let Some(comment) = comment {
        if !content.is_empty() {
            text.push_str("  ");
        }
        text.push_str(comment);
    }
    text.push('\n');
}

fn write_comments(text: &mut String, depth: usize, comments: &[String]) {
    for comment in comments {
        write_line(text, depth, comment, None);
    }
}

fn write_block(text: &mut String, block: &Block, depth: usize) {
    for statement in &block.statements {
        write_comments(text, depth, &statement.leading);
        write_statement(text, &statement.kind, statement.comment.as_deref(), depth);
    }
    write_comments(text, depth, &block.trailing);
}

/// A line, the block below it and its END.
fn write_compound(text: &mut String, depth: usize, header: &str, body: &Block) {
    write_line(text, depth, header, body.opening_comment.as_deref());
    write_block(text, body, depth + 1);
    write_line(text, depth, "END", body.closing_comment.as_deref());
}

fn write_statement(text: &mut String, kind: &StatementKind, comment: Option<&str>, depth: usize) {
    match kind {
        StatementKind::Define {
            name,
            parameters,
            body,
        } => {
            let names: Vec<&str> = parameters.iter().map(|name| name.text.as_str()).collect();
            let header = format!("DEF {}({})", name.text, names.join(", "));
            write_compound(text, depth, &header, body);
        }
        StatementKind::For { index, range, body } => {
            let header = format!("FOR {}{}", index_text(index), range_text(range));
            write_compound(text, depth, &header, body);
        }
        StatementKind::Parallel { degree, body } => {
            let header = format!("PARALLEL {} DO", expression_text(degree));
            write_compound(text, depth, &header, body);
        }
        StatementKind::If {
            condition,
            then,
            otherwise,
        } => {
            let header = format!("IF {}", expression_text(condition));
            match otherwise {
                None => write_compound(text, depth, &header, then),
                Some(otherwise) => {
                    write_line(text, depth, &header, then.opening_comment.as_deref());
                    write_block(text, then, depth + 1);
                    write_compound(text, depth, "ELSE", otherwise);
                }
            }
        }
        StatementKind::Assign { target, value } => {
            let line = format!("{} = {}", target.text, expression_text(value));
            write_line(text, depth, &line, comment);
        }
        StatementKind::Act { action, arguments } => {
            let line = format!("{}({})", action.entry().name, list(arguments));
            write_line(text, depth, &line, comment);
        }
        StatementKind::Call { name, arguments } => {
            let line = format!("{}({})", name.text, list(arguments));
            write_line(text, depth, &line, comment);
        }
        StatementKind::Break => write_line(text, depth, "BREAK", comment),
    }
}

fn index_text(index: &Option<Name>) -> String {
    match index {
        Some(name) => format!("{} IN ", name.text),
        None => String::new(),
    }
}

fn range_text(range: &Range) -> String {
    match range {
        Range::Count(count) => expression_text(count),
        Range::Between(from, to) => format!("{}..{}", expression_text(from), expression_text(to)),
    }
}

fn list(arguments: &[Expression]) -> String {
    let texts: Vec<String> = arguments.iter().map(expression_text).collect();
    texts.join(", ")
}

/// The text of an expression.
pub(crate) fn expression_text(expression: &Expression) -> String {
    let mut text = String::new();
    write_expression(&mut text, expression, 0);
    text
}

/// Writes an expression among operators that bind as tightly as `around`.
fn write_expression(text: &mut String, expression: &Expression, around: u8) {
    match &expression.kind {
        // As the user wrote it: 1e6 stays 1e6.
        ExpressionKind::Number(_, spelling) => text.push_str(spelling),
        ExpressionKind::Name(name) => text.push_str(name),
        ExpressionKind::Argument(index) => text.push_str(&format!("@arg[{index}]")),
        ExpressionKind::Cost(form, inner) => {
            let inner = expression_text(inner);
            text.push_str(&match form {
                CostForm::Cost => format!("Cost(\"{inner}\")"),
                CostForm::New => format!("Cost.new(\"{inner}\")"),
                CostForm::Prefix => format!("C_{inner}"),
            });
        }
        ExpressionKind::Directive(directive) => write_directive(text, directive),
        ExpressionKind::Function(function, arguments) => {
            let row = FUNCTIONS.iter().find(|(_, known, _)| known == function);
            let name = row.map_or("?", |(name, ..)| name);
            text.push_str(&format!("{name}({})", list(arguments)));
        }
        ExpressionKind::Unary(operator, operand) => {
            let (symbol, precedence) = match operator {
                UnaryOperator::Minus => ("-", MINUS_PRECEDENCE),
                UnaryOperator::Not => ("!", NOT_PRECEDENCE),
            };
            // On the right of an operator that binds tighter, a reader would stop before the operand's end.
            let is_bracketed = precedence < around;
            if is_bracketed {
                text.push('(');
            }
            text.push_str(symbol);
            // A number without a sign is a token; `- -a` is written with brackets.
            let needs_brackets = matches!(operand.kind, ExpressionKind::Unary(..));
            let inner = if needs_brackets { u8::MAX } else { precedence };
            write_expression(text, operand, inner);
            if is_bracketed {
                text.push(')');
            }
        }
        ExpressionKind::Binary(operator, left, right) => {
            let precedence = operator.precedence();
            let is_bracketed = precedence < around;
            if is_bracketed {
                text.push('(');
            }
            let is_power = *operator == BinaryOperator::Power;
            let is_comparison = precedence == BinaryOperator::Equal.precedence();
            // Operators of one precedence are grouped from the left, powers from the right, comparisons not at all.
            let left_bound = precedence + u8::from(is_power || is_comparison);
            let right_bound = precedence + u8::from(!is_power);
            write_expression(text, left, left_bound);
            let symbol = operator.symbol();
            if is_power {
                text.push_str(symbol);
            } else {
                text.push_str(&format!(" {symbol} "));
            }
            write_expression(text, right, right_bound);
            if is_bracketed {
                text.push(')');
            }
        }
    }
}

/// The text of a directive in its standard form: equal directives have equal texts.
pub(crate) fn directive_text(directive: &Directive) -> String {
    let mut text = String::new();
    write_directive(&mut text, directive);
    text
}

fn write_directive(text: &mut String, directive: &Directive) {
    let quantity = QUANTITIES
        .iter()
        .find(|(_, known)| *known == directive.quantity);
    let reduction = REDUCTIONS
        .iter()
        .find(|(_, known)| *known == directive.reduction);
    let steps: Vec<String> = directive.path.iter().map(step_text).collect();
    text.push_str(&format!(
        "{}.{}({})",
        quantity.map_or("?", |row| row.0),
        reduction.map_or("?", |row| row.0),
        steps.join(" <- ")
    ));
}

fn step_text(step: &PathStep) -> String {
    let mut options = Vec::new();
    if let Some(name) = &step.block_name {
        options.push(format!("blockName={name}"));
    }
    if let Some(count) = step.block_count {
        options.push(format!("blockCount={count}"));
    }
    match step.position {
        None => {}
        Some(Position::Inside(n)) => options.push(format!("position={n}")),
        Some(Position::Before(n)) => options.push(format!("position=before({n})")),
        Some(Position::After(n)) => options.push(format!("position=after({n})")),
    }
    if let Some(name) = &step.variable_name {
        options.push(format!("variableName={name}"));
    }
    if options.is_empty() {
        step.function.clone()
    } else {
        format!("{}({})", step.function, options.join(", "))
    }
}
