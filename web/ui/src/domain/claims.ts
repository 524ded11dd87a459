// Claims of evidence: the template of the analyzer with its values in the words of a page. A claim without a template, of another
// source or an earlier version, is its text.

import { namedFlow } from './flow';
import { count, duration, percent, plural, readable } from './format';
import type { Moments } from './moments';
import type { ClaimValue, Evidence } from './types';

/** Names of hosts by address. */
type Hosts = Map<string, string>;

/** The claim as a sentence. */
export function claimText({ claim, template }: Pick<Evidence, 'claim' | 'template'>, hosts: Hosts, moments: Moments): string {
  if (!template) return readable(claim);
  return template.text.replaceAll(/\{(\d+)\}/g, (place, number: string) => {
    const value = template.values[Number(number)];
    return value ? valueText(value, hosts, moments) : place;
  });
}

/** The tooltip of a claim: the clocks at its times; undefined without one. */
export function claimTitle({ template }: Pick<Evidence, 'template'>, moments: Moments): string | undefined {
  const times = (template?.values ?? []).flatMap((value) => (value.kind === 'time' ? [moments(value.ns)] : []));
  return times.length > 0 ? times.map(({ text, title }) => `${text}: ${title}`).join('; ') : undefined;
}

function valueText(value: ClaimValue, hosts: Hosts, moments: Moments): string {
  switch (value.kind) {
    case 'duration':
      return duration(value.ns);
    case 'time':
      return moments(value.ns).text;
    case 'count':
      return plural(value.count, value.unit);
    case 'number':
      return Number.isInteger(value.number) && value.decimals === 0 ? count(value.number) : value.number.toFixed(value.decimals);
    case 'share':
      return percent(value.share);
    case 'flow':
      return namedFlow(value.flow, hosts);
    case 'port':
      return value.port;
    case 'name':
      return value.name;
    default:
      // A newer server may send other kinds.
      return JSON.stringify(value);
  }
}
