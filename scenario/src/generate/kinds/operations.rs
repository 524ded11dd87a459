//! What delays the operations of a host before they are sent, or after they are complete.
//!
//! Also drawn are cases without an effect: registrations that are no fences, gaps shorter than a round trip, tenants that leave
//! enough of the NIC.

use crate::generate::plan::{Flow, Plan};
use crate::generate::settings::HEADERS;
use crate::generate::{Actor, text};
use model::Rate;

/// A host that posts operations to others.
pub(super) struct Client {
    pub(super) prefix: String,
    pub(super) name: String,
    pub(super) servers: Vec<String>,
    pub(super) onset_ns: f64,
}

pub(super) fn client(plan: &mut Plan, kind: &'static str, most_servers: u64) -> Option<Client> {
    let prefix = plan.begin(kind);
    let name = plan.host(|_, _| true)?;
    let count = plan.dice.integer(1, most_servers) as usize;
    let servers = plan.hosts(count, |_, _| true);
    let onset_ns = plan.onset();
    (!servers.is_empty()).then_some(Client { prefix, name, servers, onset_ns })
}

/// Adds operations of `message` bytes to all servers during the whole run, of which `outstanding` are posted at once.
pub(super) fn operations(
    plan: &mut Plan,
    client: &Client,
    message: f64,
    outstanding: u64,
    keys: &[(&'static str, String)],
) {
    let rate = plan.narrowest(&client.name, &client.servers[0]);
    let bytes = rate * plan.stop_ns * plan.dice.even(0.5, 1.2);
    let label = format!("{}-operations", client.prefix);
    let mut flow = Flow::new(&label, std::slice::from_ref(&client.name), &client.servers, bytes, 0.0);
    let operation = plan.dice.weighted(&[("send", 50), ("write", 50)]);
    flow.keys.extend([
        ("operation", text::name(operation)),
        ("message", text::size(message)),
        ("outstanding", outstanding.to_string()),
    ]);
    flow.keys.extend(keys.iter().cloned());
    plan.flow(flow, 0.6);
    if let Some(last) = plan.disturbances.last_mut() {
        last.victims.push(label);
    }
}

/// A size of messages: a fraction of a packet to many packets.
fn message(plan: &mut Plan) -> f64 {
    plan.dice.log(512.0, 128e3)
}

fn power(plan: &mut Plan, low: u64, high: u64) -> u64 {
    1 << plan.dice.integer(low, high)
}

pub(super) fn hidden_fence(plan: &mut Plan) -> Option<()> {
    let client = client(plan, "hidden-fence", 4)?;
    let (message, outstanding) = (message(plan), power(plan, 0, 6));
    let registration = text::time(plan.dice.log(200.0, 3_000.0));
    operations(plan, &client, message, outstanding, &[("registration", registration)]);
    let is_fence = plan.dice.chance(0.8);
    plan.devices.set_host(&client.name, "registration_fence", is_fence.to_string());
    plan.actor(Actor::Host { host: client.name });
    Some(())
}

pub(super) fn poll_gaps(plan: &mut Plan) -> Option<()> {
    let client = client(plan, "poll-gaps", 2)?;
    let (message, outstanding) = (message(plan), power(plan, 0, 6));
    operations(plan, &client, message, outstanding, &[]);
    let gap = plan.dice.log(2e3, 500e3);
    let interval = gap * plan.dice.log(1.0, 10.0);
    let keys = [("gap", text::time(gap)), ("interval", text::time(interval))];
    let duration = plan.duration(client.onset_ns, 200e3, plan.stop_ns);
    plan.fault("poll_gaps", &client.name, client.onset_ns, duration, &keys);
    Some(())
}

/// The part of what link and window allow that an operator measured before the other tenant came.
const MEASURED_ALONE: f64 = 0.8;

pub(super) fn noisy_tenant(plan: &mut Plan) -> Option<()> {
    let client = client(plan, "noisy-tenant", 1)?;
    let message = plan.dice.log(512.0, 8e3);
    let product = plan.bdp(&client.name, &client.servers[0]);
    let outstanding = (product * plan.dice.log(0.5, 4.0) / message).ceil().max(1.0);
    operations(plan, &client, message, outstanding as u64, &[]);
    let packets = (message / plan.devices.payload as f64).ceil();
    let link =
        plan.narrowest(&client.name, &client.servers[0]) * message / (message + packets * HEADERS as f64);
    let windowed = outstanding * message / (plan.rtt_ns(&client.name, &client.servers[0]) + message / link);
    let alone = MEASURED_ALONE * link.min(windowed) * 8e9;
    let alone = Rate((alone / 1e8).round().max(1.0) as u64 * 100_000_000);
    let guaranteed = Rate((alone.0 as f64 * plan.dice.even(0.4, 1.0)) as u64);
    let pages = plan.dice.integer(100, 2_000);
    let service = [
        ("flows", text::name(&format!("{}-operations", client.prefix))),
        ("alone", text::rate(alone)),
        ("guaranteed", text::rate(guaranteed)),
        ("pages", pages.to_string()),
    ];
    plan.tenant("service", &client.name, &service);
    let noise = match plan.dice.chance(0.3) {
        true => vec![("deregistrations", (plan.dice.log(100.0, 30e3) as u64).to_string())],
        false => {
            let verb = plan.dice.weighted(&[("compare_swap", 40), ("fetch_add", 30), ("read", 30)]);
            let requests = plan.dice.log(100e3, 30e6) as u64;
            vec![("verb", text::name(verb)), ("requests", requests.to_string())]
        }
    };
    let duration = plan.duration(client.onset_ns, 200e3, plan.stop_ns);
    let mut keys = noise;
    keys.extend([("start", text::time(client.onset_ns)), ("duration", text::time(duration))]);
    plan.tenant("other", &client.name, &keys);
    plan.actor(Actor::Host { host: client.name });
    Some(())
}

pub(super) fn congestion_leaking(plan: &mut Plan) -> Option<()> {
    let client = client(plan, "congestion-leaking", 6)?;
    let busy = client.servers[0].clone();
    let message = plan.dice.log(8e3, 128e3);
    let product = plan.bdp(&client.name, &busy);
    let outstanding = (product * plan.dice.log(1.0, 4.0) / message).ceil().max(2.0);
    operations(plan, &client, message, outstanding as u64, &[]);
    let count = plan.dice.integer(1, 6) as usize;
    let senders = plan.hosts(count, |_, name| name != busy && !client.servers.iter().any(|own| own == name));
    let rate = plan.narrowest(&busy, &client.name);
    let bytes = rate * (plan.stop_ns - client.onset_ns) * plan.dice.even(0.3, 1.0);
    let label = format!("{}-incast", client.prefix);
    let flow = Flow::new(&label, &senders, std::slice::from_ref(&busy), bytes, client.onset_ns);
    plan.flow(flow, 0.3);
    let leaks = plan.dice.chance(0.8);
    plan.devices.set_host(&client.name, "congestion_leaking", leaks.to_string());
    plan.actor(Actor::Host { host: client.name });
    Some(())
}
