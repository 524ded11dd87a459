import { expect, test } from 'vitest';
import type { PlacedNode } from './fabric';
import { LABEL_LEAST, LABEL_SIZE, labelOf, labelScale, withoutOverlaps } from './labels';

const host = (name: string, x: number): PlacedNode => ({ name, kind: 'host', tier: 0, x, y: 100 });
const shown = (nodes: PlacedNode[], roles: [string, string][] = [], scale = 1) => {
  const map = new Map(roles);
  return [...withoutOverlaps(nodes.map((node) => labelOf(node, map.get(node.name), 25, 9)), map, scale).keys()].sort();
};

test.each([
  ['a small network', 1, 1, 1],
  ['a wide network on a phone', 1, 1, 0.3],
  ['a dense network', 0.1, 1, 1],
  ['a dense network that is zoomed', 0.1, 8, 1],
])('labels of %s can be read', (_, symbol, zoom, perUnit) => {
  expect(LABEL_SIZE * labelScale(symbol, zoom, perUnit * zoom) * perUnit * zoom).toBeGreaterThanOrEqual(LABEL_LEAST - 1e-9);
});

test('labels that have room are all drawn', () => {
  expect(shown([host('h1', 0), host('h2', 66)])).toEqual(['h1', 'h2']);
});

test('of labels that cover each other, those of roles stay', () => {
  const nodes = [host('host-1', 0), host('host-2', 40), host('host-3', 80)];
  expect(shown(nodes)).toEqual(['host-1', 'host-3']);
  expect(shown(nodes, [['host-2', 'victim']])).toEqual(['host-2']);
  expect(shown(nodes, [['host-2', 'victim'], ['host-3', 'culprit']])).toEqual(['host-2', 'host-3']);
});
