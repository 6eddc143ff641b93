//! Which combinations of a study are run?
//!
//! A condition such as `jobs.min_quorum <= jobs.target_nresults and hosts < 5000`, over the keys of the
//! scenario with all its defaults. Amounts are compared with their units: `jobs.delay_bound < "7 d"`.
//!
//! `or` binds weaker than `and`, `and` weaker than `not`, and that weaker than a comparison; then come
//! `+ -`, then `* /`.

use toml::Value;

use super::amount::Amount;
use crate::scenario::KeyPath;
use crate::scenario::key_path::Step;

/// A condition on the keys of a scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition(Expression);

#[derive(Clone, PartialEq, Debug)]
enum Expression {
    Key(KeyPath),
    Known(Term),
    Not(Box<Expression>),
    Both(Operator, Box<(Expression, Expression)>),
}

/// What an expression comes to.
#[derive(Clone, PartialEq, Debug)]
enum Term {
    Truth(bool),
    Amount(Amount),
    Text(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    AtMost,
    AtLeast,
    Less,
    More,
    Plus,
    Minus,
    Times,
    Over,
}

/// Deeper than anyone nests brackets.
const DEEPEST: usize = 64;

impl Condition {
    /// Reads a condition, or says what is wrong with it.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut reader = Reader {
            rest: text.trim(),
            depth: 0,
        };
        let expression = reader.expression(0)?;
        if !reader.rest.is_empty() {
            return Err(format!("`{}` is more than a condition", reader.rest));
        }
        Ok(Condition(expression))
    }

    /// Whether the condition holds in a scenario, which is a table with all defaults written out.
    pub fn holds(&self, scenario: &toml::Table) -> Result<bool, String> {
        match self.0.term(scenario)? {
            Term::Truth(truth) => Ok(truth),
            other => Err(format!(
                "it comes to {}, which is neither true nor false: compare it with something",
                other.words()
            )),
        }
    }
}

impl Expression {
    fn term(&self, scenario: &toml::Table) -> Result<Term, String> {
        match self {
            Expression::Known(term) => Ok(term.clone()),
            Expression::Key(path) => look_up(scenario, path),
            Expression::Not(inside) => Ok(Term::Truth(!inside.term(scenario)?.truth()?)),
            Expression::Both(operator, sides) => {
                let left = sides.0.term(scenario)?;
                match (operator, &left) {
                    // What the left side has decided already is not asked again.
                    (Operator::Or, Term::Truth(true)) | (Operator::And, Term::Truth(false)) => {
                        Ok(left)
                    }
                    _ => operator.apply(left, sides.1.term(scenario)?),
                }
            }
        }
    }
}

impl Operator {
    const SIGNS: [(&'static str, Operator); 12] = [
        // Longer signs first: `<=` also begins with `<`.
        ("==", Operator::Equal),
        ("!=", Operator::Unequal),
        ("<=", Operator::AtMost),
        (">=", Operator::AtLeast),
        ("<", Operator::Less),
        (">", Operator::More),
        ("+", Operator::Plus),
        ("-", Operator::Minus),
        ("*", Operator::Times),
        ("/", Operator::Over),
        ("and", Operator::And),
        ("or", Operator::Or),
    ];

    /// How strongly it binds.
    fn strength(self) -> u8 {
        match self {
            Operator::Or => 1,
            Operator::And => 2,
            Operator::Plus | Operator::Minus => 5,
            Operator::Times | Operator::Over => 6,
            _ => 4,
        }
    }

    fn apply(self, left: Term, right: Term) -> Result<Term, String> {
        let truth = |truth| Ok(Term::Truth(truth));
        match self {
            Operator::Or => truth(left.truth()? | right.truth()?),
            Operator::And => truth(left.truth()? & right.truth()?),
            Operator::Equal => truth(left.equals(&right)),
            Operator::Unequal => truth(!left.equals(&right)),
            Operator::Plus | Operator::Minus => {
                let (left, right) = like(left, right)?;
                let sign = if self == Operator::Plus { 1.0 } else { -1.0 };
                // Written in the unit of the one that has a unit.
                let model = if left.unit.is_empty() { &right } else { &left };
                let sum = left.in_base() + sign * right.in_base();
                Ok(Term::Amount(model.with_base(sum)))
            }
            Operator::Times | Operator::Over => scaled(self, left.amount()?, right.amount()?),
            _ => {
                let (left, right) = like(left, right)?;
                let (left, right) = (left.in_base(), right.in_base());
                truth(match self {
                    Operator::AtMost => left <= right,
                    Operator::AtLeast => left >= right,
                    Operator::Less => left < right,
                    _ => left > right,
                })
            }
        }
    }
}

fn like(left: Term, right: Term) -> Result<(Amount, Amount), String> {
    let (left, right) = (left.amount()?, right.amount()?);
    if left.is_like(&right) {
        return Ok((left, right));
    }
    Err(format!(
        "`{}` is {} and `{}` is {}, so they cannot be compared",
        left.text(),
        left.kind(),
        right.text(),
        right.kind()
    ))
}

fn scaled(operator: Operator, left: Amount, right: Amount) -> Result<Term, String> {
    let pure = |amount: &Amount| amount.kind() == Amount::pure(0.0).kind();
    let scaled = match operator {
        Operator::Times if pure(&right) => left.with_base(left.in_base() * right.in_base()),
        Operator::Times if pure(&left) => right.with_base(left.in_base() * right.in_base()),
        Operator::Over if pure(&right) => left.with_base(left.in_base() / right.in_base()),
        Operator::Over if left.is_like(&right) => Amount::pure(left.in_base() / right.in_base()),
        _ => {
            return Err(format!(
                "`{}` and `{}` cannot be multiplied or divided: one of them must be a number",
                left.text(),
                right.text()
            ));
        }
    };
    Ok(Term::Amount(scaled))
}

impl Term {
    fn truth(self) -> Result<bool, String> {
        match self {
            Term::Truth(truth) => Ok(truth),
            other => Err(format!("{} is neither true nor false", other.words())),
        }
    }

    fn amount(self) -> Result<Amount, String> {
        match self {
            Term::Amount(amount) => Ok(amount),
            other => Err(format!("{} is not a number or an amount", other.words())),
        }
    }

    fn equals(&self, other: &Term) -> bool {
        match (self, other) {
            (Term::Amount(left), Term::Amount(right)) => {
                left.is_like(right) && left.in_base() == right.in_base()
            }
            (left, right) => left == right,
        }
    }

    fn words(&self) -> String {
        match self {
            Term::Truth(truth) => truth.to_string(),
            Term::Amount(amount) => format!("`{}`", amount.text()),
            Term::Text(text) => format!("`{text}`"),
        }
    }

    fn from_text(text: &str) -> Self {
        match Amount::read(text) {
            Some(amount) => Term::Amount(amount),
            None => Term::Text(text.to_owned()),
        }
    }
}

fn look_up(scenario: &toml::Table, path: &KeyPath) -> Result<Term, String> {
    let missing = || format!("`{path}` is not a key of this scenario");
    let mut found: Option<&Value> = None;
    for step in &path.0 {
        found = match (found, step) {
            (None, Step::Key(key)) => scenario.get(key),
            (Some(value), Step::Key(key)) => value.get(key.as_str()),
            (Some(value), Step::Index(index)) => value.get(*index),
            (None, Step::Index(_)) => None,
        };
        if found.is_none() {
            return Err(missing());
        }
    }
    match found {
        Some(Value::Boolean(truth)) => Ok(Term::Truth(*truth)),
        Some(Value::Integer(number)) => Ok(Term::Amount(Amount::pure(*number as f64))),
        Some(Value::Float(number)) => Ok(Term::Amount(Amount::pure(*number))),
        Some(Value::String(text)) => Ok(Term::from_text(text)),
        Some(_) => Err(format!(
            "`{path}` is a table or a list: name one of its values"
        )),
        None => Err(missing()),
    }
}

/// Reads from the front of a text.
struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    /// An expression of operators that bind more strongly than `least`.
    fn expression(&mut self, least: u8) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deeply".to_owned());
        }
        let mut left = self.operand()?;
        while let Some((sign, operator)) = self.operator() {
            let strength = operator.strength();
            if strength <= least {
                break;
            }
            self.skip(sign.len());
            let right = self.expression(strength)?;
            left = Expression::Both(operator, Box::new((left, right)));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operator(&self) -> Option<(&'static str, Operator)> {
        let fits = |sign: &str| {
            let is_word = sign.starts_with(char::is_alphabetic);
            let after = self.rest.strip_prefix(sign);
            after.is_some_and(|after| !is_word || !after.starts_with(is_key))
        };
        Operator::SIGNS.into_iter().find(|(sign, _)| fits(sign))
    }

    fn operand(&mut self) -> Result<Expression, String> {
        let Some(first) = self.rest.chars().next() else {
            return Err("something is missing at its end".to_owned());
        };
        if first == '(' {
            self.skip(1);
            let inside = self.expression(0)?;
            if !self.rest.starts_with(')') {
                return Err("a `(` has no `)`".to_owned());
            }
            self.skip(1);
            return Ok(inside);
        }
        if first == '"' || first == '\'' {
            let end = self.rest[1..]
                .find(first)
                .ok_or("a text has no closing quote")?;
            let term = Term::from_text(&self.rest[1..1 + end]);
            self.skip(end + 2);
            return Ok(Expression::Known(term));
        }
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        if is_number(first) || first == '-' {
            let end = self.rest[1..]
                .find(|c: char| !is_number(c) && c != '_')
                .map_or(self.rest.len(), |at| at + 1);
            let word = &self.rest[..end];
            let number = word.replace('_', "").parse().map_err(|_| {
                format!("`{word}` is not a number; an amount with a unit stands in quotes")
            })?;
            self.skip(end);
            return Ok(Expression::Known(Term::Amount(Amount::pure(number))));
        }
        self.word()
    }

    fn word(&mut self) -> Result<Expression, String> {
        let end = self.rest.find(|c| !is_key(c)).unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        let expression = match word {
            "" => return Err(format!("`{}` cannot stand here", self.rest)),
            "true" | "false" => Expression::Known(Term::Truth(word == "true")),
            "not" => {
                self.skip(end);
                // Weaker than a comparison, stronger than `and`.
                return Ok(Expression::Not(Box::new(self.expression(3)?)));
            }
            key => Expression::Key(KeyPath::parse(key)?),
        };
        self.skip(end);
        Ok(expression)
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest[length..].trim_start();
    }
}

fn is_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.[]".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario() -> toml::Table {
        "hosts = 1000\nname = \"x y\"\non = true\nlist = [{ share = 0.5 }]\n\
         [jobs]\nmin_quorum = 3\ntarget = 4\ndelay_bound = \"7 d\"\nshare = \"13 %\"\n"
            .parse()
            .unwrap()
    }

    #[test]
    fn conditions_are_what_they_say() {
        for (text, truth) in [
            ("hosts == 1000", true),
            ("jobs.min_quorum <= jobs.target and hosts < 999", false),
            ("jobs.delay_bound < \"1 w\"", false),
            ("jobs.delay_bound <= '1 w'", true),
            ("jobs.delay_bound * 2 == \"14 d\"", true),
            ("jobs.delay_bound / \"12 h\" == 14", true),
            ("1 + 2 * 3 == 7", true),
            ("(1 + 2) * 3 == 9", true),
            ("10 - 3 - 2 == 5", true),
            ("not hosts > 5 or on", true),
            ("not (hosts > 5 or on)", false),
            ("not hosts > 5 and false or true", true),
            ("name == \"x y\"", true),
            ("name != \"x\"", true),
            ("list[0].share == 0.5", true),
            ("jobs.share == 0.13", true),
            ("on or no_such_key == 1", true),
            ("hosts -1 == 999", true),
        ] {
            let condition = Condition::read(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(condition.holds(&scenario()), Ok(truth), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_condition_is_refused_with_its_reason() {
        for (text, reason) in [
            ("", "missing at its end"),
            ("hosts >", "missing at its end"),
            ("(hosts > 1", "no `)`"),
            ("hosts > 1)", "more than a condition"),
            ("name == \"x", "closing quote"),
            ("hosts > 7 d", "more than a condition"),
            ("hosts", "neither true nor false"),
            ("jobs > 1", "name one of its values"),
            ("hsts > 1", "`hsts` is not a key"),
            ("jobs.delay_bound > 7", "cannot be compared"),
            (
                "jobs.delay_bound * jobs.delay_bound > 7",
                "must be a number",
            ),
            ("name + 1 > 1", "not a number"),
            ("not 1", "neither true nor false"),
            ("hosts > €", "cannot stand here"),
        ] {
            let found = Condition::read(text).and_then(|c| c.holds(&scenario()));
            let reason_found = found.expect_err(text);
            assert!(reason_found.contains(reason), "{text}: {reason_found}");
        }
        assert!(Condition::read(&"(".repeat(100_000)).is_err());
    }
}
