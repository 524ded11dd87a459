//! Collective operations: diagnoses name jobs and steps, in a run and with a job description from a file.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use crate::support::{harrier, scratch, sorted};
use serde_json::{Value, json};

/// Returns a job description with the transfers of the scenario's ring.
fn ring(report: &Value) -> Value {
    // The victim is the third member's last transfer to the fourth.
    let victim = report["diagnoses"][0]["victim"].as_str().unwrap();
    let (near, far) = victim.trim_end_matches("/udp").split_once('>').unwrap();
    let address = |end: &str| end.split_once(':').unwrap().0.to_string();
    json!({
        "name": "by hand",
        "collective": "all-reduce-ring",
        "members": ["10.9.9.1", "10.9.9.2", address(near), address(far)],
        "bytes": 16_000_000,
    })
}

#[test]
fn a_step_that_another_job_delays_is_named() {
    for seed in ["1", "8", "31"] {
        let ran = harrier(&["run", "collective-step", "--seed", seed, "--json"]);
        assert_eq!(ran.status, 0, "seed {seed}: {}", ran.stderr);
        let report = ran.json();
        let [diagnosis] = report["diagnoses"].as_array().unwrap().as_slice() else { panic!("{report:#}") };
        assert_eq!(diagnosis["cause"], "collective_step", "seed {seed}");
        let steps = &diagnosis["steps"];
        assert_eq!(
            (&steps[0]["job"], &steps[0]["step"], &steps[0]["steps"]),
            (&json!("ring"), &json!(6), &json!(6))
        );
        assert_eq!(steps[0]["role"], "victim");
        assert_eq!(
            (&steps[1]["job"], &steps[1]["step"], &steps[1]["steps"]),
            (&json!("twins"), &json!(1), &json!(4))
        );
        assert_eq!(sorted(&steps[1]["flows"]), sorted(&diagnosis["root_cause"]["flows"]));
        assert!(
            diagnosis["summary"].as_str().unwrap().contains("step 1 of 4 of job `twins`"),
            "{diagnosis:#}"
        );
    }
}

#[test]
fn a_job_description_is_read_from_a_file() {
    let folder = scratch("job");
    let ran = harrier(&["run", "collective-step", "--json", "--save-snapshots", folder.to_str().unwrap()]);
    let report = ran.json();
    let event = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let event = event.filter(|path| path.display().to_string().contains("event-")).min().unwrap();
    let mut snapshot: Value = serde_json::from_str(&std::fs::read_to_string(&event).unwrap()).unwrap();
    snapshot.as_object_mut().unwrap().remove("jobs").expect("the snapshot knows the jobs");
    std::fs::write(&event, snapshot.to_string()).unwrap();
    let job = folder.join("job.json");
    std::fs::write(&job, ring(&report).to_string()).unwrap();

    let analyze = |more: &[&str]| {
        let mut args = vec!["analyze", event.to_str().unwrap(), "--json"];
        args.extend(more);
        harrier(&args)
    };
    let without = analyze(&[]).json();
    assert_ne!(without["diagnoses"][0]["cause"], "collective_step");
    assert_eq!(without["diagnoses"][0].get("steps"), None);
    let with = analyze(&["--job", job.to_str().unwrap()]).json();
    let step = &with["diagnoses"][0]["steps"][0];
    assert_eq!(
        (&step["job"], &step["step"], &step["role"]),
        (&json!("by hand"), &json!(6), &json!("victim"))
    );

    std::fs::write(&job, "{\"name\": \"x\", \"collective\": \"all-reduce-ring\",\n \"members\": [\"h99\"]}")
        .unwrap();
    let wrong = analyze(&["--job", job.to_str().unwrap()]);
    assert_eq!(wrong.status, 2);
    for part in ["`bytes` is missing", "member `h99`", "at least 2 members"] {
        assert!(wrong.stderr.contains(part), "{part}: {}", wrong.stderr);
    }
    std::fs::write(&job, "{\"name\": \"x\",\n \"colective\": 1}").unwrap();
    let wrong = analyze(&["--job", job.to_str().unwrap()]);
    assert!(wrong.stderr.contains("job.json:2:"), "{}", wrong.stderr);
}
