//! Matching against the rule, written down plainly.

use super::*;
use crate::kernel::dispatcher::is_runnable;
use crate::kernel::layout::tests::fresh;
use proptest::prelude::*;

fn message(source: u32, tag: i32, bytes: u64) -> Message {
    Message {
        context: 7,
        source,
        tag,
        bytes,
        payload: 0,
        signature: 0,
        sender: 0,
        number: 0,
        call: 0,
    }
}

fn wanted(source: Option<u32>, tag: Option<i32>) -> Wanted {
    Wanted {
        context: 7,
        source,
        tag,
    }
}

#[test]
fn messages_match_only_within_a_communicator() {
    let words = fresh(2, 1000);
    let memory = Memory::new(&words);
    send(
        memory,
        1,
        Message {
            context: 8,
            ..message(0, 1, 4)
        },
    )
    .unwrap();
    let receive = post(memory, 1, wanted(None, None)).unwrap();
    assert_eq!(arrived(memory, receive), None);
}

#[test]
fn waiting_rank_is_runnable_after_its_last_message() {
    let words = fresh(2, 1000);
    let memory = Memory::new(&words);
    let receives: Vec<Node> = (0..2)
        .map(|tag| post(memory, 1, wanted(Some(0), Some(tag))).unwrap())
        .collect();
    receives
        .iter()
        .for_each(|&receive| wait_for(memory, receive));
    slot::wait_for(memory, 1, 2);
    for tag in [1, 0] {
        assert!(!is_runnable(memory, 1));
        send(memory, 1, message(0, tag, 4)).unwrap();
    }
    assert!(is_runnable(memory, 1));
}

#[test]
fn synchronous_sender_is_runnable_after_its_match() {
    let words = fresh(2, 1000);
    let memory = Memory::new(&words);
    let sender = synchronous(memory, 0).unwrap();
    send(
        memory,
        1,
        Message {
            sender,
            ..message(0, 1, 4)
        },
    )
    .unwrap();
    wait_for(memory, sender);
    slot::wait_for(memory, 0, 1);
    assert_eq!(probe(memory, 1, wanted(None, None)).unwrap().bytes, 4);
    assert!(!is_runnable(memory, 0) && !is_matched(memory, sender));
    post(memory, 1, wanted(None, Some(1))).unwrap();
    assert!(is_runnable(memory, 0) && is_matched(memory, sender) && !cancel_send(memory, sender));
}

#[test]
fn waiting_probe_wakes_on_any_unexpected_message() {
    let words = fresh(2, 1000);
    let memory = Memory::new(&words);
    post(memory, 1, wanted(Some(0), Some(1))).unwrap();
    wait_for_message(memory, 1);
    send(memory, 1, message(0, 1, 4)).unwrap();
    assert!(!is_runnable(memory, 1), "the receive took it");
    send(memory, 1, message(0, 1, 4)).unwrap();
    assert!(is_runnable(memory, 1));
}

#[test]
fn cancelled_wait_does_not_wake() {
    let words = fresh(2, 1000);
    let memory = Memory::new(&words);
    let receives = [0, 1].map(|tag| post(memory, 1, wanted(Some(0), Some(tag))).unwrap());
    receives
        .iter()
        .for_each(|&receive| wait_for(memory, receive));
    slot::wait_for(memory, 1, 1);
    send(memory, 1, message(0, 1, 4)).unwrap();
    receives.iter().for_each(|&receive| forget(memory, receive));
    slot::wait_for(memory, 1, 1);
    send(memory, 1, message(0, 0, 4)).unwrap();
    assert!(!is_runnable(memory, 1) && receives.iter().all(|&receive| is_matched(memory, receive)));
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Send(u32, i32),
    Synchronous(u32, i32),
    Post(Option<u32>, Option<i32>),
    Probe(Option<u32>, Option<i32>),
    Take(Option<u32>, Option<i32>),
    CancelReceive(usize),
    CancelSend(usize),
    CancelMessage(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let asked = || (prop::option::of(0u32..3), prop::option::of(0i32..3));
    prop_oneof![
        3 => (0u32..3, 0i32..3).prop_map(|(s, t)| Step::Send(s, t)),
        1 => (0u32..3, 0i32..3).prop_map(|(s, t)| Step::Synchronous(s, t)),
        4 => asked().prop_map(|(s, t)| Step::Post(s, t)),
        1 => asked().prop_map(|(s, t)| Step::Probe(s, t)),
        1 => asked().prop_map(|(s, t)| Step::Take(s, t)),
        1 => (0usize..8).prop_map(Step::CancelReceive),
        1 => (0usize..8).prop_map(Step::CancelSend),
        1 => (0usize..8).prop_map(Step::CancelMessage),
    ]
}

/// What is seen of the steps; messages are numbered by their length.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    /// Of each receive, by number: its message.
    got: Vec<Option<u64>>,
    /// Of each probe and taking probe.
    probed: Vec<Option<u64>>,
    /// Of each synchronous send: whether it is matched.
    matched: Vec<bool>,
    /// Of each attempt to cancel something that is not cancelled yet.
    cancelled: Vec<bool>,
}

/// A message that no rank has received: its length, source and tag, and number of its synchronous send.
type Queued = (u64, (u32, i32), Option<usize>);

/// The rule.
#[derive(Default)]
struct Rule {
    seen: Seen,
    open: Vec<(usize, Option<u32>, Option<i32>)>,
    queued: Vec<Queued>,
    gone: (Vec<usize>, Vec<usize>),
    /// Numbers of the messages that are no synchronous sends'.
    sent: Vec<u64>,
}

impl Rule {
    fn send(&mut self, number: u64, envelope: (u32, i32), synchronous: Option<usize>) {
        match self.open.iter().position(|&(_, s, t)| asks(s, t, envelope)) {
            Some(i) => {
                let (receive, _, _) = self.open.remove(i);
                self.seen.got[receive] = Some(number);
                synchronous
                    .into_iter()
                    .for_each(|send| self.seen.matched[send] = true);
            }
            None => self.queued.push((number, envelope, synchronous)),
        }
    }

    fn take(&mut self, s: Option<u32>, t: Option<i32>) -> Option<u64> {
        let i = self
            .queued
            .iter()
            .position(|&(_, envelope, _)| asks(s, t, envelope))?;
        let (number, _, synchronous) = self.queued.remove(i);
        synchronous
            .into_iter()
            .for_each(|send| self.seen.matched[send] = true);
        Some(number)
    }

    fn step(&mut self, number: u64, step: Step) {
        match step {
            Step::Send(s, t) => {
                self.sent.push(number);
                self.send(number, (s, t), None);
            }
            Step::Synchronous(s, t) => {
                self.seen.matched.push(false);
                self.send(number, (s, t), Some(self.seen.matched.len() - 1));
            }
            Step::Post(s, t) => {
                let got = self.take(s, t);
                if got.is_none() {
                    self.open.push((self.seen.got.len(), s, t));
                }
                self.seen.got.push(got);
            }
            Step::Probe(s, t) => {
                let found = self
                    .queued
                    .iter()
                    .find(|&&(_, envelope, _)| asks(s, t, envelope));
                self.seen.probed.push(found.map(|found| found.0));
            }
            Step::Take(s, t) => {
                let taken = self.take(s, t);
                self.seen.probed.push(taken);
            }
            Step::CancelReceive(receive) => {
                if receive < self.seen.got.len() && !self.gone.0.contains(&receive) {
                    let place = self.open.iter().position(|open| open.0 == receive);
                    self.seen.cancelled.push(place.is_some());
                    place.into_iter().for_each(|place| {
                        self.open.remove(place);
                        self.gone.0.push(receive);
                    });
                }
            }
            Step::CancelSend(send) => {
                if send < self.seen.matched.len() && !self.gone.1.contains(&send) {
                    let place = self.queued.iter().position(|queued| queued.2 == Some(send));
                    self.seen.cancelled.push(place.is_some());
                    place.into_iter().for_each(|place| {
                        self.queued.remove(place);
                        self.gone.1.push(send);
                    });
                }
            }
            Step::CancelMessage(sent) => {
                if let Some(&number) = self.sent.get(sent) {
                    let before = self.queued.len();
                    self.queued.retain(|queued| queued.0 != number);
                    self.seen.cancelled.push(self.queued.len() < before);
                }
            }
        }
    }
}

fn asks(s: Option<u32>, t: Option<i32>, (source, tag): (u32, i32)) -> bool {
    s.is_none_or(|s| s == source) && t.is_none_or(|t| t == tag)
}

/// The kernel; nodes of cancelled operations are 0.
struct Kernel<'a> {
    memory: Memory<'a>,
    receives: Vec<Node>,
    sends: Vec<Node>,
    sent: Vec<Message>,
    probed: Vec<Option<u64>>,
    cancelled: Vec<bool>,
}

impl Kernel<'_> {
    fn step(&mut self, number: u64, step: Step) {
        let memory = self.memory;
        match step {
            Step::Send(s, t) => {
                let message = Message {
                    number,
                    ..message(s, t, number)
                };
                self.sent.push(message);
                send(memory, 0, message).unwrap();
            }
            Step::Synchronous(s, t) => {
                let sender = synchronous(memory, 1).unwrap();
                self.sends.push(sender);
                send(
                    memory,
                    0,
                    Message {
                        sender,
                        number,
                        ..message(s, t, number)
                    },
                )
                .unwrap();
            }
            Step::Post(s, t) => self.receives.push(post(memory, 0, wanted(s, t)).unwrap()),
            Step::Probe(s, t) => self
                .probed
                .push(probe(memory, 0, wanted(s, t)).map(|m| m.bytes)),
            Step::Take(s, t) => {
                let taken = take(memory, 0, wanted(s, t));
                self.probed.push(taken.map(|node| {
                    accept(memory, node);
                    let bytes = arrived(memory, node).unwrap().bytes;
                    retire(memory, node);
                    bytes
                }));
            }
            Step::CancelReceive(receive) => {
                if let Some(node) = self.receives.get_mut(receive).filter(|node| **node != 0) {
                    let is_gone = cancel_receive(memory, 0, *node);
                    *node *= u64::from(!is_gone);
                    self.cancelled.push(is_gone);
                }
            }
            Step::CancelSend(send) => {
                if let Some(node) = self.sends.get_mut(send).filter(|node| **node != 0) {
                    let is_gone = cancel_send(memory, *node);
                    *node *= u64::from(!is_gone);
                    self.cancelled.push(is_gone);
                }
            }
            Step::CancelMessage(sent) => {
                if let Some(message) = self.sent.get(sent) {
                    self.cancelled.push(cancel_message(memory, 0, message));
                }
            }
        }
    }

    fn seen(self) -> Seen {
        let got = |&node: &Node| {
            arrived(self.memory, node)
                .filter(|_| node != 0)
                .map(|m| m.bytes)
        };
        Seen {
            got: self.receives.iter().map(got).collect(),
            probed: self.probed,
            matched: self
                .sends
                .iter()
                .map(|&node| node != 0 && is_matched(self.memory, node))
                .collect(),
            cancelled: self.cancelled,
        }
    }
}

fn compare(steps: &[Step], times: usize) -> Result<(), TestCaseError> {
    let words = fresh(2, 200_000);
    let memory = Memory::new(&words);
    let mut rule = Rule::default();
    let (receives, sends, sent, probed, cancelled) = Default::default();
    let mut kernel = Kernel {
        memory,
        receives,
        sends,
        sent,
        probed,
        cancelled,
    };
    for (number, &step) in steps.iter().cycle().take(steps.len() * times).enumerate() {
        rule.step(number as u64, step);
        kernel.step(number as u64, step);
    }
    prop_assert_eq!(kernel.seen(), rule.seen);
    Ok(())
}

proptest! {
    #[test]
    #[cfg_attr(miri, ignore = "takes a quarter of an hour and more")]
    fn matching_follows_the_standard(steps in prop::collection::vec(step(), 0..60)) {
        compare(&steps, 1)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// So many that the bins grow.
    #[test]
    #[cfg_attr(miri, ignore = "takes an hour")]
    fn matching_in_long_queues_follows_the_standard(steps in prop::collection::vec(step(), 10..30)) {
        compare(&steps, 60)?;
    }
}
