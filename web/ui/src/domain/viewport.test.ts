import { describe, expect, test } from 'vitest';
import { around, FIT, keyed, panned, wheelFactor, ZOOM_MOST, zoomed } from './viewport';

const size = { width: 800, height: 400 };

describe('viewport', () => {
  test('the point below the pointer stays where it is', () => {
    const at = { x: 200, y: 300 };
    const inside = (view: typeof FIT) => [(at.x - view.x) / view.zoom, (at.y - view.y) / view.zoom];
    const twice = zoomed(FIT, 2, at, size);
    expect(inside(twice)).toEqual([200, 300]);
    const more = zoomed(twice, 1.5, at, size);
    expect(inside(more).map((value) => Math.round(value))).toEqual([200, 300]);
  });

  test('no gap opens at the edges, and fit is the minimum', () => {
    expect(panned(FIT, 50, -50, size)).toEqual(FIT);
    expect(panned(zoomed(FIT, 2, { x: 0, y: 0 }, size), -5000, -5000, size)).toEqual({ zoom: 2, x: -800, y: -400 });
    expect(zoomed(FIT, 0.1, { x: 9, y: 9 }, size)).toEqual(FIT);
    expect(zoomed(FIT, 1e9, { x: 0, y: 0 }, size).zoom).toBe(ZOOM_MOST);
  });

  test('keys zoom about the centre, move and fit', () => {
    const near = keyed(FIT, '+', size)!;
    expect(near.zoom).toBeGreaterThan(1);
    expect(keyed(near, '-', size)!.zoom).toBeCloseTo(1);
    expect(keyed(near, 'ArrowRight', size)!.x).toBeLessThan(near.x);
    expect(keyed(near, 'ArrowUp', size)!.y).toBeGreaterThan(near.y);
    expect(keyed(near, '0', size)).toEqual(FIT);
    expect(keyed(near, 'j', size)).toBeNull();
  });

  test('a part of the picture is shown as large as it fits', () => {
    const view = around({ left: 400, top: 100, right: 600, bottom: 200 }, size);
    expect(view).toEqual({ zoom: 4, x: -1600, y: -400 });
    expect(around({ left: -9, top: -9, right: 900, bottom: 900 }, size)).toEqual(FIT);
  });

  test('a wheel zooms in when it turns away, by a bounded factor', () => {
    expect(wheelFactor(-100)).toBeGreaterThan(1);
    expect(wheelFactor(100)).toBeCloseTo(1 / wheelFactor(-100));
    expect(wheelFactor(-1e6)).toBe(wheelFactor(-120));
  });
});
