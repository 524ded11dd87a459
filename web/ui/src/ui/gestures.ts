// Pointers on a picture: one that moves drags the picture, two zoom it about their middle. A drag is no click.

import type { Point } from '../domain/fabric';

interface Target {
  /** A point of the window in units of the picture's frame. */
  point: (x: number, y: number) => Point;
  pan: (dx: number, dy: number) => void;
  zoom: (factor: number, at: Point) => void;
}

/** Movement in pixels up to which a press is a click. */
const CLICK_MOST = 4;

export class Gestures {
  #pointers = new Map<number, Point>();
  #moved = 0;

  constructor(readonly target: Target) {}

  wheel = (event: WheelEvent, factor: number) => this.target.zoom(factor, this.target.point(event.clientX, event.clientY));

  down = (event: PointerEvent) => {
    if (event.pointerType === 'mouse' && event.button !== 0) return;
    if (this.#pointers.size === 0) this.#moved = 0;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };

  move = (event: PointerEvent) => {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#pointers.set(event.pointerId, now);
    this.#moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (this.#moved <= CLICK_MOST) return;
    // From now on the picture gets the pointer's events, also those outside of it.
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    if (other) this.#pinch(before, now, other);
    else this.#drag(before, now);
  };

  up = (event: PointerEvent) => {
    this.#pointers.delete(event.pointerId);
  };

  /** Suppresses the click that ends a drag. */
  click = (event: MouseEvent) => {
    if (this.#moved <= CLICK_MOST) return;
    event.preventDefault();
    event.stopPropagation();
    this.#moved = 0;
  };

  #drag(before: Point, now: Point) {
    const [from, to] = [this.target.point(before.x, before.y), this.target.point(now.x, now.y)];
    this.target.pan(to.x - from.x, to.y - from.y);
  }

  #pinch(before: Point, now: Point, other: Point) {
    const distance = (from: Point) => Math.hypot(from.x - other.x, from.y - other.y) || 1;
    const middle = this.target.point((now.x + other.x) / 2, (now.y + other.y) / 2);
    this.target.zoom(distance(now) / distance(before), middle);
  }
}
