// Whether a reader is in the middle of a diagnosis. A live incident gets another one every few seconds, and what the reader
// looks at must not be replaced meanwhile.

/** What a reader does on the page of a diagnosis. */
export interface Reading {
  /** The replayed time; null: the map shows the present. */
  replayAt: number | null;
  /** Details that the reader has opened. */
  opened: number;
  scrolledPx: number;
  viewPx: number;
}

/** Below this part of the first screen a reader is at the details. */
const SCROLLED_SHARE = 0.5;

export function isReading({ replayAt, opened, scrolledPx, viewPx }: Reading): boolean {
  return replayAt !== null || opened > 0 || (viewPx > 0 && scrolledPx > SCROLLED_SHARE * viewPx);
}

/** A diagnosis of an incident. */
export interface Shown {
  incident: string;
  diagnosis: string;
}

/** The diagnosis to show: the latest one, unless the reader is in the middle of another one of the same incident. */
export function toShow(shown: Shown | null, latest: Shown, reads: boolean): Shown {
  const isKept = shown !== null && reads && shown.incident === latest.incident;
  const isSame = shown?.incident === latest.incident && shown.diagnosis === latest.diagnosis;
  return shown !== null && (isKept || isSame) ? shown : latest;
}
