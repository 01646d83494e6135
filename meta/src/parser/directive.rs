//! Profiling directives: `getTime.averageOf(func(blockCount=2) <- main)`.

use super::Parser;
use crate::fault::Fault;
use crate::lexer::TokenKind;
use crate::syntax::{Directive, PathStep, REDUCTIONS};
use base_data::profiling::{Position, Quantity, Reduction};

impl Parser {
    /// What follows the name of a directive.
    pub(super) fn directive(&mut self, quantity: Quantity, name: &str) -> Result<Directive, Fault> {
        self.expect_symbol(".", name)?;
        let reduction = self.reduction(name)?;
        self.open("(", "the directive")?;
        let mut path = vec![self.path_step()?];
        // Two tokens, so that `a<-1` in an expression is a comparison.
        while self.accept_symbol("<") {
            self.expect_symbol("-", "'<'")?;
            if path.len() == MOST_STEPS {
                let message = format!("a call path has at most {MOST_STEPS} functions");
                return Err(self.fault(message));
            }
            path.push(self.path_step()?);
        }
        self.close(")", "the place of the directive")?;
        Ok(Directive {
            quantity,
            reduction,
            path,
        })
    }

    fn reduction(&mut self, name: &str) -> Result<Reduction, Fault> {
        let TokenKind::Word(word) = self.kind() else {
            let found = self.spelling();
            return Err(self.fault(format!(
                "expected of, maxOf, … after {name}., found {found}"
            )));
        };
        let found = REDUCTIONS.iter().find(|(known, _)| known == word);
        let Some(&(_, reduction)) = found else {
            let names: Vec<&str> = REDUCTIONS.iter().map(|(known, _)| *known).collect();
            let message = format!("{word} is unknown; known are {}", names.join(", "));
            return Err(self.fault(message));
        };
        self.advance();
        Ok(reduction)
    }

    fn path_step(&mut self) -> Result<PathStep, Fault> {
        let TokenKind::Word(function) = self.kind().clone() else {
            let found = self.spelling();
            return Err(self.fault(format!("expected the name of a function, found {found}")));
        };
        let start = self.span();
        self.advance();
        let mut step = PathStep {
            function,
            block_count: None,
            block_name: None,
            position: None,
            variable_name: None,
            span: start,
        };
        if !self.is_symbol("(") {
            return Ok(step);
        }
        self.open("(", "the function")?;
        while !self.is_symbol(")") {
            self.option(&mut step)?;
            if !self.accept_symbol(",") {
                break;
            }
        }
        self.close(")", "the options")?;
        step.span = start.to(self.previous_token_span());
        Ok(step)
    }

    fn option(&mut self, step: &mut PathStep) -> Result<(), Fault> {
        let TokenKind::Word(option) = self.kind().clone() else {
            let found = self.spelling();
            return Err(self.fault(format!("expected an option, found {found}")));
        };
        let span = self.span();
        self.advance();
        self.expect_symbol("=", &option)?;
        let is_first = match option.as_str() {
            "blockCount" | "bc" => {
                let number = self.counting_number("the number of the block")?;
                step.block_count.replace(number).is_none()
            }
            "blockName" | "bn" => {
                let name = self.option_word("the kind of the block")?;
                if !["for", "while", "do"].contains(&name.as_str()) {
                    let message = format!("block name {name} is unknown; write for, while or do");
                    return Err(Fault::new(span, message));
                }
                step.block_name.replace(name).is_none()
            }
            "position" | "pt" => {
                let position = self.position()?;
                step.position.replace(position).is_none()
            }
            "variableName" | "vn" => {
                let name = self.option_word("the name of the variable")?;
                step.variable_name.replace(name).is_none()
            }
            _ => {
                let message = format!(
                    "option {option} is unknown; known are blockCount (bc), blockName (bn), \
                     position (pt) and variableName (vn)"
                );
                return Err(Fault::new(span, message));
            }
        };
        if !is_first {
            let message = format!("option {option} is given twice; keep one");
            return Err(Fault::new(span, message));
        }
        Ok(())
    }

    fn option_word(&mut self, what: &str) -> Result<String, Fault> {
        // The MegaScript paper (2005) calls the name of a variable a string, but its figures write it without quotes.
        let (TokenKind::Word(word) | TokenKind::Text(word)) = self.kind().clone() else {
            let found = self.spelling();
            return Err(self.fault(format!("expected {what}, found {found}")));
        };
        let is_name = word.chars().all(|c| c.is_alphanumeric() || c == '_')
            && !word.starts_with(|c: char| c.is_ascii_digit())
            && !word.is_empty();
        if !is_name {
            return Err(self.fault(format!("expected {what}, found \"{word}\"")));
        }
        self.advance();
        Ok(word)
    }

    /// A number of something that is counted from 1.
    fn counting_number(&mut self, what: &str) -> Result<u32, Fault> {
        let span = self.span();
        let number = self.whole_number(what)?;
        if number == 0 {
            return Err(Fault::new(span, format!("{what} is 0; count from 1")));
        }
        Ok(number)
    }

    fn position(&mut self) -> Result<Position, Fault> {
        let make: fn(u32) -> Position = if self.accept_word("before") {
            Position::Before
        } else if self.accept_word("after") {
            Position::After
        } else {
            return Ok(Position::Inside(self.counting_number("a position")?));
        };
        self.open("(", "before or after")?;
        let number = self.counting_number("a position")?;
        self.close(")", "the position")?;
        Ok(make(number))
    }
}

/// Most functions of a call path.
const MOST_STEPS: usize = 400;
