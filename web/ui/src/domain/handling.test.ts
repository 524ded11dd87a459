import { expect, test } from 'vitest';

import { FEEDBACK, HANDLING, actions } from './handling';

test('every state has words, and leads to every other one', () => {
  for (const handling of Object.keys(HANDLING) as (keyof typeof HANDLING)[]) {
    expect(actions(handling)).not.toContain(handling);
    expect(actions(handling).length).toBe(3);
  }
  expect(actions('open')[0]).toBe('acknowledged');
  expect(FEEDBACK.map(({ feedback }) => feedback)).toEqual(['right', 'wrong', 'unclear']);
});
