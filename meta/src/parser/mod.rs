//! Tokens to a syntax tree.

mod directive;
mod expression;

use crate::fault::{Fault, Span};
use crate::lexer::{Comment, Lexed, Token, TokenKind, lex};
use crate::syntax::{
    ACTIONS, Action, Block, Expression, FUNCTIONS, Name, Range, Statement, StatementKind,
    SyntaxTree,
};

/// Statements nest this deep at most: loops of program data nest up to 64 deep, and readers may recurse.
const DEEPEST_NESTING: usize = 48;

/// Words with a meaning of their own.
pub(crate) const KEYWORDS: [&str; 9] = [
    "DEF", "END", "FOR", "IN", "IF", "ELSE", "PARALLEL", "DO", "BREAK",
];

/// Names whose values are given by the system: the rank, the number of ranks, no partner, and any partner or tag.
pub(crate) const PREDEFINED: [&str; 4] = ["ID", "RANKS", "NONE", "ANY"];

/// Reads a meta-program.
pub(crate) fn parse(text: &str) -> Result<SyntaxTree, Fault> {
    // Spans are 32 bits wide.
    if text.len() > MOST_BYTES {
        let message = format!("the meta-program is longer than {MOST_BYTES} bytes");
        return Err(Fault::new(Span::default(), message));
    }
    let Lexed { tokens, comments } = lex(text, 0)?;
    let mut parser = Parser::new(tokens, comments);
    let body = parser.block(0)?;
    if *parser.kind() != TokenKind::End {
        let message = format!(
            "{} ends nothing that was begun; remove it",
            parser.spelling()
        );
        return Err(parser.fault(message));
    }
    Ok(SyntaxTree { body })
}

/// Longest meta-program: far more than people write, and little enough for 32-bit positions.
const MOST_BYTES: usize = 16 << 20;

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    comments: Vec<Comment>,
    /// The first comment that belongs to no statement yet.
    next_comment: usize,
    /// Brackets that are open: in brackets, line ends mean nothing.
    open_brackets: usize,
    /// Operators, operands and brackets of the present expression.
    expression_size: usize,
    /// What the tokens are all of.
    whole: &'static str,
}

impl Parser {
    fn new(tokens: Vec<Token>, comments: Vec<Comment>) -> Self {
        Self {
            tokens,
            at: 0,
            whole: "the file",
            comments,
            next_comment: 0,
            open_brackets: 0,
            expression_size: 0,
        }
    }

    fn token(&self) -> &Token {
        // The last token is the end, which is never passed.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> &TokenKind {
        &self.token().kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        self.skip_line_ends();
    }

    fn skip_line_ends(&mut self) {
        while self.open_brackets > 0 && *self.kind() == TokenKind::Separator {
            self.at += 1;
        }
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.span(), message)
    }

    /// The present token for messages.
    fn spelling(&self) -> String {
        match self.kind() {
            TokenKind::Separator => "the end of the line".into(),
            TokenKind::Number(_, spelling) => spelling.clone(),
            TokenKind::Word(word) => word.clone(),
            TokenKind::Argument => "@arg".into(),
            TokenKind::Text(text) => format!("\"{text}\""),
            TokenKind::Symbol(symbol) => format!("'{symbol}'"),
            TokenKind::End => format!("the end of {}", self.whole),
        }
    }

    fn is_word(&self, expected: &str) -> bool {
        matches!(self.kind(), TokenKind::Word(word) if word == expected)
    }

    fn is_symbol(&self, expected: &str) -> bool {
        matches!(self.kind(), TokenKind::Symbol(symbol) if *symbol == expected)
    }

    /// Goes on if the present token is this word.
    fn accept_word(&mut self, expected: &str) -> bool {
        let is_it = self.is_word(expected);
        if is_it {
            self.advance();
        }
        is_it
    }

    /// Goes on if the present token is this symbol.
    fn accept_symbol(&mut self, expected: &str) -> bool {
        let is_it = self.is_symbol(expected);
        if is_it {
            self.advance();
        }
        is_it
    }

    fn expect_symbol(&mut self, expected: &str, after: &str) -> Result<(), Fault> {
        if self.accept_symbol(expected) {
            return Ok(());
        }
        let found = self.spelling();
        Err(self.fault(format!(
            "expected '{expected}' after {after}, found {found}"
        )))
    }

    /// Passes an opening bracket.
    fn open(&mut self, bracket: &str, after: &str) -> Result<(), Fault> {
        // Before the bracket is passed, so that line ends right behind it are skipped, too.
        self.open_brackets += 1;
        self.expect_symbol(bracket, after)
    }

    /// Passes a closing bracket. A line end behind it counts again.
    fn close(&mut self, bracket: &str, after: &str) -> Result<(), Fault> {
        if !self.is_symbol(bracket) {
            return self.expect_symbol(bracket, after);
        }
        self.open_brackets -= 1;
        self.advance();
        Ok(())
    }

    /// A name that the program gives; keywords and names of functions are refused.
    fn name(&mut self, what: &str) -> Result<Name, Fault> {
        let TokenKind::Word(word) = self.kind() else {
            let found = self.spelling();
            return Err(self.fault(format!("expected {what}, found {found}")));
        };
        let text = word.clone();
        let is_reserved = KEYWORDS.contains(&text.as_str())
            || PREDEFINED.contains(&text.as_str())
            || text == "Cost"
            || text.starts_with("C_")
            || ACTIONS.iter().any(|entry| entry.name == text)
            || FUNCTIONS.iter().any(|(name, ..)| *name == text);
        if is_reserved {
            let message = format!("expected {what}, found {text}, which has a meaning of its own");
            return Err(self.fault(message));
        }
        let span = self.span();
        self.advance();
        Ok(Name { text, span })
    }

    /// Comments before a byte: those on lines of their own, and the text of the others.
    fn take_comments(&mut self, before: u32) -> (Vec<String>, Option<String>) {
        let (mut own, mut inline) = (Vec::new(), None::<String>);
        while let Some(comment) = self.comments.get(self.next_comment)
            && comment.start < before
        {
            self.next_comment += 1;
            if comment.has_own_line {
                // Several empty lines are one.
                if !(comment.text.is_empty() && own.last().is_some_and(String::is_empty)) {
                    own.push(comment.text.clone());
                }
                continue;
            }
            inline = Some(match inline {
                Some(first) => format!("{first} {}", comment.text),
                None => comment.text.clone(),
            });
        }
        (own, inline)
    }

    /// Comments before the present token, which belong to no statement before it.
    fn leading_comments(&mut self) -> Vec<String> {
        let (mut own, inline) = self.take_comments(self.span().start);
        // Behind a `;` that no statement precedes.
        own.extend(inline);
        own
    }

    /// Comments of the line that has just been read, those inside brackets and behind `;` included.
    fn line_comment(&mut self) -> Option<String> {
        let (own, inline) = self.take_comments(self.span().start);
        let mut parts: Vec<String> = own
            .into_iter()
            .chain(inline)
            .filter(|text| !text.is_empty())
            .collect();
        let next = self.tokens[self.at..].iter();
        let mut next = next.filter(|token| token.kind != TokenKind::Separator);
        let end = next.next().map_or(u32::MAX, |token| token.span.start);
        while let Some(comment) = self.comments.get(self.next_comment)
            && comment.start < end
            && !comment.has_own_line
        {
            self.next_comment += 1;
            parts.push(comment.text.clone());
        }
        if parts.is_empty() {
            None
        } else {
            Some(parts.join(" "))
        }
    }

    /// Statements up to END, ELSE or the end of the file.
    fn block(&mut self, depth: usize) -> Result<Block, Fault> {
        if depth > DEEPEST_NESTING {
            let message =
                format!("statements nest deeper than {DEEPEST_NESTING}; move some into a DEF");
            return Err(self.fault(message));
        }
        let mut block = Block::default();
        loop {
            while *self.kind() == TokenKind::Separator {
                self.at += 1;
            }
            let mut own = self.leading_comments();
            // An empty line begins or ends no block.
            if block.statements.is_empty() && own.first().is_some_and(String::is_empty) {
                own.remove(0);
            }
            let ends =
                *self.kind() == TokenKind::End || self.is_word("END") || self.is_word("ELSE");
            if ends {
                if own.last().is_some_and(String::is_empty) {
                    own.pop();
                }
                block.trailing = own;
                return Ok(block);
            }
            let start = self.span();
            let kind = self.statement(depth)?;
            // The comment behind the END of a statement belongs to its block.
            let is_compound = matches!(
                kind,
                StatementKind::Define { .. }
                    | StatementKind::For { .. }
                    | StatementKind::If { .. }
                    | StatementKind::Parallel { .. }
            );
            let comment = if is_compound {
                None
            } else {
                self.line_comment()
            };
            block.statements.push(Statement {
                leading: own,
                kind,
                comment,
                span: start.to(self.previous_span()),
            });
            let is_separated = *self.kind() == TokenKind::Separator
                || *self.kind() == TokenKind::End
                // As in figure 2: `END END`.
                || self.is_word("END")
                || self.is_word("ELSE");
            if !is_separated {
                let found = self.spelling();
                return Err(self.fault(format!(
                    "expected the end of the statement, found {found}; begin a new line or write ';'"
                )));
            }
        }
    }

    /// The statements of a compound statement and its END.
    fn body(&mut self, depth: usize, opening: Span, keyword: &str) -> Result<Block, Fault> {
        let opening_comment = self.header_end(keyword)?;
        let mut block = self.block(depth + 1)?;
        block.opening_comment = opening_comment;
        if self.is_word("ELSE") {
            return Err(self.fault("ELSE belongs to no IF; remove it"));
        }
        block.closing_comment = self.end(opening, keyword)?;
        Ok(block)
    }

    /// The end of the line that opens a block; its comment.
    fn header_end(&mut self, keyword: &str) -> Result<Option<String>, Fault> {
        let comment = self.line_comment();
        if *self.kind() != TokenKind::Separator && *self.kind() != TokenKind::End {
            let found = self.spelling();
            let mut message =
                format!("expected the end of the line after {keyword}, found {found}");
            // As figure 11 of the MegaScript paper (2005) writes: `IF ID=0`.
            if self.is_symbol("=") {
                message = "'=' assigns; write '==' to compare".into();
            }
            return Err(self.fault(message));
        }
        Ok(comment)
    }

    fn end(&mut self, opening: Span, keyword: &str) -> Result<Option<String>, Fault> {
        if !self.accept_word("END") {
            let message = format!("{keyword} has no END; add END behind its last statement");
            return Err(Fault::new(opening, message));
        }
        Ok(self.line_comment())
    }

    fn statement(&mut self, depth: usize) -> Result<StatementKind, Fault> {
        let opening = self.span();
        let TokenKind::Word(word) = self.kind() else {
            let found = self.spelling();
            return Err(self.fault(format!("expected a statement, found {found}")));
        };
        let word = word.clone();
        match word.as_str() {
            "DEF" => self.definition(depth, opening),
            "FOR" => self.repetition(depth, opening),
            "IF" => self.branch(depth, opening),
            "PARALLEL" => {
                self.advance();
                let degree = self.expression()?;
                // Figure 3 of the MegaScript paper (2005) writes DO behind PARALLEL, and none behind FOR; both may have one.
                self.accept_word("DO");
                let body = self.body(depth, opening, "PARALLEL")?;
                Ok(StatementKind::Parallel { degree, body })
            }
            "BREAK" => {
                self.advance();
                Ok(StatementKind::Break)
            }
            _ => match Action::of_name(&word) {
                Some(action) => self.action(action),
                None => self.assignment_or_call(),
            },
        }
    }

    fn definition(&mut self, depth: usize, opening: Span) -> Result<StatementKind, Fault> {
        self.advance();
        let name = self.name("the name of the definition")?;
        let mut parameters = Vec::new();
        if self.is_symbol("(") {
            self.open("(", "DEF")?;
            while !self.is_symbol(")") {
                parameters.push(self.name("a parameter")?);
                if !self.accept_symbol(",") {
                    break;
                }
            }
            self.close(")", "the parameters")?;
        }
        let body = self.body(depth, opening, "DEF")?;
        Ok(StatementKind::Define {
            name,
            parameters,
            body,
        })
    }

    fn repetition(&mut self, depth: usize, opening: Span) -> Result<StatementKind, Fault> {
        self.advance();
        // A variable may also begin the number of iterations: only the IN behind it shows that it is the index.
        let is_indexed = matches!(self.kind(), TokenKind::Word(_))
            && matches!(
                self.tokens.get(self.at + 1).map(|token| &token.kind),
                Some(TokenKind::Word(word)) if word == "IN"
            );
        let index = if is_indexed {
            let index = self.name("the index of the loop")?;
            self.accept_word("IN");
            Some(index)
        } else {
            None
        };
        let first = self.expression()?;
        let range = if self.accept_symbol("..") {
            Range::Between(first, self.expression()?)
        } else {
            Range::Count(first)
        };
        self.accept_word("DO");
        let body = self.body(depth, opening, "FOR")?;
        Ok(StatementKind::For { index, range, body })
    }

    fn branch(&mut self, depth: usize, opening: Span) -> Result<StatementKind, Fault> {
        self.advance();
        let condition = self.expression()?;
        let opening_comment = self.header_end("IF")?;
        let mut then = self.block(depth + 1)?;
        then.opening_comment = opening_comment;
        let mut otherwise = None;
        if self.accept_word("ELSE") {
            let opening_comment = self.header_end("ELSE")?;
            let mut block = self.block(depth + 1)?;
            block.opening_comment = opening_comment;
            if self.is_word("ELSE") {
                return Err(self.fault("this IF has a second ELSE; remove one"));
            }
            block.closing_comment = self.end(opening, "IF")?;
            otherwise = Some(block);
        } else {
            then.closing_comment = self.end(opening, "IF")?;
        }
        Ok(StatementKind::If {
            condition,
            then,
            otherwise,
        })
    }

    fn action(&mut self, action: Action) -> Result<StatementKind, Fault> {
        let entry = action.entry();
        let span = self.span();
        self.advance();
        let arguments = self.arguments(entry.name)?;
        let (least, most) = (entry.required, entry.parameters.len());
        if arguments.len() < least || arguments.len() > most {
            let message = format!(
                "{} takes {}, found {} argument{}",
                entry.name,
                parameters(entry.parameters, least),
                arguments.len(),
                if arguments.len() == 1 { "" } else { "s" }
            );
            return Err(Fault::new(span, message));
        }
        Ok(StatementKind::Act { action, arguments })
    }

    /// Expressions between parentheses.
    fn arguments(&mut self, function: &str) -> Result<Vec<Expression>, Fault> {
        self.open("(", function)?;
        let mut arguments = Vec::new();
        while !self.is_symbol(")") {
            arguments.push(self.expression()?);
            if !self.accept_symbol(",") {
                break;
            }
        }
        self.close(")", "the arguments")?;
        Ok(arguments)
    }

    fn assignment_or_call(&mut self) -> Result<StatementKind, Fault> {
        let TokenKind::Word(word) = self.kind() else {
            return Err(self.fault("expected a statement"));
        };
        if KEYWORDS.contains(&word.as_str()) {
            let message = format!("{word} begins no statement");
            return Err(self.fault(message));
        }
        let name = self.name("a statement")?;
        if self.is_symbol("(") {
            let arguments = self.arguments(&name.text)?;
            return Ok(StatementKind::Call { name, arguments });
        }
        if self.accept_symbol("=") {
            let value = self.expression()?;
            return Ok(StatementKind::Assign {
                target: name,
                value,
            });
        }
        let found = self.spelling();
        Err(self.fault(format!(
            "expected '=' or '(' after {}, found {found}",
            name.text
        )))
    }
}

/// `(cost, peer, tag), the first required`.
fn parameters(names: &[&str], required: usize) -> String {
    if names.is_empty() {
        return "no arguments".into();
    }
    let list = names.join(", ");
    if required == names.len() {
        format!("({list})")
    } else {
        format!("({list}), of which {required} must be given")
    }
}
