//! One page, complete in itself.

use miniz_oxide::deflate::compress_to_vec_zlib;

use super::conversation::Conversation;
use super::pack::pack;
use crate::report::page::markup::{escape, fill};

const TEMPLATE: &str = include_str!("page/template.html");
const STYLE: &str = include_str!("page/style.css");

/// The scripts, in reading order; together they are one.
const SCRIPTS: [&str; 16] = [
    include_str!("page/words.js"),
    include_str!("page/unpack.js"),
    include_str!("page/links.js"),
    include_str!("page/filter.js"),
    include_str!("page/timescale.js"),
    include_str!("page/lanes.js"),
    include_str!("page/strips.js"),
    include_str!("page/chart.js"),
    include_str!("page/arrows.js"),
    include_str!("page/density.js"),
    include_str!("page/overview.js"),
    include_str!("page/panel.js"),
    include_str!("page/hands.js"),
    include_str!("page/served.js"),
    include_str!("page/selftest.js"),
    include_str!("page/main.js"),
];

/// The page with the whole conversation in it. It loads nothing.
pub fn offline(conversation: &Conversation) -> String {
    // zlib's format, which browsers call "deflate".
    let data = base64(&compress_to_vec_zlib(&pack(conversation), 6));
    page(&conversation.title, "embedded", &data, "'none'")
}

/// The page that asks the server it comes from for what is on screen.
pub fn served(title: &str) -> String {
    page(title, "served", "", "'self'")
}

fn page(title: &str, source: &str, data: &str, connect: &str) -> String {
    fill(TEMPLATE, |name| match name {
        "title" => escape(title),
        "connect" => connect.to_owned(),
        "style" => STYLE.to_owned(),
        "source" => source.to_owned(),
        "data" => data.to_owned(),
        "script" => SCRIPTS.join("\n"),
        other => unreachable!("the template asks for `{other}`, which nobody provides"),
    })
}

/// Bytes in the alphabet of RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |place: usize| u32::from(three.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= three.len() {
                letter as char
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::sample;

    #[test]
    fn bytes_become_text_as_the_standard_has_it() {
        // The test vectors of RFC 4648, section 10.
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn the_page_holds_everything_and_loads_nothing() {
        let page = offline(&sample::conversation(5, 100, 1));
        assert!(page.contains("connect-src 'none'"));
        assert!(page.contains("A sample &lt;b&gt;conversation"));
        for loading in [
            "src=",
            "href=",
            "url(",
            "@import",
            "XMLHttpRequest",
            "import(",
        ] {
            assert!(!page.contains(loading), "the page has `{loading}` in it");
        }
        assert!(
            !page.contains("{{"),
            "a place in the template was not filled"
        );
        assert_eq!(page.matches("</script>").count(), 2);
    }
}
