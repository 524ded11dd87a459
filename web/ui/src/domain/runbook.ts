// The pages of docs/runbook: one for each anomaly, with a section for each cause. The dashboard shows them, and their
// commands beside a verdict, so that commands and documentation cannot differ.

import { parseFlow, splitPort } from './flow';
import { culpritSwitches } from './roles';
import type { Diagnosis } from './types';

const PAGES = import.meta.glob<string>('../../../../docs/runbook/*.md', { query: '?raw', import: 'default', eager: true });

export type Inline = { kind: 'text' | 'code'; text: string } | { kind: 'link'; text: string; href: string };

export type Block =
  | { kind: 'heading'; level: number; text: Inline[]; id: string }
  | { kind: 'paragraph'; text: Inline[] }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }
  | { kind: 'code'; text: string; system: string | null };

/** The names of the anomalies that have a page. */
export function runbookNames(): string[] {
  return Object.keys(PAGES)
    .map((path) => path.slice(path.lastIndexOf('/') + 1, -'.md'.length))
    .filter((name) => name !== 'README');
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
      return link ? { kind: 'link', text: link[1] ?? '', href: link[2] ?? '' } : { kind: 'text', text: part };
    });
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
  /** The switch: the misconfigured one, that of the root port, or the first of the loop. */
  node: string | null;
  /** The port that `PORT` stands for: the switch's own name of it is not known. */
  port: string | null;
  commands: Commands[];
  /** The section of the runbook. */
  anchor: string;
}

/** What to run for a diagnosis; null if its anomaly has no page. */
export function remedy(diagnosis: Pick<Diagnosis, 'anomaly' | 'cause' | 'root_cause' | 'pause_path' | 'loop' | 'victim'>): Remedy | null {
  const page = runbook(diagnosis.anomaly);
  if (!page) return null;
  const isDeadlock = diagnosis.loop.length > 0 && diagnosis.anomaly.startsWith('deadlock');
  // A deadlock is broken at a port of the loop; the root port may lie outside it.
  const port = (isDeadlock ? diagnosis.loop[0] : diagnosis.root_cause.port) ?? diagnosis.pause_path.at(-1) ?? null;
  const address = parseFlow(diagnosis.victim ?? '')?.dst ?? 'ADDRESS';
  const commands = commandsOf(page, diagnosis.cause).map(({ system, text }) => ({ system, text: text.replaceAll('ADDRESS', address) }));
  const hasSection = page.some((block) => block.kind === 'heading' && block.id === diagnosis.cause);
  const [misconfigured] = culpritSwitches(diagnosis);
  return { node: misconfigured ?? (port ? splitPort(port).node : null), port, commands, anchor: hasSection ? diagnosis.cause : '' };
}
