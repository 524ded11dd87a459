//! Which tests to run: arguments that `harrier host loopback` and `harrier host check --live --loopback` have.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use host_diagnosis::hostping::measurement::Baselines;
use host_diagnosis::hostping::read_hwloc;
use model::host::loopback::HostTopology;

use crate::host_files;
use crate::input::{fail_with, read_text};

/// Arguments about tests.
#[derive(clap::Args)]
pub(in crate::commands::host) struct TestArgs {
    /// Topology of the host: output of `lstopo --of xml` or of `harrier host topology` [default: that of lstopo]
    #[arg(long, value_name = "FILE")]
    pub(super) topology: Option<PathBuf>,
    /// Results of the idle, healthy host, from `harrier host loopback --save-baseline` [default: what RNIC and PCIe link
    /// are rated for]
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Test this RNIC only; may be repeated
    #[arg(long, value_name = "DEVICE")]
    pub(super) nic: Vec<String>,
    /// Test GPUs as well; perftest must be built with CUDA or ROCm
    #[arg(long)]
    pub(super) gpu: bool,
    /// Rounds of tests, 1 to 100; a link that comes and goes shows in three
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(super) rounds: u32,
    /// Length of the bandwidth test of a path, 2 to 60 seconds; connecting takes another second, which counters also see
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=60))]
    pub(super) test_seconds: u32,
    /// Folder of the programs of perftest [default: those of the path]
    #[arg(long, value_name = "DIR")]
    pub(super) perftest: Option<PathBuf>,
}

impl TestArgs {
    /// The option that was given although no tests are run.
    pub(in crate::commands::host) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--topology", self.topology.is_some()),
            ("--baseline", self.baseline.is_some()),
            ("--nic", !self.nic.is_empty()),
            ("--gpu", self.gpu),
            ("--perftest", self.perftest.is_some()),
        ];
        options.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }

    /// Reads the file of baselines.
    ///
    /// # Errors
    /// It cannot be read, or is no such file.
    pub(super) fn baselines(&self) -> anyhow::Result<Option<Baselines>> {
        let Some(path) = &self.baseline else { return Ok(None) };
        match Baselines::read(&read_text(path)?) {
            Ok(baselines) => Ok(Some(baselines)),
            Err(why) => bail!("{}:{why}", path.display()),
        }
    }

    /// Reads the topology of the host, from a file or from lstopo.
    ///
    /// # Errors
    /// There is no lstopo, or what it or the file describes is no host with an RNIC.
    pub(super) fn topology(&self) -> anyhow::Result<HostTopology> {
        let (name, text) = match &self.topology {
            Some(path) => (path.display().to_string(), read_text(path)?),
            None => ("lstopo".to_string(), lstopo()?),
        };
        if text.trim_start().starts_with('{') {
            return serde_json::from_str(&text).map_err(|error| {
                let (line, column) = (error.line(), error.column());
                anyhow::anyhow!("{name}:{line}:{column}: not a topology of `harrier host topology`: {error}")
            });
        }
        read_hwloc(&text).or_else(|problems| {
            let problems: Vec<String> = problems.iter().map(|problem| format!("{name}:{problem}")).collect();
            fail_with("cannot read the topology", &problems).map(|()| HostTopology::default())
        })
    }
}

/// The topology of this host, as hwloc describes it.
fn lstopo() -> anyhow::Result<String> {
    let programs = ["lstopo-no-graphics", "lstopo"];
    programs.iter().find_map(|program| host_files::output(program, &["--of", "xml"])).context(
        "the topology of this host is unknown, because lstopo is missing or fails: install hwloc (Debian: hwloc-nox), or \
         pass --topology FILE",
    )
}
