// The pages of docs/runbook: one for each anomaly, with a section for each cause, and one for settings. The dashboard shows them, and their
// commands beside a verdict, so that commands and documentation cannot differ.

import { parseFlow, splitPort } from './flow';
import { culpritSwitches } from './roles';
import { links } from './route';
import type { Diagnosis } from './types';

const PAGES = import.meta.glob<string>('../../../../docs/runbook/*.md', { query: '?raw', import: 'default', eager: true });

export type Inline = { kind: 'text' | 'code'; text: string } | { kind: 'link'; text: string; href: string };

export type Block =
  | { kind: 'heading'; level: number; text: Inline[]; id: string }
  | { kind: 'paragraph'; text: Inline[] }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }
  | { kind: 'code'; text: string; system: string | null };

/** The names of the anomalies that have a page. Two more pages are no anomalies: the list of all, and that of settings. */
export function runbookNames(): string[] {
  return Object.keys(PAGES)
    .map((path) => path.slice(path.lastIndexOf('/') + 1, -'.md'.length))
    .filter((name) => name !== 'README' && name !== SETTINGS);
}

/** The page of an anomaly; undefined if there is none, e.g. for an anomaly of a newer server. */
export function runbook(anomaly: string): Block[] | undefined {
  const source = Object.entries(PAGES).find(([path]) => path.endsWith(`/${anomaly}.md`))?.[1];
  return source === undefined ? undefined : parseMarkdown(source);
}

/** Reads the Markdown that the pages use: headings, paragraphs, lists, fenced code, inline code and links. */
export function parseMarkdown(source: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let fence: string[] | null = null;
  const flush = () => {
    if (lines.length > 0) blocks.push(blockOf(lines));
    lines = [];
  };
  for (const line of source.split('\n')) {
    if (line.startsWith('```')) {
      if (fence) blocks.push({ kind: 'code', text: fence.join('\n'), system: takeLabel(blocks) });
      flush();
      fence = fence ? null : [];
    } else if (fence) fence.push(line);
    else if (line.trim() === '') flush();
    else lines.push(line);
  }
  flush();
  return blocks;
}

/** A paragraph "SONiC:" before a code block is the block's label. */
function takeLabel(blocks: Block[]): string | null {
  const last = blocks.at(-1);
  const label = last?.kind === 'paragraph' ? /^(\w+):$/.exec(plain(last.text))?.[1] : undefined;
  if (label === undefined) return null;
  blocks.pop();
  return label;
}

function blockOf(lines: string[]): Block {
  const heading = /^(#+) (.*)$/.exec(lines[0] ?? '');
  if (heading) {
    const text = inline(heading[2] ?? '');
    return { kind: 'heading', level: heading[1]?.length ?? 1, text, id: plain(text).toLowerCase().replace(/[^\w]+/g, '-') };
  }
  const marker = /^(\d+\.|-) /;
  if (!marker.test(lines[0] ?? '')) return { kind: 'paragraph', text: inline(lines.join(' ')) };
  const items: string[] = [];
  for (const line of lines) {
    if (marker.test(line)) items.push(line.replace(marker, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return { kind: 'list', ordered: /^\d/.test(lines[0] ?? ''), items: items.map(inline) };
}

function inline(text: string): Inline[] {
  return text
    .split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/)
    .filter((part) => part !== '')
    .map((part) => {
      if (part.startsWith('`')) return { kind: 'code', text: part.slice(1, -1) };
      const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
      return link ? { kind: 'link', text: link[1] ?? '', href: pageOf(link[2] ?? '') } : { kind: 'text', text: part };
    });
}

/** The target of a link: a file of the runbook is a page of the dashboard. */
function pageOf(target: string): string {
  const [, name, anchor = ''] = /^(\w+)\.md(?:#(.+))?$/.exec(target) ?? [];
  return name === undefined ? target : links.runbook(name, anchor);
}

/** The text without its marks. */
export function plain(text: Inline[]): string {
  return text.map((part) => part.text).join('');
}

/** Commands for one kind of switch. */
export interface Commands {
  /** SONiC or NVUE. */
  system: string;
  text: string;
}

/** The commands of the section of a cause or, if it has none, those of the anomaly. */
export function commandsOf(page: Block[], cause: string): Commands[] {
  const from = page.findIndex((block) => block.kind === 'heading' && block.id === cause);
  const until = page.findIndex((block, index) => index > from && block.kind === 'heading' && block.level <= 3);
  const own = from < 0 ? [] : labelled(page.slice(from, until < 0 ? undefined : until));
  if (own.length > 0) return own;
  const causes = page.findIndex((block) => block.kind === 'heading' && block.id === 'by-cause');
  return labelled(page.slice(0, causes < 0 ? undefined : causes));
}

function labelled(blocks: Block[]): Commands[] {
  return blocks.flatMap((block) => (block.kind === 'code' && block.system ? [{ system: block.system, text: block.text }] : []));
}

/** Where the commands of a diagnosis are to be run, with the names that it knows filled in. */
export interface Remedy {
  /** The switch: the misconfigured one, or that of the port. */
  node: string | null;
  /** The port that `PORT` stands for: the switch's own name of it is not known. */
  port: string | null;
  commands: Commands[];
  /** The page and the section of the runbook. */
  page: string;
  anchor: string;
}

type Judged = Pick<Diagnosis, 'anomaly' | 'cause' | 'root_cause' | 'pause_path' | 'victim' | 'advice_target' | 'evidence'>;

/** What to run for the first advice of a diagnosis; null if its anomaly has no page. */
export function remedy(diagnosis: Judged): Remedy | null {
  const page = runbook(diagnosis.anomaly);
  if (!page) return null;
  const address = parseFlow(diagnosis.victim ?? '')?.dst ?? 'ADDRESS';
  const filled = (commands: Commands[]) => commands.map(({ system, text }) => ({ system, text: text.replaceAll('ADDRESS', address) }));
  const finding = diagnosis.advice_target?.kind === 'finding' ? diagnosis.advice_target.id : null;
  const setting = finding === null ? null : settingOf(finding, recordOf(finding, diagnosis)?.setting);
  if (finding !== null) {
    const [node = null] = culpritSwitches({ root_cause: { ...diagnosis.root_cause, config: [finding] } });
    const port = portOfFinding(finding, diagnosis);
    const own = setting === null ? commandsOf(page, 'misconfiguration') : commandsOf(runbook(SETTINGS) ?? [], setting);
    return { node, port, commands: filled(own), page: setting === null ? diagnosis.anomaly : SETTINGS, anchor: setting ?? 'misconfiguration' };
  }
  const port = advisedPort(diagnosis);
  const hasSection = page.some((block) => block.kind === 'heading' && block.id === diagnosis.cause);
  const commands = filled(commandsOf(page, diagnosis.cause));
  return { node: port ? splitPort(port).node : null, port, commands, page: diagnosis.anomaly, anchor: hasSection ? diagnosis.cause : '' };
}

/** The page of settings; the other pages are about anomalies. */
const SETTINGS = 'settings';

/** The port that the first advice changes; null if it changes no part of a switch that is known. */
function advisedPort({ advice_target: target, pause_path, root_cause: root }: Judged): string | null {
  if (target?.kind === 'port') return target.port;
  return root.port ?? pause_path.at(-1) ?? null;
}

/** The port of a finding: in its id, `leaf1:5/PG004`, or in its record; null for a setting of the whole switch. */
function portOfFinding(id: string, { evidence }: Judged): string | null {
  const [place = ''] = id.split('/');
  if (/:\d+$/.test(place)) return place;
  const record = recordOf(id, { evidence });
  if (record?.port === null || record?.port === undefined) return null;
  return `${record.switch}:${record.port}`;
}

/** The record of a finding; undefined if the evidence does not cite it. */
function recordOf(id: string, { evidence }: Pick<Judged, 'evidence'>) {
  const records = evidence.flatMap((one) => one.records.filter((record) => record.kind === 'configuration'));
  return records.find((record) => record.id === id);
}

/** The setting of the rules of `harrier check`, by the letters of their codes. */
const SETTING_OF_RULES: Record<string, string> = { PG: 'headroom', PFC: 'lossless', MAP: 'dscp', ECN: 'ecn', WD: 'watchdog' };

/**
 * The section of the settings that a finding is about: the setting of its record, or from its id `switch/setting` or
 * `switch/CODE` where no record is known; null if it has none.
 */
export function settingOf(finding: string, recorded?: string): string | null {
  const name = finding.split('/').slice(1).join('/');
  const setting = recorded ?? SETTING_OF_RULES[/^([A-Z]+)\d+$/.exec(name)?.[1] ?? ''] ?? name;
  const isKnown = (runbook(SETTINGS) ?? []).some((block) => block.kind === 'heading' && block.level === 3 && block.id === setting);
  return isKnown ? setting : null;
}
