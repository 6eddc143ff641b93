//! What did they mean?
//!
//! The deserialiser says what it found and what it knows; here the nearest of these is looked up.

/// A name that nobody knows, and the names that would be known in its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// What it is a name of.
    pub what: What,
    /// The name found.
    pub found: String,
    /// The names known.
    pub known: Vec<String>,
}

/// What a name is a name of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A key of a table.
    Key,
    /// One of several possibilities.
    Name,
}

/// Less alike than this, a suggestion would be a guess (Jaro–Winkler, 1 is equal).
const ALIKE: f64 = 0.75;

impl Unknown {
    /// Takes a message of serde apart: "unknown field `a`, expected one of `b`, `c`".
    pub fn read(message: &str) -> Option<Self> {
        let message = message.trim();
        let (what, rest) = if let Some(rest) = message.strip_prefix("unknown field `") {
            (What::Key, rest)
        } else {
            (What::Name, message.strip_prefix("unknown variant `")?)
        };
        // The name found may itself hold anything; what follows it is serde's.
        let end = rest
            .find("`, expected ")
            .or_else(|| rest.find("`, there are no"))?;
        let (found, expected) = (&rest[..end], &rest[end + 1..]);
        let known = expected
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect();
        Some(Unknown {
            what,
            found: found.to_owned(),
            known,
        })
    }

    /// The known name that is most like the one found, if any is.
    pub fn nearest(&self) -> Option<&str> {
        nearest(&self.found, self.known.iter().map(String::as_str))
    }

    /// What would be right, in words.
    pub fn help(&self) -> String {
        let all = self
            .known
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>();
        let list = match self.what {
            _ if all.is_empty() => "there is nothing to set here".to_owned(),
            What::Key => format!("known here: {}", all.join(", ")),
            What::Name => format!("one of {}", all.join(", ")),
        };
        match self.nearest() {
            Some(near) => format!("did you mean `{near}`? ({list})"),
            None => list,
        }
    }
}

/// The name that is most like `found`, if any is.
pub fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let found = found.to_lowercase();
    known
        .map(|name| (strsim::jaro_winkler(&found, &name.to_lowercase()), name))
        .filter(|&(alike, _)| alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_deserialiser_are_understood() {
        let unknown =
            Unknown::read("unknown field `hosst`, expected one of `hosts`, `until`, `seed`")
                .unwrap();
        assert_eq!(unknown.nearest(), Some("hosts"));
        assert_eq!(unknown.known.len(), 3);
        let unknown = Unknown::read("unknown variant `randm`, expected `random` or `first_come`");
        assert_eq!(unknown.unwrap().nearest(), Some("random"));
        let unknown = Unknown::read("unknown field `x`, there are no fields").unwrap();
        assert_eq!(unknown.help(), "there is nothing to set here");
        assert_eq!(Unknown::read("invalid type: string"), None);
    }

    #[test]
    fn nothing_is_suggested_for_what_is_like_nothing() {
        assert_eq!(nearest("zzz", ["hosts", "until"].into_iter()), None);
    }
}
