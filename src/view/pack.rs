//! How does a conversation get into a browser?
//!
//! As columns of integers: a header in JSON that says which columns there are, then their bytes. An
//! integer is written seven bits at a time, the lowest first, with the top bit set on all bytes but
//! the last; a column that may fall is written as differences, with the sign in the lowest bit. What
//! reads it is `page/unpack.js`.

use std::collections::HashMap;

use serde_json::json;

use super::conversation::{Conversation, Message, Name};

/// The conversation as bytes: the length of the header (four bytes, lowest first), the header, and
/// the columns. Messages come in the order in which they were sent.
pub fn pack(conversation: &Conversation) -> Vec<u8> {
    let mut messages: Vec<&Message> = conversation.messages.iter().collect();
    messages.sort_by_key(|message| (message.sent_ns, message.id));
    let mut columns = Columns::default();
    add_messages(&mut columns, &messages);
    add_intervals(&mut columns, conversation);
    let texts: String = messages
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    let actors: Vec<_> = conversation
        .actors
        .iter()
        .map(|actor| &actor.name)
        .collect();
    let numbers: Vec<_> = conversation
        .actors
        .iter()
        .map(|actor| actor.number)
        .collect();
    let (classes, class_of) = classes(conversation);
    columns.add("class", class_of.into_iter());
    columns.add_bytes("text", texts.as_bytes());
    let header = json!({
        "title": conversation.title,
        "lead": conversation.lead,
        // As text: a number in a browser is exact up to 2^53 only, and the page rounds by itself.
        "from": conversation.from_ns.to_string(),
        "until": conversation.until_ns.to_string(),
        "one_of": conversation.one_of.max(1),
        "total": conversation.total,
        "overview": conversation.overview,
        "actors": actors,
        "numbers": numbers,
        "classes": classes,
        "kinds": conversation.kinds,
        "fates": conversation.fates,
        "states": conversation.states,
        "messages": messages.len(),
        "columns": columns.directory,
    });
    let header = header.to_string();
    let length = u32::try_from(header.len()).expect("a header is smaller than 4 GiB");
    let mut packed = Vec::with_capacity(4 + header.len() + columns.bytes.len());
    packed.extend(length.to_le_bytes());
    packed.extend(header.as_bytes());
    packed.extend(columns.bytes);
    packed
}

/// The names of all classes, and the class of each actor.
fn classes(conversation: &Conversation) -> (Vec<&str>, Vec<u64>) {
    let mut names: Vec<&str> = Vec::new();
    let mut places = HashMap::new();
    let class_of = conversation.actors.iter().map(|actor| {
        *places.entry(actor.class.as_str()).or_insert_with(|| {
            names.push(&actor.class);
            names.len() as u64 - 1
        })
    });
    let class_of = class_of.collect();
    (names, class_of)
}

fn add_messages(columns: &mut Columns, messages: &[&Message]) {
    let of = |value: fn(&Message) -> u64| messages.iter().map(move |message| value(message));
    columns.add("count", of(|m| m.id.count.into()));
    columns.add_differences("sent", of(|m| m.sent_ns));
    columns.add("took", of(|m| m.received_ns.saturating_sub(m.sent_ns)));
    columns.add("from", of(|m| m.from.into()));
    columns.add("to", of(|m| m.to.into()));
    columns.add("kind", of(|m| m.kind.into()));
    columns.add("fate", of(|m| m.fate.into()));
    columns.add_differences("file", of(|m| m.file.map_or(0, |file| file + 1)));
    columns.add_differences("bytes", of(|m| m.bytes));
    columns.add("subjects", of(|m| m.subjects.len() as u64));
    let subjects = || messages.iter().flat_map(|message| &message.subjects);
    columns.add_differences("job", subjects().map(|subject| subject.job));
    let instance = |instance: u32| u64::from(instance) + 1;
    columns.add(
        "instance",
        subjects().map(|subject| subject.instance.map_or(0, instance)),
    );
    // In UTF-16 units, as scripts count them.
    columns.add(
        "letters",
        messages
            .iter()
            .map(|m| m.text.encode_utf16().count() as u64),
    );

    // 0: none; 1: one that was not recorded; else 2 and how many rows back, with its sign.
    let rows: HashMap<Name, i64> = (0..).zip(messages).map(|(row, m)| (m.id, row)).collect();
    let causes = (0..)
        .zip(messages)
        .map(|(row, message)| match message.cause {
            None => 0,
            Some(cause) => rows.get(&cause).map_or(1, |&at| 2 + zigzag(row - at)),
        });
    columns.add("cause", causes);
    // Of a cause that is not in the recording, the page shows the name.
    let unknown = messages.iter().filter_map(|message| message.cause);
    let unknown: Vec<_> = unknown.filter(|cause| !rows.contains_key(cause)).collect();
    columns.add(
        "unrecorded_sender",
        unknown.iter().map(|cause| cause.sender.into()),
    );
    columns.add(
        "unrecorded_count",
        unknown.iter().map(|cause| cause.count.into()),
    );
}

fn add_intervals(columns: &mut Columns, conversation: &Conversation) {
    let mut intervals: Vec<_> = conversation.intervals.iter().collect();
    intervals.sort_by_key(|interval| (interval.actor, interval.from_ns));
    columns.add_differences("who", intervals.iter().map(|i| i.actor.into()));
    columns.add("state", intervals.iter().map(|i| i.state.into()));
    columns.add_differences("begin", intervals.iter().map(|i| i.from_ns));
    let spans = intervals
        .iter()
        .map(|i| i.until_ns.saturating_sub(i.from_ns));
    columns.add("span", spans);
}

/// Columns under way.
#[derive(Default)]
struct Columns {
    bytes: Vec<u8>,
    directory: Vec<serde_json::Value>,
}

impl Columns {
    fn add(&mut self, name: &str, values: impl Iterator<Item = u64>) {
        self.column(name, "plain", values);
    }

    fn add_differences(&mut self, name: &str, values: impl Iterator<Item = u64>) {
        let mut before = 0_u64;
        let differences = values.map(move |value| {
            let difference = value.wrapping_sub(before) as i64;
            before = value;
            zigzag(difference)
        });
        self.column(name, "differences", differences);
    }

    fn add_bytes(&mut self, name: &str, bytes: &[u8]) {
        self.bytes.extend(bytes);
        self.enter(name, "bytes", bytes.len(), self.bytes.len() - bytes.len());
    }

    fn column(&mut self, name: &str, form: &str, values: impl Iterator<Item = u64>) {
        let begin = self.bytes.len();
        let mut count = 0;
        for mut value in values {
            while value >= 0x80 {
                self.bytes.push(value as u8 | 0x80);
                value >>= 7;
            }
            self.bytes.push(value as u8);
            count += 1;
        }
        self.enter(name, form, count, begin);
    }

    fn enter(&mut self, name: &str, form: &str, count: usize, begin: usize) {
        self.directory.push(json!({
            "name": name,
            "form": form,
            "count": count,
            "begin": begin,
            "bytes": self.bytes.len() - begin,
        }));
    }
}

/// A signed number as an unsigned one that is small if the number is: 0, -1, 1, -2, ... as 0, 1, 2, 3.
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::sample;

    /// Reads a column back, by the description above and not by the code that writes it.
    fn column(packed: &[u8], name: &str) -> Vec<u64> {
        let length = u32::from_le_bytes(packed[..4].try_into().unwrap()) as usize;
        let header: serde_json::Value = serde_json::from_slice(&packed[4..4 + length]).unwrap();
        let columns = header["columns"].as_array().unwrap();
        let entry = columns
            .iter()
            .find(|column| column["name"] == name)
            .unwrap();
        let begin = 4 + length + entry["begin"].as_u64().unwrap() as usize;
        let bytes = &packed[begin..begin + entry["bytes"].as_u64().unwrap() as usize];
        let (mut values, mut value, mut shift, mut last) = (Vec::new(), 0_u64, 0, 0_u64);
        for &byte in bytes {
            value += u64::from(byte % 128) << shift;
            shift += 7;
            if byte < 128 {
                if entry["form"] == "differences" {
                    let half = (value / 2) as i64;
                    let difference = if value % 2 == 0 { half } else { -half - 1 };
                    last = last.wrapping_add(difference as u64);
                    value = last;
                }
                values.push(value);
                (value, shift) = (0, 0);
            }
        }
        assert_eq!(values.len() as u64, entry["count"].as_u64().unwrap());
        values
    }

    #[test]
    fn columns_hold_what_was_said_in_the_order_in_which_it_was_sent() {
        let conversation = sample::conversation(50, 2_000, 7);
        let packed = pack(&conversation);
        let mut messages: Vec<_> = conversation.messages.iter().collect();
        messages.sort_by_key(|m| (m.sent_ns, m.id));
        let expect = |name: &str, value: &dyn Fn(&Message) -> u64| {
            let expected: Vec<_> = messages.iter().map(|m| value(m)).collect();
            assert_eq!(column(&packed, name), expected, "{name}");
        };
        expect("count", &|m| m.id.count.into());
        expect("sent", &|m| m.sent_ns);
        expect("took", &|m| m.received_ns - m.sent_ns);
        expect("from", &|m| m.from.into());
        expect("file", &|m| m.file.map_or(0, |file| file + 1));
        let rows = column(&packed, "cause");
        let ids: Vec<_> = messages.iter().map(|m| m.id).collect();
        for (row, (message, code)) in messages.iter().zip(rows).enumerate() {
            match message.cause {
                None => assert_eq!(code, 0),
                Some(cause) if code > 1 => {
                    let back = (code - 2) / 2;
                    assert_eq!(code % 2, 0, "a cause comes before what it causes");
                    assert_eq!(ids[row - back as usize], cause);
                }
                Some(cause) => assert!(!ids.contains(&cause)),
            }
        }
    }

    #[test]
    fn the_largest_numbers_survive() {
        let mut conversation = sample::conversation(2, 2, 1);
        conversation.messages[0].received_ns = u64::MAX;
        conversation.messages[0].bytes = u64::MAX;
        let packed = pack(&conversation);
        assert!(column(&packed, "took").contains(&(u64::MAX - conversation.messages[0].sent_ns)));
        assert!(column(&packed, "bytes").contains(&u64::MAX));
    }
}
