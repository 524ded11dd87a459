// Where the labels of edges are placed: on their edge, without covering nodes or other labels.

export interface Point {
  x: number;
  y: number;
}

/** A label of an edge, and the points through which the edge is drawn. */
export interface EdgeLabel {
  points: readonly Point[];
  /** The preferred middle of the label. */
  at: Point;
  width: number;
  height: number;
}

/** A box that labels are not to cover, around its middle. */
export interface Box extends Point {
  width: number;
  height: number;
}

/** Parts of an edge at which its label is tried, from the middle outwards. */
const PARTS = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];

/** The middles of the labels: of the places that are tried, the first that covers nothing, or the one that covers least. */
export function placeLabels(labels: readonly EdgeLabel[], boxes: readonly Box[]): Point[] {
  const taken: Box[] = [...boxes];
  return labels.map(({ points, at, width, height }) => {
    const places = [at, ...PARTS.map((part) => pointAt(points, part) ?? at)];
    let [best, least] = [at, Number.POSITIVE_INFINITY];
    for (const place of places) {
      const covered = taken.reduce((sum, box) => sum + overlap({ ...place, width, height }, box), 0);
      if (covered < least) [best, least] = [place, covered];
      if (covered === 0) break;
    }
    taken.push({ ...best, width, height });
    return best;
  });
}

/** The area that two boxes share. */
export function overlap(a: Box, b: Box): number {
  const shared = (d: number, one: number, other: number) => Math.max(0, Math.min((one + other) / 2 - Math.abs(d), one, other));
  return shared(a.x - b.x, a.width, b.width) * shared(a.y - b.y, a.height, b.height);
}

/** The point at a part of a polyline's length; null without points. */
function pointAt(points: readonly Point[], part: number): Point | null {
  const lengths = points.slice(1).map((point, before) => distance(points[before], point));
  let left = part * lengths.reduce((sum, length) => sum + length, 0);
  for (const [step, length] of lengths.entries()) {
    const [from, to] = [points[step], points[step + 1]];
    if (!from || !to) break;
    if (left <= length && length > 0) {
      const share = left / length;
      return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
    }
    left -= length;
  }
  return points.at(-1) ?? null;
}

function distance(a: Point | undefined, b: Point): number {
  return a ? Math.hypot(b.x - a.x, b.y - a.y) : 0;
}
