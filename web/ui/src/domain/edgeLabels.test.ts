import { describe, expect, test } from 'vitest';
import { type Box, type EdgeLabel, overlap, placeLabels } from './edgeLabels';

const line = (x1: number, y1: number, x2: number, y2: number): EdgeLabel => ({
  points: [{ x: x1, y: y1 }, { x: x2, y: y2 }],
  at: { x: (x1 + x2) / 2, y: (y1 + y2) / 2 },
  width: 36,
  height: 16,
});

/** Pairs of boxes that overlap: labels among each other and with other boxes. */
function overlaps(labels: EdgeLabel[], boxes: Box[]): number {
  const placed = placeLabels(labels, boxes).map((point) => ({ ...point, width: 36, height: 16 }));
  const all = [...placed, ...boxes];
  return placed.flatMap((label, index) => all.slice(index + 1).filter((other) => overlap(label, other) > 0)).length;
}

describe('labels of edges', () => {
  test('a label alone is where the layout wants it', () => {
    expect(placeLabels([line(0, 0, 100, 0)], [])).toEqual([{ x: 50, y: 0 }]);
    expect(placeLabels([{ points: [], at: { x: 3, y: 4 }, width: 36, height: 16 }], [])).toEqual([{ x: 3, y: 4 }]);
  });

  test('edges that cross, and edges in both directions, have labels that do not overlap', () => {
    expect(overlaps([line(0, 0, 200, 200), line(0, 200, 200, 0)], [])).toBe(0);
    expect(overlaps([line(0, 0, 200, 0), line(200, 0, 0, 0), line(0, 4, 200, 4)], [])).toBe(0);
  });

  test('a label does not cover a node', () => {
    expect(overlaps([line(0, 0, 200, 0)], [{ x: 100, y: 0, width: 60, height: 30 }])).toBe(0);
  });

  test('without room, the label that covers least is taken', () => {
    const [first, second] = placeLabels([line(0, 0, 20, 0), line(0, 0, 20, 0)], []);
    expect([first?.x, second?.y]).toEqual([10, 0]);
    expect(Math.abs((second?.x ?? 0) - 10)).toBeGreaterThan(5);
  });
});
