//! `ROUTE_FILE`: routes that the simulators have in their source code.

use scenario::ns3;

/// A ring of the switches 0 to 3, and a host at each: 4 to 7.
const TOPOLOGY: &str = "8 4 8\n0 1 2 3\n0 1 100Gbps 1us 0\n1 2 100Gbps 1us 0\n2 3 100Gbps 1us 0\n3 0 100Gbps 1us 0\n\
                        0 4 100Gbps 1us 0\n1 5 100Gbps 1us 0\n2 6 100Gbps 1us 0\n3 7 100Gbps 1us 0\n";
const FLOWS: &str = "1\n4 6 3 100 1000 2\n";
const CONFIG: &str = "TOPOLOGY_FILE t\nFLOW_FILE f\nENABLE_QCN 0\nAGENT_NODE 2 4 5\nROUTE_FILE r\n";

fn load(routes: &str) -> Result<ns3::Loaded, Vec<String>> {
    let loaded = ns3::load("c", CONFIG, |name| match name {
        "t" => Ok((name.to_string(), TOPOLOGY.to_string())),
        "f" => Ok((name.to_string(), FLOWS.to_string())),
        "r" => Ok((name.to_string(), routes.to_string())),
        _ => Err("no such file".to_string()),
    });
    loaded.map_err(|problems| problems.0.iter().map(ToString::to_string).collect())
}

#[test]
fn routes_replace_shortest_paths_and_rows_of_one_pair_are_equal_cost() {
    let scenario = load("3\n0 6 3\n1 6 2\n0 6 1\n0 4 4 is not read\n").unwrap().scenario;
    let routes: Vec<_> = scenario.routing.routes.iter().map(|timed| &timed.route).collect();
    let shown: Vec<_> =
        routes.iter().map(|r| (r.switch.as_str(), r.host.as_str(), r.ports.as_slice())).collect();
    assert_eq!(shown, [("0", "6", &[1, 2][..]), ("1", "6", &[2][..])]);
    assert_eq!(scenario.agents.hosts.unwrap().into_iter().collect::<Vec<_>>(), ["4", "5"]);
}

#[test]
fn every_problem_of_a_route_file_is_reported() {
    let found = load("7\n4 6 0\n0 2 1\n0 6 5\n0 6 2\n0 6\n9 6 1\n").unwrap_err();
    assert_eq!(
        found,
        [
            "r:1:1: 7 routes are announced, but the file has 6",
            "r:2:1: node 4 is a host, and only switches have routes",
            "r:3:3: node 2 is a switch, not a host",
            "r:4:5: node 5 is a host and does not forward packets of others",
            "r:5:5: node 2 is not linked to switch 0",
            "r:6:1: expected a route, `switch host next_node`, and found 2 words",
            "r:7:1: node 9 does not exist",
        ]
    );
}
