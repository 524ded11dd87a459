//! Messages on their way from agents and switches to the controller.
//!
//! The controller's requests take no simulated time, because the network stands still meanwhile. So that a switch stays
//! frozen for as long as in a run, messages take the time of two requests (read, release) in addition to their own.

use std::collections::BTreeMap;

use fabric::PollRequest;
use model::Time;
use p4_switch::Event;
use scenario::AgentSettings;

use super::shared::SharedSwitch;

/// A message to the controller.
pub(super) enum Message {
    /// The trigger of an agent.
    Trigger(PollRequest),
    /// An event of a switch, for its P4Runtime server.
    Event(SharedSwitch, Event),
}

/// Messages by the time of their arrival.
pub(super) struct Messages {
    delay: Time,
    /// Messages with the same time arrive in the order in which they were sent.
    on_their_way: BTreeMap<(Time, u64), Message>,
    sent: u64,
}

impl Messages {
    /// No messages yet; the delay is that of a scenario.
    pub(super) fn new(settings: &AgentSettings) -> Messages {
        let delay = settings.read_delay + settings.read_time + settings.read_time;
        Messages { delay, on_their_way: BTreeMap::new(), sent: 0 }
    }

    /// An agent sends a trigger.
    pub(super) fn trigger(&mut self, now: Time, poll: PollRequest) {
        self.send(now, Message::Trigger(poll));
    }

    /// A switch reports an event.
    pub(super) fn event(&mut self, now: Time, switch: SharedSwitch, event: Event) {
        self.send(now, Message::Event(switch, event));
    }

    fn send(&mut self, now: Time, message: Message) {
        self.on_their_way.insert((now + self.delay, self.sent), message);
        self.sent += 1;
    }

    /// When the next message arrives.
    pub(super) fn next_time(&self) -> Option<Time> {
        self.on_their_way.first_key_value().map(|((arrival, _), _)| *arrival)
    }

    /// Removes and returns the messages that have arrived by `now`.
    pub(super) fn arrived(&mut self, now: Time) -> Vec<Message> {
        let later = self.on_their_way.split_off(&(now, u64::MAX));
        std::mem::replace(&mut self.on_their_way, later).into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_in_the_order_of_their_times() {
        let settings = AgentSettings::default();
        let config = p4_switch::SwitchConfig::new(p4_switch::tm::TmConfig::lossy([], 0));
        let switch = SharedSwitch::new(config);
        let mut messages = Messages::new(&settings);
        for (at, port) in [(5, 1), (0, 2), (5, 3)] {
            messages.event(Time::from_us(at), switch.clone(), Event::PortReady(port));
        }
        let delay = messages.delay;
        assert!(delay > settings.read_delay);
        assert_eq!(messages.next_time(), Some(delay));
        let mut ports = |now: Time| -> Vec<u16> {
            let port = |message| match message {
                Message::Event(_, Event::PortReady(port)) => Some(port),
                _ => None,
            };
            messages.arrived(now).into_iter().filter_map(port).collect()
        };
        assert_eq!(ports(delay - Time(1)), [0_u16; 0]);
        assert_eq!(ports(delay), [2]);
        assert_eq!(ports(delay + Time::from_us(9)), [1, 3]);
    }
}
