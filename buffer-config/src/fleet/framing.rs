//! How both ends of a link frame packets: MACsec and VLAN tags. Only SONiC switches are compared.

use super::Fleet;
use super::ends::{Difference, End, What};
use super::kept::Keys;
use crate::finding::Severity;

/// The VLAN tag type of a port that the file does not state.
const USUAL_TAG_TYPE: &str = "0x8100";

impl Fleet {
    pub(super) fn framing<'f>(&self, one: End<'f>, other: End<'f>, found: &mut Vec<Difference<'f>>) {
        if one.0.system.is_some() || other.0.system.is_some() {
            return;
        }
        match [keys(one), keys(other)] {
            [None, None] => {}
            [Some(own), Some(peer)] => found.extend(self.keys(one, other, [own, peer])),
            [own, _] => {
                let has = own.is_some();
                let (with, without) = if has { (one, other) } else { (other, one) };
                let message = format!(
                    "{} uses MACsec, {} does not: no packet passes",
                    self.end(with),
                    self.end(without)
                );
                let text = |has: bool| match has {
                    true => "use MACsec, the other ends do not: no packet passes".to_string(),
                    false => "do not use MACsec, the other ends do: no packet passes".to_string(),
                };
                let about = ("FLEET018", Severity::Error, What::Framing);
                let base = Difference::new([one, other], about, message, [text(has), text(!has)]);
                found.push(base.probably(usize::from(has)));
            }
        }
        self.tag_types(one, other, found);
    }

    /// Keys that do not agree. The keys themselves are not compared, because the file has them encoded.
    fn keys<'f>(&self, one: End<'f>, other: End<'f>, [own, peer]: [&Keys; 2]) -> Option<Difference<'f>> {
        let names = self.names_of(one, other);
        let has_common = own.names.iter().any(|name| peer.names.contains(name));
        let about = ("FLEET018", Severity::Error, What::Framing);
        if !has_common && !own.names.is_empty() && !peer.names.is_empty() {
            let message = format!("{names} have MACsec keys with different names: no packet passes");
            let text =
                || "have MACsec keys with other names than the other ends: no packet passes".to_string();
            return Some(Difference::new([one, other], about, message, [text(), text()]));
        }
        (own.bits != peer.bits).then(|| {
            let message =
                format!("{names} have MACsec keys of {} and {} bits: no packet passes", own.bits, peer.bits);
            let text = |own: u32, peer: u32| {
                format!("have MACsec keys of {own} bits, the other ends of {peer}: no packet passes")
            };
            let texts = [text(own.bits, peer.bits), text(peer.bits, own.bits)];
            Difference::new([one, other], about, message, texts)
        })
    }

    fn tag_types<'f>(&self, one: End<'f>, other: End<'f>, found: &mut Vec<Difference<'f>>) {
        let [own, peer] = [one, other].map(|end| self.tag_type(end));
        if own == peer {
            return;
        }
        let message = format!("{} have VLAN tag types {own} and {peer}", self.names_of(one, other));
        let text = |own: &str, peer: &str| format!("have VLAN tag type {own}, the other ends {peer}");
        let about = ("FLEET018", Severity::Warning, What::Framing);
        let base = Difference::new([one, other], about, message, [text(own, peer), text(peer, own)]);
        found.push(base.probably(usize::from(own == USUAL_TAG_TYPE)));
    }

    fn tag_type(&self, (switch, link): End<'_>) -> &str {
        let own = switch.shared.tag_types.iter().find(|(port, _)| *port == link.port);
        own.map_or(USUAL_TAG_TYPE, |(_, kind)| self.names.of(*kind))
    }
}

/// The keys of an end with MACsec.
fn keys((switch, link): End<'_>) -> Option<&Keys> {
    switch.shared.macsec.iter().find(|(port, _)| *port == link.port).map(|(_, keys)| keys)
}
