//! What the keys of the HPCC simulators' files do.

use crate::common::{check_conservation, plain_fabric};
use fabric::{Pipeline, RunOptions, run};
use model::{Rate, Time};
use p4_switch::tm::Threshold;
use scenario::{Problems, Scenario, ns3};

/// Two leaves (4, 5) and two spines (6, 7) with 400 Gb/s between them, and two hosts a leaf with 100 Gb/s.
const TOPOLOGY: &str = "8 4 8\n4 5 6 7\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n\
     3 5 100Gbps 1us 0\n4 6 400Gbps 1us 0\n4 7 400Gbps 1us 0\n5 6 400Gbps 1us 0\n5 7 400Gbps 1us 0\n";
const FLOWS: &str = "2\n0 2 3 100 1000000 2\n1 3 3 100 1000000 2\n";
const CONFIG: &str =
    "TOPOLOGY_FILE t\nFLOW_FILE f\nTRACE_FILE r\nENABLE_QCN 0\nCC_MODE 0\nSIMULATOR_STOP_TIME 2.1\n";

fn load(rest: &str, trace: &str) -> Result<Scenario, Problems> {
    let loaded = ns3::load("c", &format!("{CONFIG}{rest}"), |name| {
        let text = match name {
            "t" => TOPOLOGY,
            "f" => FLOWS,
            "r" if !trace.is_empty() => trace,
            _ => return Err("no such file".to_string()),
        };
        Ok((name.to_string(), text.to_string()))
    });
    loaded.map(|loaded| loaded.scenario)
}

fn scenario(rest: &str) -> Scenario {
    load(rest, "").unwrap_or_else(|problems| panic!("{problems}"))
}

/// Every key of the simulators' settings files, with the values of the public files.
const ALL_KEYS: &str = "USE_DYNAMIC_PFC_THRESHOLD 1\nPACKET_PAYLOAD_SIZE 1000\nTRACE_OUTPUT_FILE mix/mix.tr\n\
    FCT_OUTPUT_FILE mix/fct.txt\nPFC_OUTPUT_FILE mix/pfc.txt\nALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\n\
    CLAMP_TARGET_RATE 0\nRP_TIMER 900\nEWMA_GAIN 0.00390625\nFAST_RECOVERY_TIMES 1\nRATE_AI 50Mb/s\n\
    RATE_HAI 100Mb/s\nMIN_RATE 100Mb/s\nDCTCP_RATE_AI 1000Mb/s\nERROR_RATE_PER_LINK 0.0000\nL2_CHUNK_SIZE 4000\n\
    L2_ACK_INTERVAL 1\nL2_BACK_TO_ZERO 0\nHAS_WIN 1\nGLOBAL_T 1\nVAR_WIN 1\nFAST_REACT 1\nU_TARGET 0.95\n\
    MI_THRESH 0\nINT_MULTI 1\nMULTI_RATE 0\nSAMPLE_FEEDBACK 0\nPINT_LOG_BASE 1.05\nPINT_PROB 1.0\nRATE_BOUND 1\n\
    ACK_HIGH_PRIO 0\nLINK_DOWN 0 0 0\nENABLE_TRACE 1\nKMAX_MAP 1 25000000000 400\nKMIN_MAP 1 25000000000 100\n\
    PMAX_MAP 1 25000000000 0.2\nBUFFER_SIZE 3000\nQLEN_MON_FILE mix/qlen.txt\nQLEN_MON_START 2000000000\n\
    QLEN_MON_END 2010000000\nPAUSE_TIME 5\nDATA_RATE 100Gbps\nLINK_DELAY 1us\nAGENT_NODE 1 0\nNO_CC_NODE 0\nDIR mix/data\nAGENT_THRESHOLD 50\n\
    EPOCH_TIME 1048576\n";

#[test]
fn outputs_to_dev_null_are_not_written_and_may_repeat() {
    let config =
        format!("{CONFIG}FCT_OUTPUT_FILE /dev/null\nPFC_OUTPUT_FILE /dev/null\nQLEN_MON_FILE q.txt\n");
    let loaded = ns3::load("c", &config, |name| match name {
        "t" => Ok((name.to_string(), TOPOLOGY.to_string())),
        "f" => Ok((name.to_string(), FLOWS.to_string())),
        _ => Err("no such file".to_string()),
    });
    let outputs = loaded.unwrap_or_else(|problems| panic!("{problems}")).outputs;
    assert_eq!((outputs.completions, outputs.pauses), (None, None));
    assert_eq!(outputs.queues.as_deref(), Some("q.txt"));
}

#[test]
fn every_key_is_known_and_read() {
    assert!(load(ALL_KEYS, "").is_ok(), "{}", load(ALL_KEYS, "").unwrap_err());
    let wrong = load("QLEN_MON_START soon\nFAST_REACT 2\nBUFFER_SIZE 0\nMI_THRESH\nL2_CHUNK_SIZE x\n", "");
    let found: Vec<String> = wrong.unwrap_err().0.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "c:7:16: `soon` is not a time in nanoseconds: a whole number from 0 to 1000000000000000",
            "c:8:12: `2` is not 0 or 1",
            "c:9:13: `0` is not a size of packet memory: a whole number from 1 to 4294967295",
            "c:10:10: `MI_THRESH` takes 1 value(s), found 0",
            "c:11:15: `x` is not a number of bytes: a whole number from 1 to 4294967295",
        ]
    );
}

#[test]
fn a_trace_file_is_checked_if_present() {
    assert!(load("", "2\n0 7\nand so on\n").is_ok());
    // One file serves networks of all sizes: the public one lists 348 nodes.
    assert!(load("", "2\n0 800\n").is_ok());
    let found = load("", "4\n0 8 x\n").unwrap_err().to_string();
    assert!(found.contains("r:1:1: 4 nodes are announced, but the file has 3"), "{found}");
    assert!(found.contains("r:2:5: `x` is not a node: a whole number from 0 to 4294967295"), "{found}");
}

#[test]
fn traffic_uses_the_other_path_after_a_link_failure() {
    // 20 us after the flows start; ECMP may use both spines' links to leaf 5.
    let scenario = scenario("LINK_DOWN 20 6 5\n");
    let pipeline = Pipeline::hawkeye(&[]).unwrap_or_else(|error| panic!("{error}"));
    for seed in 1..5 {
        let options = RunOptions { pipeline: pipeline.clone(), diagnose: false };
        let outcome = run(&scenario, seed, &options).unwrap_or_else(|error| panic!("{error}"));
        assert!(outcome.flows.iter().all(|flow| flow.finish.is_some()), "seed {seed}: {:?}", outcome.flows);
    }
    let failure = &scenario.routing.failures[0];
    assert_eq!((failure.link, failure.down, failure.up), (6, Time::from_us(2_000_020), Time::MAX));
    assert_eq!(scenario.reroute_times(), [Time::from_us(2_000_020)]);
    assert_eq!(self::scenario("LINK_DOWN 0 6 5\n").routing.failures, []);
}

#[test]
fn thresholds_depend_on_the_free_buffer_except_in_the_posters_simulator() {
    let public = scenario("BUFFER_SIZE 32\n").switch;
    let alpha = |alpha_exponent| Threshold::Dynamic { alpha_exponent };
    // 400 Gb/s is the hosts' 100 Gb/s doubled twice.
    assert_eq!(public.thresholds, [(Rate::from_gbps(100), alpha(-3)), (Rate::from_gbps(400), alpha(-1))]);
    assert_eq!((public.memory_bytes, public.sets_headroom_aside), (32 << 20, true));
    let poster = scenario("BUFFER_SIZE 32\nNO_CC_NODE 1 0\n").switch;
    assert_eq!((poster.threshold, poster.thresholds), (Threshold::Static(16 * 1024), Vec::new()));
    // The paper's simulator also accepts the poster's keys, has the public thresholds, and counts memory in kibibytes.
    for key in ["DIR d\n", "AGENT_THRESHOLD 50\n", "EPOCH_TIME 131072\n"] {
        let paper = scenario(&format!("NO_CC_NODE 1 0\nBUFFER_SIZE 3000\n{key}")).switch;
        assert_eq!(paper.thresholds, [(Rate::from_gbps(100), alpha(-3)), (Rate::from_gbps(400), alpha(-1))]);
        assert_eq!((paper.memory_bytes, paper.sets_headroom_aside), (3_000 << 10, true), "{key}");
    }
}

#[test]
fn headers_are_those_of_each_simulator() {
    let of = |more: &str| scenario(more).host.header_bytes;
    assert_eq!(
        (of(""), of("AGENT_NODE 1 0\n"), of("AGENT_NODE 1 0\nDIR d\nBUFFER_SIZE 3000\n")),
        (48, 56, 48)
    );
}

#[test]
fn the_window_is_the_largest_of_all_pairs_or_that_of_the_flows_pair() {
    let all = scenario("HAS_WIN 1\nGLOBAL_T 1\n");
    assert_eq!(all.flows[0].messages.window_bytes, None);
    let own = scenario("HAS_WIN 1\nGLOBAL_T 0\n");
    // Four links of 1 us there and back and 1000 B serialised on each: 8200 ns at 100 Gb/s.
    assert_eq!(own.flows[0].messages.window_bytes, Some(102_500));
    assert_eq!(all.host.window_bytes, Some(102_500));
    assert_eq!(scenario("HAS_WIN 0\nGLOBAL_T 0\n").flows[0].messages.window_bytes, None);
}

#[test]
fn chunks_and_pacing_take_effect() {
    let chunks = scenario("L2_BACK_TO_ZERO 1\nL2_CHUNK_SIZE 8000\nRATE_BOUND 0\n");
    assert_eq!((chunks.host.nak_chunk_bytes, chunks.host.is_paced), (Some(8_000), false));
    let plain = scenario("L2_CHUNK_SIZE 8000\n");
    assert_eq!((plain.host.nak_chunk_bytes, plain.host.is_paced), (None, true));
    // All data arrives in spite of the losses.
    let lossy = Scenario { loss_ppt: [(0, 5_000_000_000)].into(), ..chunks };
    let mut fabric = plain_fabric(&lossy, 3);
    fabric.run_until(lossy.stop);
    check_conservation(&fabric);
    let flow = &fabric.flows()[0];
    assert!(flow.retransmitted_packets > 0);
    assert!(flow.finish.is_some() || flow.acknowledged_bytes > 0);
    assert!(fabric.flows()[1].finish.is_some());
}

#[test]
fn the_other_congestion_controls_take_their_parameters_from_the_file() {
    use scenario::nic::ControlConfig;
    let of = |mode: u32| {
        // The settings of this suite say CC_MODE 0.
        let config = CONFIG.replace(
            "CC_MODE 0",
            &format!("CC_MODE {mode}\nEWMA_GAIN 0.5\nDCTCP_RATE_AI 2Gb/s\nRATE_AI 3Gb/s"),
        );
        let loaded = ns3::load("c", &config, |name| match name {
            "t" => Ok((name.to_string(), TOPOLOGY.to_string())),
            "f" => Ok((name.to_string(), FLOWS.to_string())),
            _ => Err("no such file".to_string()),
        });
        loaded.unwrap_or_else(|problems| panic!("{problems}")).scenario
    };
    let (none, dcqcn, timely, dctcp) = (of(0).host, of(1).host, of(7).host, of(8).host);
    assert_eq!((none.dcqcn, none.instead_of_dcqcn), (None, None));
    assert!(dcqcn.dcqcn.is_some() && dcqcn.instead_of_dcqcn.is_none());
    let Some(ControlConfig::Timely(parameters)) = timely.instead_of_dcqcn else { panic!("{timely:?}") };
    assert_eq!(
        (parameters.additive_increase, timely.header_bytes, timely.dcqcn),
        (Rate::from_gbps(3), 56, None)
    );
    let Some(ControlConfig::Dctcp(parameters)) = dctcp.instead_of_dcqcn else { panic!("{dctcp:?}") };
    assert_eq!((parameters.gain, parameters.additive_increase), (0.5, Rate::from_gbps(2)));
    // Flows complete with both.
    for mode in [7, 8] {
        let scenario = of(mode);
        let mut fabric = plain_fabric(&scenario, 1);
        fabric.run_until(scenario.stop);
        check_conservation(&fabric);
        assert!(fabric.all_finished(), "{mode}");
    }
}
