//! A finding of the audit, put right: the switch is set like most others, its headroom holds what its links still deliver,
//! its routes lead along shortest paths again.

use model::Setting;

use super::Scenario;
use super::settings::Headroom;

impl Scenario {
    /// Puts a finding right, `switch/setting` as [`model::ConfigFinding::id`], and says how. Nothing is done, and
    /// nothing said, about a setting for which no better value is known.
    pub(crate) fn correct(&mut self, id: &str) -> Option<String> {
        let (switch, setting) = id.split_once('/')?;
        let setting = Setting::named(setting)?;
        if self.topology.is_host(switch) || self.topology.node(switch).is_none() {
            return None;
        }
        match setting {
            Setting::Route => self.remove_wrong_routes(switch),
            Setting::Headroom => {
                let needed = self.needed_headroom(switch)?;
                self.own_settings(switch).headroom = Headroom::Bytes(needed);
                Some(format!("{switch} has {needed} bytes of headroom"))
            }
            common => self.set_like_others(switch, common),
        }
    }

    fn own_settings(&mut self, switch: &str) -> &mut super::SwitchSettings {
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
        // A configuration file decides all of them at once, so the file of the others takes its place.
        own.sonic = usual.sonic;
        Some(format!("{switch} has the {} of most other switches", setting.name()))
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
        (self.routing.routes.len() < before).then(|| format!("{switch} has no route off the shortest paths"))
    }

    /// The headroom that suffices for every link of a switch.
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
