//! Text to markup, safely.

use serde::Serialize;

use crate::scenario::error::printable;

/// Text with everything that means something to HTML, or to a terminal, made harmless.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// JSON that can stand in a script element: nothing in it can close the element.
pub fn json_in_html(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("what is drawn is plain data");
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// The template with each `{{name}}` replaced by what `provide` gives for it. What is put in is not
/// looked at again, so text from a scenario cannot name a place.
pub fn fill(template: &str, provide: impl Fn(&str) -> String) -> String {
    let mut pieces = template.split("{{");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece
            .split_once("}}")
            .expect("every `{{` of the template has its `}}`");
        out.push_str(&provide(name));
        out.push_str(rest);
    }
    out
}

/// A command line that a shell reads back as these words.
pub fn shell_words(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+%".contains(c);
    let quoted = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_closes_a_script_from_inside() {
        assert_eq!(json_in_html(&"</script>"), r#""\u003c/script>""#);
    }

    #[test]
    fn what_is_filled_in_is_not_looked_at_again() {
        assert_eq!(fill("a {{x}} b", |_| "{{x}}".to_owned()), "a {{x}} b");
    }
}
