// Which names of the map are drawn, and in which size, so that all that are drawn can be read.

import type { PlacedNode } from './fabric';
import { shortName } from './flow';

/** Size of a label in units of the picture, and the least size on the screen, in pixels. */
export const LABEL_SIZE = 12;
export const LABEL_LEAST = 10.5;
/** Width of a character of a label over its size. */
const CHARACTER = 0.6;
/** Distance of two labels in parts of their size. */
const GAP = 0.3;

/**
 * The scale of labels in the picture: they shrink with the symbols, but not below what can be read. `perUnit` is how many
 * pixels of the screen a unit of the picture has.
 */
export function labelScale(symbol: number, zoom: number, perUnit: number): number {
  return Math.max(Math.min(1, Math.max(symbol, 1 / zoom)), LABEL_LEAST / (LABEL_SIZE * perUnit));
}

export interface Label {
  node: PlacedNode;
  text: string;
  /** Below the middle of its node. */
  dy: number;
  /** Drawn whatever it covers: the victim, the culprits, the switch of the root port. */
  isFixed: boolean;
}

/** A label before it is known whether it has room: names of hosts have the lowest rank. */
export function labelOf(node: PlacedNode, role: string | undefined, dy: number, most: number): Label {
  return { node, dy, text: shortName(node.name, most), isFixed: role !== undefined && FIXED.includes(role) };
}

const FIXED = ['victim', 'culprit', 'root', 'misconfigured'];

/** The size of a box around a label. */
export function boxOf({ text }: Label, scale: number): { width: number; height: number } {
  return { width: (text.length * CHARACTER + 0.8) * LABEL_SIZE * scale, height: 1.5 * LABEL_SIZE * scale };
}

/** The labels without those that would cover another one; of two, that of the graver role, then that of the switch stays. */
export function withoutOverlaps(labels: Label[], roles: ReadonlyMap<string, string>, scale: number): Map<string, Label> {
  const rank = ({ node, isFixed }: Label) => (isFixed ? 0 : roles.has(node.name) ? 1 : node.kind === 'switch' ? 2 : 3);
  const size = LABEL_SIZE * scale;
  const kept: { left: number; right: number; y: number }[] = [];
  const shown = new Map<string, Label>();
  for (const label of [...labels].sort((a, b) => rank(a) - rank(b))) {
    const half = (label.text.length * CHARACTER + GAP) * size * 0.5;
    const [x, y] = [label.node.x, label.node.y + label.dy];
    const box = { left: x - half, right: x + half, y };
    const covers = kept.some((other) => box.left < other.right && other.left < box.right && Math.abs(other.y - y) < size);
    if (covers && !label.isFixed) continue;
    kept.push(box);
    shown.set(label.node.name, label);
  }
  return shown;
}
