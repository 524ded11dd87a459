import { expect, test } from 'vitest';
import { isReading, type Reading, toShow } from './reading';

const idle: Reading = { replayAt: null, opened: 0, scrolledPx: 0, viewPx: 800 };

test.each<[string, Partial<Reading>, boolean]>([
  ['the top of the page is shown', {}, false],
  ['a few pixels are scrolled', { scrolledPx: 100 }, false],
  ['the details are scrolled to', { scrolledPx: 500 }, true],
  ['the replay is at its start', { replayAt: 0 }, true],
  ['details are open', { opened: 1 }, true],
  ['the height of the window is not known yet', { scrolledPx: 500, viewPx: 0 }, false],
])('%s', (_, change, expected) => expect(isReading({ ...idle, ...change })).toBe(expected));

test('a diagnosis is replaced unless it is read', () => {
  const [old, latest] = [{ incident: 'i', diagnosis: 'd1' }, { incident: 'i', diagnosis: 'd2' }];
  expect(toShow(null, latest, true)).toBe(latest);
  expect(toShow(old, latest, false)).toBe(latest);
  expect(toShow(old, latest, true)).toBe(old);
  // The same object, so that nothing is loaded again.
  expect(toShow(old, { ...old }, false)).toBe(old);
  expect(toShow(old, { incident: 'other', diagnosis: 'd9' }, true).incident).toBe('other');
});
