// All records of the live stream that the server still has, and those that follow, for the page of events. `stream` is
// apart: it has the latest state only, and one connection for all tabs.

import { parseRecords, type StreamRecord } from '../domain/events';
import { ApiError, paths } from './api';

/** Before the first record of any process: the server sends its whole history. */
const START = '0-0';
const RETRY_MS = 3000;

interface Handlers {
  records: (records: StreamRecord[]) => void;
  /** The stream ended or was refused; it is tried again. */
  lost: (error: unknown) => void;
}

/** Follows the records until the returned function is called. */
export function followRecords(handlers: Handlers): () => void {
  const abort = new AbortController();
  void run(handlers, abort.signal);
  return () => abort.abort();
}

async function run({ records, lost }: Handlers, signal: AbortSignal) {
  let last = START;
  while (!signal.aborted) {
    try {
      await read(last, signal, (batch) => {
        last = batch.findLast(({ id }) => id !== null)?.id ?? last;
        records(batch);
      });
    } catch (error) {
      if (signal.aborted) return;
      lost(error);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function read(last: string, signal: AbortSignal, deliver: (records: StreamRecord[]) => void) {
  const response = await fetch(paths.records, { signal, headers: { 'last-event-id': last } });
  if (!response.ok || !response.body) throw new ApiError('No events', `${response.status} ${response.statusText}`, response.status);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const { records, rest } = parseRecords(text + part.value);
    text = rest;
    if (records.length > 0) deliver(records);
  }
}
