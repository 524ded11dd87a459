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

function configRecords({ evidence }: Pick<Diagnosis, 'evidence'>): ConfigRecord[] {
  return evidence.flatMap(({ records }) => records.filter((record): record is ConfigRecord => record.kind === 'configuration'));
}

/** The message of the first finding that is a root cause of a diagnosis; null without one. */
export function findingOf(diagnosis: Pick<Diagnosis, 'evidence' | 'root_cause'>): string | null {
  const [first] = diagnosis.root_cause.config;
  return configRecords(diagnosis).find(({ id }) => id === first)?.message ?? null;
}

/** The diagnoses that have the texts of all cited findings: one for each finding. */
export function neededDiagnoses(incidents: Incident[]): string[] {
  const first = new Map<string, string>();
  for (const { root_cause: root, diagnosis } of incidents) {
    for (const id of root.config) if (!first.has(id)) first.set(id, diagnosis);
  }
  return [...new Set(first.values())];
}

/** A finding about the configuration or the cables of a switch, as far as its fields are known. */
export interface CheckFinding {
  id: string;
  code: string;
  severity: string;
  message: string;
  fix: string;
  switch: string;
  port: string;
  /** The file and line, or the entry. */
  place: string;
  /** The finding as JSON, for one that has no message. */
  json: string;
}

/** The row of a finding, whatever its fields are. */
export function checkFinding(body: Record<string, unknown>): CheckFinding {
  const text = (name: string) => (typeof body[name] === 'string' ? (body[name] as string) : '');
  const line = typeof body.line === 'number' ? `:${body.line}` : '';
  return {
    id: text('id'),
    code: text('code') || text('rule'),
    severity: text('severity'),
    message: text('message'),
    fix: text('fix'),
    switch: text('switch'),
    port: text('port'),
    place: text('file') ? `${text('file')}${line}` : text('pointer'),
    json: JSON.stringify(body),
  };
}

const RANK: Record<string, number> = { error: 0, warning: 1, info: 2 };

/** The findings, the most severe first and otherwise in their order. */
export function bySeverity(findings: CheckFinding[]): CheckFinding[] {
  const rank = ({ severity }: CheckFinding) => RANK[severity] ?? 3;
  return findings.toSorted((a, b) => rank(a) - rank(b));
}

/** The incidents that cite a finding: verdicts name the switch or one of its ports, and the code. */
export function citing({ id, switch: name, code }: CheckFinding, incidents: Incident[]): Incident[] {
  const isCited = (cited: string) => {
    const [place = '', rule] = cited.split('/');
    return cited === id || (name !== '' && rule === code && place.replace(/:\d+$/, '') === name);
  };
  return incidents.filter(({ root_cause: root }) => root.config.some(isCited));
}

/** The filters of `GET /findings` that the page offers. */
export const FINDING_FILTERS = ['severity', 'switch', 'code'] as const;
export type FindingFilters = Record<(typeof FINDING_FILTERS)[number], string>;

/** The filters in a URL. */
export function findingFilters(query: URLSearchParams): FindingFilters {
  const [severity = '', place = '', code = ''] = FINDING_FILTERS.map((name) => query.get(name)?.trim() ?? '');
  return { severity, switch: place, code };
}

/** The query string of filters; empty ones are left out. */
export function findingQuery(filters: FindingFilters): string {
  const query = new URLSearchParams();
  for (const name of FINDING_FILTERS) if (filters[name]) query.set(name, filters[name]);
  return query.toString();
}
