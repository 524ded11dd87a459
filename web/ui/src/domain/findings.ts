// Configuration findings, joined with the incidents whose verdicts cite them.

import { natural } from './format';
import type { Diagnosis, EvidenceRecord, Incident } from './types';

export interface CitedFinding {
  id: string;
  /** What is wrong and how to correct it; null until a diagnosis that cites the finding is loaded. */
  message: string | null;
  fix: string | null;
  switch: string;
  port: string | null;
  /** The incidents whose root cause is this finding. */
  incidents: Incident[];
}

type ConfigRecord = Extract<EvidenceRecord, { kind: 'configuration' }>;

/** The findings that these incidents cite as root cause, by id; texts come from the diagnoses, as far as they are known. */
export function citedFindings(incidents: Incident[], diagnoses: Diagnosis[]): CitedFinding[] {
  const records = new Map(diagnoses.flatMap(configRecords).map((record) => [record.id, record]));
  const citing = new Map<string, Incident[]>();
  for (const incident of incidents) {
    for (const id of incident.root_cause.config) citing.set(id, [...(citing.get(id) ?? []), incident]);
  }
  return [...citing].sort(([a], [b]) => natural(a, b)).map(([id, of]) => {
    const record = records.get(id);
    const place = record?.switch ?? (id.split('/')[0] ?? id).replace(/:\d+$/, '');
    const port = record?.port === null || record?.port === undefined ? null : `${place}:${record.port}`;
    return { id, message: record?.message ?? null, fix: record?.fix ?? null, switch: place, port, incidents: of };
  });
}

function configRecords({ evidence }: Diagnosis): ConfigRecord[] {
  return evidence.flatMap(({ records }) => records.filter((record): record is ConfigRecord => record.kind === 'configuration'));
}

/** The diagnoses that have the texts of all cited findings: one for each finding. */
export function neededDiagnoses(incidents: Incident[]): string[] {
  const first = new Map<string, string>();
  for (const { root_cause: root, diagnosis } of incidents) {
    for (const id of root.config) if (!first.has(id)) first.set(id, diagnosis);
  }
  return [...new Set(first.values())];
}

/** A finding of `harrier check`, as far as its fields are known. */
export interface CheckFinding {
  code: string;
  severity: string;
  message: string;
  fix: string;
  place: string;
  /** The finding as JSON, for one that has no message. */
  json: string;
}

/** The row of a stored finding, whatever its fields are. */
export function checkFinding(body: Record<string, unknown>): CheckFinding {
  const text = (name: string) => (typeof body[name] === 'string' ? (body[name] as string) : '');
  const line = typeof body.line === 'number' ? `:${body.line}` : '';
  return {
    code: text('code') || text('rule'),
    severity: text('severity'),
    message: text('message'),
    fix: text('fix'),
    place: `${text('file')}${line}` || text('pointer'),
    json: JSON.stringify(body),
  };
}
