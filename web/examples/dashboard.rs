//! Serves the dashboard with changing test data, for work on the dashboard without a simulated network:
//! `cargo run -p harrier-web --example dashboard -- 127.0.0.1:8090 [pods of a fat tree]`.

#[path = "../tests/web/fixture.rs"]
mod fixture;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use harrier_web::{
    AppState, HostReportBackend, HostReportSummary, HostReportView, LiveState, PortPoint, PortSample,
    QueryBackend, QueryError, QueryFuture, QueryResult, Role, TokenBackend, TokenError, TokenInfo,
};
use model::host::{HostClaim, HostDiagnosis, HostFinding, HostPart};
use model::topology::{Link, Node, NodeKind};
use model::{Cause, FlowKey, HostReport, PortRef, Rate, Time, Topology};

/// Switch time between two batches of samples.
const STEP_NS: u64 = 50_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:8090".into());
    let pods: Option<u16> = arguments.next().map(|pods| pods.parse()).transpose()?;
    let live = LiveState::new(store::Store::open("sqlite::memory:").await?).await?;
    live.set_topology(pods.map_or_else(fixture::topology, fat_tree)).await?;
    let (storm, storm_graph) = fixture::storm("d0001", 500_000_000);
    live.push_diagnosis(&storm, &storm_graph, None).await?;
    let (contention, contention_graph) = fixture::contention("d0002", 1_200_000_000);
    live.push_diagnosis(&contention, &contention_graph, None).await?;
    live.advance(61_000_000_000).await?;
    let state = AppState::new(live.clone())
        .with_query_backend(Arc::new(Backend))
        .with_host_reports(Arc::new(Reports))
        .with_tokens(Arc::new(Tokens::default()));
    tokio::spawn(drive(live));
    let listener = tokio::net::TcpListener::bind(&address).await?;
    harrier_web::serve(listener, state, async {
        let _ = tokio::signal::ctrl_c().await;
    })
    .await?;
    Ok(())
}

/// Tokens in memory.
#[derive(Default)]
struct Tokens {
    tokens: std::sync::Mutex<Vec<TokenInfo>>,
}

impl TokenBackend for Tokens {
    fn list(&self) -> Result<Vec<TokenInfo>, TokenError> {
        Ok(self.tokens.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone())
    }

    fn create(&self, name: &str, role: Role) -> Result<(TokenInfo, String), TokenError> {
        let mut tokens = self.tokens.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if tokens.iter().any(|token| token.name == name) {
            return Err(TokenError::Exists(name.into()));
        }
        let token = TokenInfo { name: name.into(), role, created: "2026-01-01T00:00:00Z".into() };
        tokens.push(token.clone());
        Ok((token, format!("hrr_{}", "0123456789abcdef".repeat(4))))
    }

    fn revoke(&self, name: &str) -> Result<(), TokenError> {
        let mut tokens = self.tokens.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = tokens.len();
        tokens.retain(|token| token.name != name);
        (tokens.len() < before).then_some(()).ok_or_else(|| TokenError::Unknown(name.into()))
    }
}

/// Diagnoses the poster's victims.
struct Backend;

impl QueryBackend for Backend {
    fn query(&self, victim: FlowKey) -> QueryFuture<'_> {
        Box::pin(async move {
            if victim != fixture::victim() && victim != fixture::flow(1, 3) {
                return Err(QueryError::UnknownFlow(format!("no host of this network sends `{victim}`")));
            }
            let diagnosis = fixture::incast("d0900", fixture::START_NS + 900_000, victim);
            Ok(QueryResult { diagnosis, graph: fixture::incast_graph(), snapshot: None })
        })
    }
}

/// The host of the storm has reported.
struct Reports;

impl Reports {
    fn findings(host: &str) -> Vec<HostFinding> {
        let nic = HostFinding {
            detector: "nic_storm".into(),
            host: host.into(),
            part: HostPart::Nic("mlx5_0".into()),
            cause: Cause::NicStorm,
            summary: format!(
                "the RNIC mlx5_0 of {host} is broken: it pauses its switch without a break and receives nothing"
            ),
            confidence: 0.51,
            evidence: vec![
                HostClaim::new(
                    "mlx5_0 paused for 500 ms without a break",
                    ["/counters/nics/0/sent_pauses/0".into()],
                ),
                HostClaim::new(
                    "mlx5_0 received no packet in the interval",
                    ["/counters/nics/0/wire/received_packets".into()],
                ),
            ],
            missing: vec![
                "whether the network was congested: this finding rests on the host's report alone".into(),
            ],
            advice: vec![format!("reboot {host}, and replace mlx5_0 if the storm returns")],
        };
        let setting = HostFinding {
            detector: "inspection".into(),
            part: HostPart::Setting("interfaces/eth1".into()),
            cause: Cause::Undetermined,
            summary: "PCIe link of eth1 runs at 8 GT/s and supports 16 GT/s (NIC001)".into(),
            confidence: 1.0,
            evidence: vec![HostClaim::new("PCIe link of eth1 runs at 8 GT/s", ["/inspection/pci".into()])],
            missing: Vec::new(),
            advice: vec!["reseat the NIC, or use a slot with enough lanes".into()],
            ..nic.clone()
        };
        vec![setting, nic]
    }
}

impl HostReportBackend for Reports {
    fn summaries(&self) -> BTreeMap<String, HostReportSummary> {
        self.summary("h3").into_iter().map(|summary| ("h3".to_string(), summary)).collect()
    }

    fn summary(&self, host: &str) -> Option<HostReportSummary> {
        let time = "2026-01-01T00:00:00Z".to_string();
        let findings = Reports::findings(host);
        (host == "h3").then_some(HostReportSummary {
            time,
            age_ns: 4_000_000_000,
            interval_ns: 500_000_000,
            findings,
        })
    }

    fn report(&self, host: &str) -> Option<HostReportView> {
        let HostReportSummary { time, age_ns, interval_ns, findings } = self.summary(host)?;
        let diagnosis = HostDiagnosis { host: host.into(), findings, checks: Vec::new() };
        Some(HostReportView { time, age_ns, report: HostReport::new(host, interval_ns), diagnosis })
    }
}

async fn drive(live: Arc<LiveState>) {
    let mut ticks = tokio::time::interval(Duration::from_millis(100));
    for tick in 0_u64.. {
        ticks.tick().await;
        let now_ns = fixture::START_NS + tick * STEP_NS;
        live.push_ports(&samples(&live, tick, now_ns));
        if tick % 40 == 20 && tick < 400 {
            let victim = fixture::victim();
            let diagnosis = fixture::incast(&format!("d1{tick:03}"), now_ns, victim);
            if live
                .push_diagnosis(&diagnosis, &fixture::incast_graph(), Some(&fixture::snapshot()))
                .await
                .is_err()
            {
                return;
            }
        }
    }
}

fn samples(live: &LiveState, tick: u64, now_ns: u64) -> Vec<PortSample> {
    let Some(topology) = live.topology() else { return vec![] };
    let ends = topology.links.iter().flat_map(|link| [(&link.a, link.rate), (&link.b, link.rate)]);
    ends.enumerate()
        .map(|(n, (port, rate))| {
            let phase = (tick + 13 * n as u64) % 90;
            let name = port.to_string();
            let hot = name == "sw4:2";
            let paused = match name.as_str() {
                "sw2:3" => phase < 40,
                "sw1:1" | "h2:1" => phase < 20,
                "h5:1" | "h6:1" | "h7:1" | "h8:1" => phase % 8 < 5,
                _ => false,
            };
            let wave = 45 - phase.abs_diff(45);
            let queue_bytes = if hot {
                60_000 + wave * 2_800
            } else if paused {
                wave * 700
            } else {
                wave * 40
            };
            PortSample {
                port: port.clone(),
                point: PortPoint {
                    time_ns: now_ns,
                    interval_ns: STEP_NS,
                    queue_bytes,
                    queue_packets: queue_bytes / 1348,
                    paused,
                    paused_ns: if paused { STEP_NS * (20 + wave) / 90 } else { 0 },
                    tx_bps: rate.0 / 100
                        * if hot {
                            99
                        } else if paused {
                            30
                        } else {
                            20 + wave
                        },
                    ..PortPoint::default()
                },
            }
        })
        .collect()
}

/// A three-tier fat tree, for work on the map of large networks.
fn fat_tree(pods: u16) -> Topology {
    let half = pods / 2;
    let mut topology = Topology::default();
    let mut add = |name: String, kind, address: Option<String>| {
        let addresses = address.into_iter().filter_map(|a| a.parse().ok()).collect();
        topology.nodes.push(Node { name, kind, addresses });
    };
    for core in 0..half * half {
        add(format!("core{core}"), NodeKind::Switch, None);
    }
    for pod in 0..pods {
        for n in 0..half {
            add(format!("agg{pod}-{n}"), NodeKind::Switch, None);
            add(format!("edge{pod}-{n}"), NodeKind::Switch, None);
            for host in 0..half {
                add(format!("h{pod}-{n}-{host}"), NodeKind::Host, Some(format!("10.{pod}.{n}.{}", host + 1)));
            }
        }
    }
    let mut link = |a: String, b: String| {
        let end = |(name, port): (&str, &str)| PortRef::new(name, port.parse().unwrap_or(1));
        let split = |text: &str| text.rsplit_once(':').map(end);
        if let (Some(a), Some(b)) = (split(&a), split(&b)) {
            topology.links.push(Link { a, b, rate: Rate::from_gbps(100), delay: Time::from_us(2) });
        }
    };
    for pod in 0..pods {
        for n in 0..half {
            for other in 0..half {
                link(format!("edge{pod}-{n}:{}", half + other + 1), format!("agg{pod}-{other}:{}", n + 1));
                link(
                    format!("agg{pod}-{n}:{}", half + other + 1),
                    format!("core{}:{}", n * half + other, pod + 1),
                );
                link(format!("h{pod}-{n}-{other}:1"), format!("edge{pod}-{n}:{}", other + 1));
            }
        }
    }
    topology
}
