// What people do about incidents, in words.

import type { Feedback, Handling } from './types';

/** The state, the button that leads to it, and what it means. */
export const HANDLING: Record<Handling, { state: string; action: string; means: string }> = {
  open: { state: 'open', action: 'Reopen', means: 'Nothing has been done about it yet' },
  acknowledged: { state: 'acknowledged', action: 'Acknowledge', means: 'Someone works on it' },
  resolved: { state: 'resolved', action: 'Resolve', means: 'The cause is removed; a recurrence reopens the incident' },
  silenced: { state: 'silenced', action: 'Silence', means: 'The cause is known: no alerts, recurrences included' },
};

export const FEEDBACK: { feedback: Feedback; label: string; means: string }[] = [
  { feedback: 'right', label: 'Right', means: 'The culprit is the one that the verdict names' },
  { feedback: 'wrong', label: 'Wrong', means: 'The culprit is another one' },
  { feedback: 'unclear', label: 'Unclear', means: 'The culprit was not found out' },
];

/** The states that an incident can get from here, the most likely one first. */
export function actions(now: Handling): Handling[] {
  const all: Handling[] = ['acknowledged', 'resolved', 'silenced', 'open'];
  return all.filter((handling) => handling !== now);
}
