//! A conversation that nobody had, for tests: hosts ask a scheduler, compute, and report.

use super::conversation::{Conversation, Interval, Message, Name, Participant, Subject};

/// The actors in front of the hosts.
const SERVERS: [&str; 4] = ["scheduler", "transitioner", "validator", "download_server"];
const KINDS: [&str; 7] = [
    "request",
    "reply",
    "file_wanted",
    "file_arrived",
    "computation_ended",
    "instance_reported",
    "validated",
];
const STATES: [&str; 5] = ["off", "idle", "downloading", "computing", "waiting"];
const SECOND: u64 = 1_000_000_000;

/// So many hosts exchange at least so many messages; `seed` makes the difference.
pub fn conversation(hosts: u32, messages: usize, seed: u64) -> Conversation {
    let mut story = Story {
        dice: Dice(seed),
        conversation: Conversation {
            title: "A sample <b>conversation".to_owned(),
            lead: format!("{hosts} hosts that never were"),
            kinds: KINDS.map(str::to_owned).to_vec(),
            fates: ["delivered", "expired", "target gone"]
                .map(str::to_owned)
                .to_vec(),
            states: STATES.map(str::to_owned).to_vec(),
            ..Conversation::default()
        },
    };
    let servers = SERVERS.iter().map(|name| (name.to_string(), *name));
    let hosts_named = (0..hosts).map(|host| (format!("host[{host}]"), "host"));
    let named = servers.chain(hosts_named);
    story.conversation.actors = named
        .zip(0..)
        .map(|((name, class), number)| Participant {
            number,
            name,
            class: class.to_owned(),
        })
        .collect();
    let mut free: Vec<u64> = (0..hosts)
        .map(|_| story.dice.below(3_600 * SECOND))
        .collect();
    let mut job = 0;
    while story.conversation.messages.len() < messages {
        let host = story.dice.below(hosts.into()) as usize;
        free[host] = story.round(SERVERS.len() as u32 + host as u32, free[host], job);
        job += 1;
    }
    story.conversation.until_ns = free.into_iter().max().unwrap_or(0);
    story.conversation
}

struct Story {
    dice: Dice,
    conversation: Conversation,
}

impl Story {
    /// One host asks, fetches, computes and reports; returns when it is free again.
    fn round(&mut self, host: u32, begin: u64, job: u64) -> u64 {
        let (scheduler, transitioner, validator, server) = (0, 1, 2, 3);
        let job = Some(job / 2).map(|j| Subject {
            job: j,
            instance: Some((job % 2) as u32),
        });
        let mut cause = None;
        let mut now = begin;
        let steps = [
            (host, scheduler, 0, 80_000_000),
            (scheduler, host, 1, 90_000_000),
            (host, server, 2, 60_000_000),
            (server, host, 3, 40 * SECOND),
            (host, host, 4, 5_000 * SECOND),
            (host, scheduler, 0, 80_000_000),
            (scheduler, transitioner, 5, 5 * SECOND),
            (validator, transitioner, 6, 5 * SECOND),
        ];
        let mut free = begin;
        for (from, to, kind, least) in steps {
            let received = now + least + self.dice.below(least);
            let place = self.conversation.messages.len() as u64;
            let id = Name {
                sender: from,
                count: place as u32,
            };
            self.conversation.messages.push(Message {
                id,
                cause,
                sent_ns: now,
                received_ns: received,
                from,
                to,
                kind,
                fate: u8::from(kind == 5 && self.dice.below(20) == 0),
                subjects: job.into_iter().collect(),
                file: matches!(kind, 2 | 3).then_some(place % 17),
                bytes: if kind == 3 { 4_000_000 } else { 0 },
                text: format!("step {kind} of this round, “with quotes”"),
            });
            if let (true, Some(state)) = (to == host, [0, 2, 2, 3, 1].get(kind as usize)) {
                self.conversation.intervals.push(Interval {
                    actor: host,
                    state: *state,
                    from_ns: now,
                    until_ns: received,
                });
            }
            cause = Some(id);
            now = received;
            if to == host || from == host {
                free = received;
            }
        }
        free + self.dice.below(600 * SECOND)
    }
}

/// Steele, Lea and Flood's SplitMix64 (2014): enough for a sample.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }
}
