// The part of a picture that is shown: scaled by `zoom`, then moved by `x` and `y`, in units of the picture. At zoom 1
// the picture fills the frame; no gap opens at its edges.

import type { Point } from './fabric';

export interface Viewport {
  zoom: number;
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

export const FIT: Viewport = { zoom: 1, x: 0, y: 0 };
/** Maximum zoom: a link of the densest map is as wide as the frame. */
export const ZOOM_MOST = 40;
/** Factor of one press of a key or a button. */
export const ZOOM_STEP = 1.5;
/** Share of the frame by which an arrow key moves the picture. */
const PAN_STEP = 0.15;

/** The viewport after zooming by `factor`; the point `at` of the frame stays where it is. */
export function zoomed(view: Viewport, factor: number, at: Point, size: Size): Viewport {
  const zoom = Math.min(ZOOM_MOST, Math.max(1, view.zoom * factor));
  const scale = zoom / view.zoom;
  return within({ zoom, x: at.x - (at.x - view.x) * scale, y: at.y - (at.y - view.y) * scale }, size);
}

/** The viewport moved by a distance in the frame. */
export function panned(view: Viewport, dx: number, dy: number, size: Size): Viewport {
  return within({ ...view, x: view.x + dx, y: view.y + dy }, size);
}

/** The viewport after a key, or null if the key has no meaning here. */
export function keyed(view: Viewport, key: string, size: Size): Viewport | null {
  const centre = { x: size.width / 2, y: size.height / 2 };
  const step = { x: size.width * PAN_STEP, y: size.height * PAN_STEP };
  switch (key) {
    case '+':
    case '=':
      return zoomed(view, ZOOM_STEP, centre, size);
    case '-':
      return zoomed(view, 1 / ZOOM_STEP, centre, size);
    case '0':
      return FIT;
    case 'ArrowLeft':
      return panned(view, step.x, 0, size);
    case 'ArrowRight':
      return panned(view, -step.x, 0, size);
    case 'ArrowUp':
      return panned(view, 0, step.y, size);
    case 'ArrowDown':
      return panned(view, 0, -step.y, size);
    default:
      return null;
  }
}

/** The viewport that shows a part of the picture as large as it fits. */
export function around(part: { left: number; top: number; right: number; bottom: number }, size: Size): Viewport {
  const [width, height] = [part.right - part.left, part.bottom - part.top];
  const zoom = Math.min(ZOOM_MOST, Math.max(1, Math.min(size.width / width, size.height / height)));
  const x = size.width / 2 - ((part.left + part.right) / 2) * zoom;
  const y = size.height / 2 - ((part.top + part.bottom) / 2) * zoom;
  return within({ zoom, x, y }, size);
}

/** The zoom of a turn of a mouse wheel, from the event's delta in pixels. */
export function wheelFactor(delta: number): number {
  return Math.exp(-Math.max(-120, Math.min(120, delta)) * 0.004);
}

function within({ zoom, x, y }: Viewport, { width, height }: Size): Viewport {
  return { zoom, x: Math.min(0, Math.max(width * (1 - zoom), x)), y: Math.min(0, Math.max(height * (1 - zoom), y)) };
}
