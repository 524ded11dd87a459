//! Max-min fair rates of flows that share links, by water-filling: all rates rise together, and a flow stops at the link
//! or demand that is exhausted first.
//!
//! The theoretical rates that Azure compared with measured ones (Bai et al., NSDI 2023, section 8.3, congestion leaking).

use std::collections::BTreeMap;

use model::host::transport::FlowRates;

/// A description of flows for which no rates exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaterFillingError {
    /// A flow uses a link that is not listed.
    #[error("flow {flow} uses link `{link}`, which is not in the list of links")]
    UnknownLink {
        /// The flow.
        flow: String,
        /// The link.
        link: String,
    },
    /// A flow has neither a link nor a demand, so that nothing limits it.
    #[error("flow {0} has neither links nor a demand, so that nothing limits its rate")]
    Unlimited(String),
    /// A rate is negative or not a number.
    #[error("{0}: a rate must be a number of at least 0")]
    Rate(String),
}

/// Returns the max-min fair rate of each flow in bits a second, in the order of the flows.
///
/// # Errors
/// All flows and links that are described wrongly.
pub fn rates(network: &FlowRates) -> Result<Vec<f64>, Vec<WaterFillingError>> {
    let mut left: BTreeMap<&str, f64> =
        network.links.iter().map(|link| (link.name.as_str(), link.bits_per_s)).collect();
    let errors = errors(network, &left);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut rates: Vec<Option<f64>> = vec![None; network.flows.len()];
    while rates.iter().any(Option::is_none) {
        let level = next_level(network, &left, &rates);
        // Every round fixes at least the flows of the link, or the flow with the demand, that gave the level.
        let stops = |at: usize| {
            let flow = &network.flows[at];
            flow.demand_bits_per_s.is_some_and(|demand| demand <= level)
                || flow.links.iter().any(|link| share(network, &left, &rates, link) <= level)
        };
        let fixed: Vec<usize> = (0..rates.len()).filter(|at| rates[*at].is_none() && stops(*at)).collect();
        for at in fixed {
            rates[at] = Some(level);
            for link in &network.flows[at].links {
                if let Some(left) = left.get_mut(link.as_str()) {
                    *left = (*left - level).max(0.0);
                }
            }
        }
    }
    Ok(rates.into_iter().map(Option::unwrap_or_default).collect())
}

fn errors(network: &FlowRates, links: &BTreeMap<&str, f64>) -> Vec<WaterFillingError> {
    let is_rate = |rate: f64| rate.is_finite() && rate >= 0.0;
    let mut errors = Vec::new();
    for link in network.links.iter().filter(|link| !is_rate(link.bits_per_s)) {
        errors.push(WaterFillingError::Rate(format!("link `{}`", link.name)));
    }
    for flow in &network.flows {
        let name = flow.flow.to_string();
        if flow.demand_bits_per_s.is_some_and(|demand| !is_rate(demand)) || !is_rate(flow.bits_per_s) {
            errors.push(WaterFillingError::Rate(format!("flow {name}")));
        }
        if flow.links.is_empty() && flow.demand_bits_per_s.is_none() {
            errors.push(WaterFillingError::Unlimited(name.clone()));
        }
        for link in flow.links.iter().filter(|link| !links.contains_key(link.as_str())) {
            errors.push(WaterFillingError::UnknownLink { flow: name.clone(), link: link.clone() });
        }
    }
    errors
}

/// The rate at which the first link or demand is exhausted, for flows without a rate.
fn next_level(network: &FlowRates, left: &BTreeMap<&str, f64>, rates: &[Option<f64>]) -> f64 {
    let of_links = left.keys().map(|link| share(network, left, rates, link));
    let open = network.flows.iter().zip(rates).filter(|(_, rate)| rate.is_none());
    let of_demands = open.filter_map(|(flow, _)| flow.demand_bits_per_s);
    of_links.chain(of_demands).fold(f64::INFINITY, f64::min)
}

/// What is left of a link, divided by its flows without a rate; infinite without such a flow.
fn share(network: &FlowRates, left: &BTreeMap<&str, f64>, rates: &[Option<f64>], link: &str) -> f64 {
    let uses = |flow: &&model::host::transport::FlowRate| flow.links.iter().any(|used| used == link);
    let open = network.flows.iter().zip(rates).filter(|(_, rate)| rate.is_none()).map(|(flow, _)| flow);
    match open.filter(uses).count() {
        0 => f64::INFINITY,
        flows => left.get(link).copied().unwrap_or(0.0) / flows as f64,
    }
}
