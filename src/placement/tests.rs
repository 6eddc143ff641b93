use kernel::{Actor, Context, Group, Inbox, SimDuration, WorldBuilder};

use super::*;

struct Nobody;
impl Actor for Nobody {
    type Message = ();
    type Fact = ();
    fn receive(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

struct Kind<const N: u8>;
impl<const N: u8> Inbox for Kind<N> {
    type Message = ();
    const GROUP: Group = Group(N);
}

/// A scheduler (0), a validator (1) and hosts (2). The scheduler tells the validator something after
/// 1 s, hosts and scheduler talk with 10 ms, validators never talk to hosts.
fn project(hosts: u32) -> Promises {
    let mut world = WorldBuilder::<Nobody>::new(1);
    world.group::<Kind<0>>("scheduler");
    world.group::<Kind<1>>("validator");
    world.group::<Kind<2>>("host");
    world.edge::<Kind<0>, Kind<1>>(SimDuration::from_secs(1));
    world.edge::<Kind<0>, Kind<2>>(SimDuration::from_millis(10));
    world.edge::<Kind<2>, Kind<0>>(SimDuration::from_millis(10));
    world.add::<Kind<0>>(Nobody);
    world.add::<Kind<1>>(Nobody);
    for _ in 0..hosts {
        world.add::<Kind<2>>(Nobody);
    }
    (**world.build().promises()).clone()
}

/// Two rooms: groups 0 and 1 talk after 1 ms, 2 and 3 after 2 ms, 1 and 2 after 1 s; three members
/// each.
fn rooms() -> Promises {
    let mut world = WorldBuilder::<Nobody>::new(1);
    world.group::<Kind<0>>("a");
    world.group::<Kind<1>>("b");
    world.group::<Kind<2>>("c");
    world.group::<Kind<3>>("d");
    world.edge::<Kind<0>, Kind<1>>(SimDuration::from_millis(1));
    world.edge::<Kind<3>, Kind<2>>(SimDuration::from_millis(2));
    world.edge::<Kind<1>, Kind<2>>(SimDuration::from_secs(1));
    for _ in 0..3 {
        world.add::<Kind<0>>(Nobody);
    }
    for _ in 0..3 {
        world.add::<Kind<1>>(Nobody);
    }
    for _ in 0..3 {
        world.add::<Kind<2>>(Nobody);
    }
    for _ in 0..3 {
        world.add::<Kind<3>>(Nobody);
    }
    (**world.build().promises()).clone()
}

fn parts(directory: &Directory) -> Vec<Range<u32>> {
    (0..directory.partitions())
        .map(|partition| directory.members(partition))
        .collect()
}

#[test]
fn blocks_are_equal_and_groups_are_not_mixed() {
    let promises = project(10);
    let blocks = Placement::Blocks.divide(&promises, 3);
    assert_eq!(parts(&blocks), [0..4, 4..8, 8..12]);
    let groups = Placement::Groups.divide(&promises, 2);
    assert_eq!(parts(&groups), [0..1, 1..2, 2..7, 7..12]);
}

#[test]
fn neighbours_share_a_room_and_rooms_are_cut_by_size() {
    let promises = rooms();
    let place = |count| parts(&Placement::Neighbours.divide(&promises, count));
    assert_eq!(place(1).len(), 1);
    // Where the promise is a second, and nowhere else.
    assert_eq!(place(2), [0..6, 6..12]);
    // Then between those who promise 2 ms.
    assert_eq!(place(3), [0..6, 6..9, 9..12]);
    assert_eq!(place(4), [0..3, 3..6, 6..9, 9..12]);
    assert_eq!(place(8).len(), 8);
}

#[test]
fn load_gives_the_busy_a_partition_of_their_own() {
    let promises = project(1_000);
    // The scheduler hears from a thousand hosts, each of them from it: 1,001 + 2 + 2,000 events, of
    // which a third is a thousand.
    let place = parts(&Placement::Load.divide(&promises, 3));
    assert_eq!(place, [0..1, 1..502, 502..1_002]);
}

#[test]
fn every_rule_divides_everybody_into_about_as_many_as_asked() {
    for promises in [project(1), project(1_000), rooms()] {
        let actors = members(&promises).map(|members| members.end).max();
        for rule in <Placement as clap::ValueEnum>::value_variants() {
            for count in [1, 2, 3, 7, 64, 10_000] {
                let whole = rule.divide(&promises, count);
                let ends: Vec<u32> = parts(&whole).iter().map(|part| part.end).collect();
                assert_eq!(ends.last().copied(), actors, "{rule:?} {count}");
                if *rule != Placement::Groups {
                    assert!(whole.partitions() <= count, "{rule:?} {count}: {ends:?}");
                }
                let within = rule.divide_within_groups(&promises, count);
                for part in parts(&within) {
                    let first = promises.group_of(kernel::ActorId(part.start));
                    let last = promises.group_of(kernel::ActorId(part.end - 1));
                    assert_eq!(first, last, "{rule:?} {count}: {part:?}");
                }
            }
        }
    }
}
