//! Corrects configuration findings, for counterfactual runs: the switch gets the setting of the majority, sufficient
//! headroom, PFC on the priorities of its peers, or routes on shortest paths. A finding of a rule of `harrier check` is
//! corrected through the setting that it concerns.

use std::sync::Arc;

use buffer_config::rules::effect;
use model::{PortRef, Setting};

use crate::Scenario;
use crate::settings::{Headroom, SwitchSettings};
use crate::sonic::{self, view};

/// The switch and the setting of a finding with this identifier. A finding may concern one port; the switch is
/// corrected as a whole.
pub fn place_of(id: &str) -> Option<(&str, Setting)> {
    let (place, what) = id.split_once('/')?;
    let switch = place.split_once(':').map_or(place, |(switch, _)| switch);
    let setting = Setting::named(what).or_else(|| effect::of(what).map(|effect| effect.setting))?;
    Some((switch, setting))
}

impl Scenario {
    /// Corrects the finding with this identifier ([`model::ConfigFinding::id`]) and returns a description of the
    /// correction. Returns `None` and changes nothing if no better value is known.
    pub fn correct(&mut self, id: &str) -> Option<String> {
        let (switch, setting) = place_of(id)?;
        if self.topology.is_host(switch) || self.topology.node(switch).is_none() {
            return None;
        }
        match setting {
            Setting::Route => self.remove_wrong_routes(switch),
            Setting::Headroom => match self.switch_settings(switch).sonic {
                Some(_) => self.raise_sonic_headroom(switch),
                None => {
                    let needed = self.needed_headroom(switch)?;
                    self.own_settings(switch).headroom = Headroom::Bytes(needed);
                    Some(format!("{switch} has {needed} bytes of headroom"))
                }
            },
            Setting::Lossless => {
                self.pause_like_peers(switch).or_else(|| self.set_like_others(switch, Setting::Lossless))
            }
            common => self.set_like_others(switch, common),
        }
    }

    fn own_settings(&mut self, switch: &str) -> &mut SwitchSettings {
        let common = &self.switch;
        self.switches.entry(switch.to_string()).or_insert_with(|| common.clone())
    }

    fn set_like_others(&mut self, switch: &str, setting: Setting) -> Option<String> {
        let usual = self.usual(setting)?.clone();
        let own = self.own_settings(switch);
        match setting {
            Setting::Alpha => {
                own.threshold = usual.threshold;
                own.thresholds = usual.thresholds;
            }
            Setting::Lossless => own.lossless = usual.lossless,
            Setting::Dscp => own.dscp = usual.dscp,
            Setting::XonOffset => own.xon_offset_bytes = usual.xon_offset_bytes,
            Setting::Ecn => own.ecn = usual.ecn,
            Setting::Headroom | Setting::Route => return None,
        }
        // A SONiC configuration overrides all settings, so it is replaced as a whole.
        own.sonic = usual.sonic;
        own.sonic_findings = usual.sonic_findings;
        Some(format!("{switch} has the {} of most other switches", setting.name()))
    }

    /// Gives every port of a SONiC configuration the headroom that its link needs.
    fn raise_sonic_headroom(&mut self, switch: &str) -> Option<String> {
        let ports = self.switch_ports(switch);
        let needs: Vec<(u16, u64)> =
            self.headroom_needs(switch).map(|(port, _, needed)| (port, needed)).collect();
        let largest = needs.iter().map(|(_, needed)| *needed).max()?;
        let resolved = Arc::make_mut(self.own_settings(switch).sonic.as_mut()?);
        let names: Vec<(u16, String)> = sonic::choose(resolved, &ports, &mut Vec::new())
            .into_iter()
            .map(|(link, port)| (link.number, port.name.clone()))
            .collect();
        for (number, name) in names {
            if let Some((_, needed)) = needs.iter().find(|(port, _)| *port == number) {
                view::raise_headroom(resolved, &name, *needed);
            }
        }
        Some(format!("{switch} has the headroom that its links need, up to {largest} bytes"))
    }

    /// Enables PFC at every port of a SONiC configuration on the priorities of the switch at the other end.
    fn pause_like_peers(&mut self, switch: &str) -> Option<String> {
        let wanted: Vec<(String, u8)> = self.pauses_of_peers(switch)?;
        let resolved = Arc::make_mut(self.own_settings(switch).sonic.as_mut()?);
        let mut changed = false;
        for port in &mut resolved.ports {
            let wanted_priorities =
                wanted.iter().find(|(name, _)| *name == port.name).map_or(0, |(_, mask)| *mask);
            changed |= wanted_priorities & !port.pfc_priorities != 0;
            port.pfc_priorities |= wanted_priorities;
        }
        changed.then(|| format!("{switch} has PFC enabled on the priorities of its neighbours"))
    }

    /// The lossless priorities of the peer of every port of a SONiC configuration, by the name of the port.
    fn pauses_of_peers(&self, switch: &str) -> Option<Vec<(String, u8)>> {
        let ports = self.switch_ports(switch);
        let own = sonic::choose(self.switch_settings(switch).sonic.as_deref()?, &ports, &mut Vec::new());
        let of_peer = |number: u16| {
            let peer = self.topology.peer(&PortRef::new(switch, number))?;
            let resolved = self.switch_settings(&peer.switch).sonic.as_deref()?;
            let ports = self.switch_ports(&peer.switch);
            let chosen = sonic::choose(resolved, &ports, &mut Vec::new());
            let (_, port) = chosen.into_iter().find(|(link, _)| link.number == peer.port)?;
            Some(view::lossless(resolved, port))
        };
        let named =
            own.into_iter().filter_map(|(link, port)| Some((port.name.clone(), of_peer(link.number)?)));
        Some(named.collect())
    }

    fn remove_wrong_routes(&mut self, switch: &str) -> Option<String> {
        let before = self.routing.routes.len();
        let topology = &self.topology;
        self.routing.routes.retain(|timed| {
            let route = &timed.route;
            let usual = topology.next_hops(&route.host);
            let usual = usual.get(route.switch.as_str()).map_or(&[][..], Vec::as_slice);
            route.switch != switch || route.ports.iter().all(|port| usual.contains(port))
        });
        (self.routing.routes.len() < before).then(|| format!("{switch} has routes on shortest paths only"))
    }

    /// The headroom that is sufficient for every link of a switch.
    fn needed_headroom(&self, switch: &str) -> Option<u64> {
        let settings = self.switch_settings(switch);
        let needs = self.headroom_needs(switch).map(|(_, _, needed)| needed);
        let sets = self.topology.links.iter().filter_map(|link| {
            let own = [&link.a, &link.b].into_iter().any(|end| end.switch == switch);
            own.then(|| settings.headroom_of(link.rate, link.delay))
        });
        needs.chain(sets).max()
    }
}
