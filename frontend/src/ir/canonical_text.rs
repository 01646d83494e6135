//! One text for each expression, whatever its layout: for digests and reasons, never for probes (that is
//! the language's own spelling).

use crate::ir::{Callee, Expression, Operator, Program, Subscript, VariableId};

/// An expression in lower case without blanks, fully parenthesised.
pub(crate) fn spell(program: &Program, expression: &Expression) -> String {
    let all = |list: &[Expression]| {
        list.iter()
            .map(|e| spell(program, e))
            .collect::<Vec<_>>()
            .join(",")
    };
    match expression {
        // `a-(-1)` and not `a--1`.
        Expression::Integer(value) if *value < 0 => format!("({value})"),
        Expression::Integer(value) => value.to_string(),
        Expression::Literal(text) => text.clone(),
        Expression::Variable(variable) => name(program, *variable).to_string(),
        Expression::Reference {
            base,
            path,
            subscripts,
        } => {
            let components: String = path
                .iter()
                .map(|component| format!("%{component}"))
                .collect();
            let subscripts: Vec<String> = subscripts
                .iter()
                .map(|s| spell_subscript(program, s))
                .collect();
            match subscripts.is_empty() {
                true => format!("{}{components}", name(program, *base)),
                false => format!(
                    "{}{components}({})",
                    name(program, *base),
                    subscripts.join(",")
                ),
            }
        }
        Expression::Call { callee, arguments } => {
            format!("{}({})", callee_name(program, callee), all(arguments))
        }
        Expression::Unary { operator, operand } => {
            format!("({}{})", operator_text(*operator), spell(program, operand))
        }
        Expression::Binary {
            operator,
            left,
            right,
        } => {
            format!(
                "({}{}{})",
                spell(program, left),
                operator_text(*operator),
                spell(program, right)
            )
        }
        Expression::Other(list) => format!("[{}]", all(list)),
    }
}

fn spell_subscript(program: &Program, subscript: &Subscript) -> String {
    let part = |e: &Option<Expression>| e.as_ref().map(|e| spell(program, e)).unwrap_or_default();
    match subscript {
        Subscript::Element(expression) => spell(program, expression),
        Subscript::Section {
            lower,
            upper,
            stride: None,
        } => format!("{}:{}", part(lower), part(upper)),
        Subscript::Section {
            lower,
            upper,
            stride,
        } => {
            format!("{}:{}:{}", part(lower), part(upper), part(stride))
        }
    }
}

fn name(program: &Program, variable: VariableId) -> &str {
    &program.variable(variable).name
}

/// A callee's name, lower case.
pub(crate) fn callee_name(program: &Program, callee: &Callee) -> String {
    match callee {
        Callee::Procedure(procedure) => program.procedure(*procedure).name.clone(),
        Callee::Mpi(function) => function.fortran_name(),
        Callee::UnknownMpi(name) | Callee::Intrinsic(name) | Callee::External(name) => name.clone(),
        Callee::OneOf(all) => {
            let names: Vec<&str> = all
                .iter()
                .map(|id| program.procedure(*id).name.as_str())
                .collect();
            names.join("|")
        }
        Callee::Variable(variable) => name(program, *variable).to_string(),
    }
}

fn operator_text(operator: Operator) -> &'static str {
    match operator {
        Operator::Add | Operator::Plus => "+",
        Operator::Subtract | Operator::Negate => "-",
        Operator::Multiply => "*",
        Operator::Divide => "/",
        Operator::Power => "**",
        Operator::Concatenate => "//",
        Operator::Equal => ".eq.",
        Operator::NotEqual => ".ne.",
        Operator::Less => ".lt.",
        Operator::LessEqual => ".le.",
        Operator::Greater => ".gt.",
        Operator::GreaterEqual => ".ge.",
        Operator::And => ".and.",
        Operator::Or => ".or.",
        Operator::Not => ".not.",
        Operator::Equivalent => ".eqv.",
        Operator::NotEquivalent => ".neqv.",
        Operator::Defined => ".op.",
    }
}
