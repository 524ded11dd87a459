// Topologies of large networks, as `GET /api/v1/topology` returns them.

const RATE_BPS = 100e9;
const DELAY_PS = 1e6;

/** A fat tree of k-port switches: 5k²/4 switches, k³/4 hosts. Port numbers count from 1. */
export function fatTree(k) {
  const half = k / 2;
  const range = Array.from({ length: half }, (_, index) => index);
  const nodes = [];
  const links = [];
  const link = (a, b) => links.push({ a, b, rate: RATE_BPS, delay: DELAY_PS });
  for (let core = 0; core < half * half; core += 1) nodes.push({ name: `core${core + 1}`, kind: 'switch', addresses: [] });
  for (let pod = 1; pod <= k; pod += 1) {
    for (const edge of range) {
      nodes.push({ name: `p${pod}-agg${edge + 1}`, kind: 'switch', addresses: [] });
      nodes.push({ name: `p${pod}-edge${edge + 1}`, kind: 'switch', addresses: [] });
      for (const host of range) {
        const name = `p${pod}-h${edge * half + host + 1}`;
        nodes.push({ name, kind: 'host', addresses: [`10.${pod}.${edge}.${host + 1}`] });
        link(`${name}:1`, `p${pod}-edge${edge + 1}:${host + 1}`);
      }
      for (const agg of range) link(`p${pod}-edge${edge + 1}:${half + agg + 1}`, `p${pod}-agg${agg + 1}:${edge + 1}`);
      for (const core of range) link(`p${pod}-agg${edge + 1}:${half + core + 1}`, `core${edge * half + core + 1}:${pod}`);
    }
  }
  return { nodes, links };
}

/** Leaves with `hosts` hosts each, every leaf connected to every spine. */
export function leafSpine(leaves, spines, hosts) {
  const nodes = [];
  const links = [];
  const link = (a, b) => links.push({ a, b, rate: RATE_BPS, delay: DELAY_PS });
  for (let spine = 1; spine <= spines; spine += 1) nodes.push({ name: `spine${spine}`, kind: 'switch', addresses: [] });
  for (let leaf = 1; leaf <= leaves; leaf += 1) {
    nodes.push({ name: `leaf${leaf}`, kind: 'switch', addresses: [] });
    for (let spine = 1; spine <= spines; spine += 1) link(`leaf${leaf}:${hosts + spine}`, `spine${spine}:${leaf}`);
    for (let host = 1; host <= hosts; host += 1) {
      const name = `l${leaf}-h${host}`;
      nodes.push({ name, kind: 'host', addresses: [`10.${Math.floor(leaf / 250)}.${leaf % 250}.${host}`] });
      link(`${name}:1`, `leaf${leaf}:${host}`);
    }
  }
  return { nodes, links };
}
