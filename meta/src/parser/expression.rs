//! Expressions: precedence climbing.

use super::{KEYWORDS, Parser};
use crate::fault::Fault;
use crate::lexer::{TokenKind, lex};
use crate::syntax::{
    ACTIONS, BinaryOperator, CostForm, Expression, ExpressionKind, FUNCTIONS, MINUS_PRECEDENCE,
    NOT_PRECEDENCE, OPERATORS, QUANTITIES, UnaryOperator,
};

/// Most operators and operands of one expression: readers recurse over them.
const LARGEST_EXPRESSION: usize = 150;

/// Largest index of `@arg`.
const MOST_ARGUMENTS: u32 = 1000;

impl Parser {
    /// An expression.
    pub(super) fn expression(&mut self) -> Result<Expression, Fault> {
        // Only here: expressions inside this one are read by `binary`, so all their parts count together.
        self.expression_size = 0;
        self.binary(0)
    }

    fn grow(&mut self) -> Result<(), Fault> {
        self.expression_size += 1;
        if self.expression_size > LARGEST_EXPRESSION {
            let message = format!(
                "the expression has more than {LARGEST_EXPRESSION} parts; assign some to variables"
            );
            return Err(self.fault(message));
        }
        Ok(())
    }

    /// An expression of operators that bind tighter than `least`.
    fn binary(&mut self, least: u8) -> Result<Expression, Fault> {
        let mut left = self.unary()?;
        while let TokenKind::Symbol(symbol) = self.kind() {
            let found = OPERATORS.iter().find(|(known, _)| known == symbol);
            let Some(&(_, operator)) = found else { break };
            let precedence = operator.precedence();
            if precedence <= least {
                break;
            }
            self.grow()?;
            self.advance();
            // Powers are grouped from the right: 2 ^ 3 ^ 2 is 2 ^ 9.
            let bound = if operator == BinaryOperator::Power {
                precedence - 1
            } else {
                precedence
            };
            let right = self.binary(bound)?;
            let span = left.span.to(right.span);
            let is_comparison = |operator: BinaryOperator| {
                operator.precedence() == BinaryOperator::Equal.precedence()
            };
            if is_comparison(operator)
                && matches!(&left.kind, ExpressionKind::Binary(first, ..) if is_comparison(*first))
                && !self.is_bracketed(&left)
            {
                let message = "comparisons cannot be chained; connect two of them with '&&'";
                return Err(Fault::new(span, message));
            }
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expression { kind, span };
        }
        Ok(left)
    }

    /// Whether the tokens of an expression are between parentheses.
    fn is_bracketed(&self, expression: &Expression) -> bool {
        let first = self
            .tokens
            .iter()
            .find(|token| token.span.start == expression.span.start);
        first.is_some_and(|token| token.kind == TokenKind::Symbol("("))
            && self.closes_at_end(expression)
    }

    /// Whether the bracket at the start of an expression is closed at its end: not in `(a) < (b)`.
    fn closes_at_end(&self, expression: &Expression) -> bool {
        let mut depth = 0usize;
        for token in &self.tokens {
            if token.span.start < expression.span.start {
                continue;
            }
            match token.kind {
                TokenKind::Symbol("(") => depth += 1,
                TokenKind::Symbol(")") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return token.span.end == expression.span.end;
            }
        }
        false
    }

    fn unary(&mut self) -> Result<Expression, Fault> {
        let start = self.span();
        let (operator, precedence) = if self.is_symbol("-") {
            (UnaryOperator::Minus, MINUS_PRECEDENCE)
        } else if self.is_symbol("!") {
            (UnaryOperator::Not, NOT_PRECEDENCE)
        } else {
            return self.primary();
        };
        self.grow()?;
        self.advance();
        // `-a ^ 2` is -(a ^ 2), and `!a == b` is (!a) == b.
        let operand = self.binary(precedence)?;
        let span = start.to(operand.span);
        let kind = ExpressionKind::Unary(operator, Box::new(operand));
        Ok(Expression { kind, span })
    }

    fn primary(&mut self) -> Result<Expression, Fault> {
        self.grow()?;
        let start = self.span();
        let kind = match self.kind().clone() {
            TokenKind::Number(value, spelling) => {
                self.advance();
                ExpressionKind::Number(value, spelling)
            }
            TokenKind::Argument => self.argument()?,
            TokenKind::Symbol("(") => {
                self.open("(", "")?;
                let inner = self.binary(0)?;
                self.close(")", "the expression")?;
                let span = start.to(self.previous_token_span());
                // Parentheses are in the shape of the tree; the formatter writes those that are needed.
                return Ok(Expression { span, ..inner });
            }
            TokenKind::Word(word) => return self.word(&word),
            _ => {
                let found = self.spelling();
                return Err(self.fault(format!("expected a value, found {found}")));
            }
        };
        let span = start.to(self.previous_token_span());
        Ok(Expression { kind, span })
    }

    /// The token before the present one that is no line end.
    pub(super) fn previous_token_span(&self) -> crate::fault::Span {
        let before = self.tokens[..self.at].iter().rev();
        let mut tokens = before.filter(|token| token.kind != TokenKind::Separator);
        tokens.next().map_or(self.span(), |token| token.span)
    }

    /// `@arg[0]`.
    fn argument(&mut self) -> Result<ExpressionKind, Fault> {
        self.advance();
        self.open("[", "@arg")?;
        let index = self.whole_number("the number of the argument")?;
        if index >= MOST_ARGUMENTS {
            return Err(self.fault(format!("arguments have numbers below {MOST_ARGUMENTS}")));
        }
        self.close("]", "the number of the argument")?;
        Ok(ExpressionKind::Argument(index))
    }

    /// A whole number.
    pub(super) fn whole_number(&mut self, what: &str) -> Result<u32, Fault> {
        if let TokenKind::Number(_, spelling) = self.kind()
            && let Ok(number) = spelling.parse()
        {
            self.advance();
            return Ok(number);
        }
        let found = self.spelling();
        Err(self.fault(format!("expected {what}, a whole number, found {found}")))
    }

    /// A variable, a function, a cost object or a directive.
    fn word(&mut self, word: &str) -> Result<Expression, Fault> {
        let start = self.span();
        if KEYWORDS.contains(&word) {
            return Err(self.fault(format!("expected a value, found {word}")));
        }
        let kind = if word == "Cost" {
            self.cost_object()?
        } else if let Some(unknown) = word.strip_prefix("C_")
            && !unknown.is_empty()
        {
            let name = Expression {
                kind: ExpressionKind::Name(unknown.into()),
                span: start,
            };
            self.advance();
            ExpressionKind::Cost(CostForm::Prefix, Box::new(name))
        } else if let Some(&(_, quantity)) = QUANTITIES.iter().find(|(name, _)| *name == word) {
            self.advance();
            ExpressionKind::Directive(self.directive(quantity, word)?)
        } else if let Some(&(name, function, count)) =
            FUNCTIONS.iter().find(|(name, ..)| *name == word)
        {
            self.advance();
            let arguments = self.nested_arguments(name)?;
            if arguments.len() != count {
                let message = format!(
                    "{name} takes {count} argument{}, found {}",
                    if count == 1 { "" } else { "s" },
                    arguments.len()
                );
                return Err(Fault::new(start, message));
            }
            ExpressionKind::Function(function, arguments)
        } else if ACTIONS.iter().any(|entry| entry.name == word) {
            let message = format!("{word} has no value; write it as a statement of its own");
            return Err(self.fault(message));
        } else {
            self.advance();
            if self.is_symbol("(") {
                let names: Vec<&str> = FUNCTIONS.iter().map(|(name, ..)| *name).collect();
                let message = format!(
                    "{word} is no function with a value; known are {}",
                    names.join(", ")
                );
                return Err(Fault::new(start, message));
            }
            ExpressionKind::Name(word.into())
        };
        let span = start.to(self.previous_token_span());
        Ok(Expression { kind, span })
    }

    /// Arguments inside an expression, whose size they add to.
    fn nested_arguments(&mut self, function: &str) -> Result<Vec<Expression>, Fault> {
        self.open("(", function)?;
        let mut arguments = Vec::new();
        while !self.is_symbol(")") {
            arguments.push(self.binary(0)?);
            if !self.accept_symbol(",") {
                break;
            }
        }
        self.close(")", "the arguments")?;
        Ok(arguments)
    }

    /// `Cost("x")` or `Cost.new("x")`.
    fn cost_object(&mut self) -> Result<ExpressionKind, Fault> {
        self.advance();
        let form = if self.accept_symbol(".") {
            if !self.accept_word("new") {
                return Err(self.fault("expected new after 'Cost.'"));
            }
            CostForm::New
        } else {
            CostForm::Cost
        };
        self.open("(", "Cost")?;
        let TokenKind::Text(text) = self.kind().clone() else {
            let found = self.spelling();
            return Err(self.fault(format!(
                "expected an expression between double quotes, found {found}"
            )));
        };
        let span = self.span();
        // Behind the opening quote.
        let lexed = lex(&text, span.start + 1)?;
        if !lexed.comments.is_empty() {
            return Err(Fault::new(span, "a cost contains no comment; remove it"));
        }
        let mut inner = Parser::new(lexed.tokens, Vec::new());
        inner.expression_size = self.expression_size;
        inner.whole = "the cost";
        let expression = inner.binary(0)?;
        self.expression_size = inner.expression_size;
        if *inner.kind() != TokenKind::End {
            let found = inner.spelling();
            return Err(inner.fault(format!("expected the end of the cost, found {found}")));
        }
        self.advance();
        self.close(")", "the cost")?;
        Ok(ExpressionKind::Cost(form, Box::new(expression)))
    }
}
