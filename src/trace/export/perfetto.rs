//! Perfetto's own format: a track per actor, what is said as arrows, what hosts do as slices.
//!
//! The messages are the few that are needed of Perfetto's `trace_packet.proto` and `track_event.proto`,
//! with their field numbers. <https://perfetto.dev/docs/reference/synthetic-track-event>

use std::io::Write;

use kernel::{ActorId, SimTime};
use prost::Message as _;

use super::{ExportError, each_message};
use crate::trace::archive::{Archive, Heading};
use crate::trace::filter::Selection;
use crate::trace::message::{Fate, Message, MessageId};

#[derive(Clone, PartialEq, prost::Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<TracePacket>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct TracePacket {
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, tag = "10")]
    trusted_packet_sequence_id: u32,
    #[prost(message, optional, tag = "11")]
    track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<TrackDescriptor>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct TrackDescriptor {
    #[prost(uint64, tag = "1")]
    uuid: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(uint64, optional, tag = "5")]
    parent_uuid: Option<u64>,
    #[prost(enumeration = "ChildOrdering", tag = "11")]
    child_ordering: i32,
    #[prost(int32, tag = "12")]
    sibling_order_rank: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, prost::Enumeration)]
#[repr(i32)]
enum ChildOrdering {
    Unknown = 0,
    Explicit = 3,
}

#[derive(Clone, PartialEq, prost::Message)]
struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    debug_annotations: Vec<DebugAnnotation>,
    #[prost(enumeration = "EventType", tag = "9")]
    r#type: i32,
    #[prost(uint64, tag = "11")]
    track_uuid: u64,
    #[prost(string, repeated, tag = "22")]
    categories: Vec<String>,
    #[prost(string, optional, tag = "23")]
    name: Option<String>,
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    flow_ids: Vec<u64>,
    #[prost(fixed64, repeated, packed = "false", tag = "48")]
    terminating_flow_ids: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, prost::Enumeration)]
#[repr(i32)]
enum EventType {
    Unspecified = 0,
    SliceBegin = 1,
    SliceEnd = 2,
    Instant = 3,
}

#[derive(Clone, PartialEq, prost::Message)]
struct DebugAnnotation {
    #[prost(string, tag = "10")]
    name: String,
    #[prost(oneof = "AnnotationValue", tags = "3, 6")]
    value: Option<AnnotationValue>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum AnnotationValue {
    #[prost(uint64, tag = "3")]
    Uint(u64),
    #[prost(string, tag = "6")]
    Text(String),
}

/// All packets come from one writer.
const SEQUENCE: u32 = 1;

/// The tracks of groups, of actors, and of what actors do have numbers apart.
const GROUPS: u64 = 1 << 40;
const ACTIVITIES: u64 = 1 << 41;

/// Writes the selected messages and what watched actors do. Returns how many messages there were.
///
/// # Errors
/// If the trace cannot be read, or the file not written.
pub fn write(
    archive: &mut Archive,
    selection: &Selection,
    mut out: impl Write,
) -> Result<u64, ExportError> {
    let heading = archive.heading().clone();
    let mut tracks = Tracks::default();
    for (rank, (name, _)) in heading.groups.iter().enumerate() {
        let mut group = track(GROUPS + rank as u64, name, None);
        group.child_ordering = ChildOrdering::Explicit.into();
        group.sibling_order_rank = rank as i32;
        put(&mut out, describing(group))?;
    }
    let count = each_message(archive, selection, |message| {
        for actor in [message.from, message.to] {
            tracks.need(actor, &heading, &mut out)?;
        }
        if !message.is_timer() {
            put(&mut out, sending(message, &heading))?;
        }
        if message.fate != Fate::InFlight {
            put(&mut out, receiving(message, &heading))?;
        }
        Ok(())
    })?;
    for interval in archive.intervals(&selection.span())? {
        let actor = interval.actor;
        if !selection.watches(actor) {
            continue;
        }
        tracks.need(actor, &heading, &mut out)?;
        if tracks.doing.insert(actor) {
            let uuid = ACTIVITIES + u64::from(actor.0);
            put(
                &mut out,
                describing(track(uuid, "state", Some(uuid_of(actor)))),
            )?;
        }
        let event = |kind: EventType, at: SimTime, name: Option<&str>| TracePacket {
            timestamp: Some(at.nanos()),
            track_event: Some(TrackEvent {
                r#type: kind.into(),
                track_uuid: ACTIVITIES + u64::from(actor.0),
                name: name.map(str::to_owned),
                ..TrackEvent::default()
            }),
            trusted_packet_sequence_id: SEQUENCE,
            ..TracePacket::default()
        };
        let name = Some(heading.activity(interval.activity));
        put(&mut out, event(EventType::SliceBegin, interval.start, name))?;
        put(&mut out, event(EventType::SliceEnd, interval.end, None))?;
    }
    out.flush()?;
    Ok(count)
}

/// Which tracks have been described.
#[derive(Default)]
struct Tracks {
    actors: std::collections::HashSet<ActorId>,
    doing: std::collections::HashSet<ActorId>,
}

impl Tracks {
    fn need(
        &mut self,
        actor: ActorId,
        heading: &Heading,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        if !self.actors.insert(actor) {
            return Ok(());
        }
        let group = heading
            .groups
            .iter()
            .position(|(_, all)| all.contains(&actor.0));
        let parent = group.map(|rank| GROUPS + rank as u64);
        let mut track = track(uuid_of(actor), &heading.actor_name(actor), parent);
        track.sibling_order_rank = i32::try_from(actor.0).unwrap_or(i32::MAX);
        put(out, describing(track))
    }
}

/// Zero is no name of a track.
fn uuid_of(actor: ActorId) -> u64 {
    u64::from(actor.0) + 1
}

fn track(uuid: u64, name: &str, parent_uuid: Option<u64>) -> TrackDescriptor {
    TrackDescriptor {
        uuid,
        name: name.to_owned(),
        parent_uuid,
        ..TrackDescriptor::default()
    }
}

fn describing(track: TrackDescriptor) -> TracePacket {
    TracePacket {
        trusted_packet_sequence_id: SEQUENCE,
        track_descriptor: Some(track),
        ..TracePacket::default()
    }
}

/// The arrow of a message. Zero is no name of an arrow.
fn flow(id: MessageId) -> u64 {
    id.0 | 1 << 63
}

fn sending(message: &Message<'_>, heading: &Heading) -> TracePacket {
    let to = heading.actor_name(message.to);
    let name = format!("{} → {to}", heading.kind(message.kind));
    let mut event = instant(message, name);
    event.track_uuid = uuid_of(message.from);
    event.flow_ids = vec![flow(message.id)];
    event.categories = vec!["sent".to_owned()];
    at(message.sent, event)
}

fn receiving(message: &Message<'_>, heading: &Heading) -> TracePacket {
    let mut event = instant(message, heading.kind(message.kind).to_owned());
    event.track_uuid = uuid_of(message.to);
    if message.is_timer() {
        event.categories = vec!["timer".to_owned()];
    } else {
        event.categories = vec!["received".to_owned()];
        event.terminating_flow_ids = vec![flow(message.id)];
    }
    at(message.received, event)
}

fn instant(message: &Message<'_>, name: String) -> TrackEvent {
    let text = |name: &str, value: String| DebugAnnotation {
        name: name.to_owned(),
        value: Some(AnnotationValue::Text(value)),
    };
    let number = |name: &str, value: u64| DebugAnnotation {
        name: name.to_owned(),
        value: Some(AnnotationValue::Uint(value)),
    };
    let mut annotations = vec![
        text("text", message.text.to_owned()),
        text("message_id", message.id.to_string()),
        text("fate", message.fate.name().to_owned()),
    ];
    annotations.extend(
        message
            .cause
            .map(|cause| text("cause_id", cause.to_string())),
    );
    annotations.extend(message.job.map(|job| number("job", job.into())));
    annotations.extend(message.file.map(|file| number("file", file.into())));
    annotations.extend(message.bytes.map(|bytes| number("bytes", bytes)));
    TrackEvent {
        debug_annotations: annotations,
        r#type: EventType::Instant.into(),
        name: Some(name),
        ..TrackEvent::default()
    }
}

fn at(time: SimTime, event: TrackEvent) -> TracePacket {
    TracePacket {
        timestamp: Some(time.nanos()),
        trusted_packet_sequence_id: SEQUENCE,
        track_event: Some(event),
        ..TracePacket::default()
    }
}

/// A trace is a message whose only field is repeated, so packets can be written one by one.
fn put(out: &mut impl Write, packet: TracePacket) -> std::io::Result<()> {
    let trace = Trace {
        packet: vec![packet],
    };
    out.write_all(&trace.encode_to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Filter;
    use crate::trace::archive::tests::archive;

    #[test]
    fn an_arrow_goes_from_where_a_message_is_sent_to_where_it_is_received() {
        let folder = tempfile::tempdir().unwrap();
        let mut archive = archive(folder.path());
        let selection = Filter::default()
            .resolve(archive.heading().names())
            .unwrap();
        let mut out = Vec::new();
        assert_eq!(write(&mut archive, &selection, &mut out).unwrap(), 3);
        let trace = Trace::decode(&out[..]).unwrap();
        let tracks: Vec<_> = trace
            .packet
            .iter()
            .filter_map(|p| p.track_descriptor.as_ref())
            .collect();
        let names: Vec<_> = tracks.iter().map(|track| track.name.as_str()).collect();
        for name in [
            "server",
            "host",
            "server[0]",
            "server[1]",
            "host[1]",
            "state",
        ] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
        let events: Vec<_> = trace
            .packet
            .iter()
            .filter_map(|packet| Some((packet.timestamp?, packet.track_event.as_ref()?)))
            .collect();
        assert!(
            events
                .iter()
                .all(|(_, e)| tracks.iter().any(|t| t.uuid == e.track_uuid))
        );
        // The second message goes from host[1] at 50 ns to server[0] at 1,000,050 ns.
        let arrow = flow(MessageId((3 << 32) | 1));
        let begins = events
            .iter()
            .find(|(_, event)| event.flow_ids == [arrow])
            .unwrap();
        let ends = events
            .iter()
            .find(|(_, event)| event.terminating_flow_ids == [arrow]);
        let ends = ends.unwrap();
        assert_eq!((begins.0, begins.1.track_uuid), (50, uuid_of(ActorId(3))));
        assert_eq!(
            (ends.0, ends.1.track_uuid),
            (1_000_050, uuid_of(ActorId(0)))
        );
        // The third was still under way when the run ended.
        let lost = flow(MessageId(1 << 32));
        assert!(
            events
                .iter()
                .all(|(_, event)| event.terminating_flow_ids != [lost])
        );
    }
}
