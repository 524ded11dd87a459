import { describe, expect, test } from 'vitest';
import model from '../../../../model/src/diagnosis.rs?raw';
import { commandsOf, parseMarkdown, plain, remedy, runbook, runbookNames } from './runbook';
import type { Diagnosis } from './types';

/** The variants of an enum of the model, in the JSON form. */
function modelNames(name: string): string[] {
  const body = new RegExp(`pub enum ${name} \\{([^}]*)\\}`).exec(model)?.[1] ?? '';
  const variants = [...body.matchAll(/^ {4}([A-Z]\w*),/gm)].map((match) => match[1] ?? '');
  return variants.map((variant) => variant.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase());
}

const diagnosis = (more: Partial<Diagnosis>) =>
  ({
    anomaly: 'pfc_storm_host_injection', cause: 'nic_storm', root_cause: { port: 'sw3:3', flows: [], host: 'h11', config: [] },
    pause_path: ['sw1:1', 'sw3:3'], loop: [], advice: [], evidence: [], victim: '10.0.1.1:1>10.0.9.1:4791/udp', ...more,
  }) as Diagnosis;

describe('runbook', () => {
  test('every anomaly of the model has a page, and every page a list of what to do', () => {
    const anomalies = modelNames('Anomaly');
    expect(anomalies.length).toBeGreaterThan(10);
    expect(runbookNames().sort()).toEqual(anomalies.sort());
    for (const anomaly of anomalies) {
      const page = runbook(anomaly) ?? [];
      const intro = page[1];
      expect(intro?.kind === 'paragraph' && plain(intro.text)).toContain(anomaly);
      const at = page.findIndex((block) => block.kind === 'heading' && block.id === 'what-to-do');
      expect(page[at + 1]?.kind).toBe('list');
    }
  });

  test('sections are about causes of the model, and every cause is in one', () => {
    const causes = new Set(modelNames('Cause'));
    const sections = runbookNames().flatMap((name) =>
      (runbook(name) ?? []).flatMap((block) => (block.kind === 'heading' && block.level === 3 ? [block.id] : [])),
    );
    expect(sections.filter((id) => !causes.has(id))).toEqual([]);
    expect([...causes].filter((cause) => cause !== 'undetermined' && !sections.includes(cause))).toEqual([]);
  });

  test('commands are those of the cause, else those of the anomaly', () => {
    const page = parseMarkdown(
      '# A\n\n## What to do\n\nSONiC:\n\n```sh\nshow a\n```\n\n## By cause\n\n### `one`\n\ntext\n\nSONiC:\n\n```sh\nshow one PORT\n```\n\n### `two`\n\nNone.\n',
    );
    expect(commandsOf(page, 'one')).toEqual([{ system: 'SONiC', text: 'show one PORT' }]);
    expect(commandsOf(page, 'two')).toEqual([{ system: 'SONiC', text: 'show a' }]);
    expect(commandsOf(page, 'three')).toEqual([{ system: 'SONiC', text: 'show a' }]);
  });

  test('a remedy names the switch and fills in the address', () => {
    const storm = remedy(diagnosis({}));
    expect(storm).toMatchObject({ node: 'sw3', port: 'sw3:3', anchor: 'nic_storm' });
    expect(storm?.commands.map((c) => c.system)).toEqual(['SONiC', 'NVUE']);
    expect(storm?.commands[0]?.text).toContain('show pfcwd stats');
    const loop = remedy(diagnosis({ anomaly: 'routing_loop', cause: 'undetermined' }));
    expect(loop?.commands[0]?.text).toBe('show ip route 10.0.9.1');
    expect(loop?.anchor).toBe('');
  });

  const wrong = (config: string[], more: Partial<Diagnosis> = {}) =>
    remedy(
      diagnosis({
        anomaly: 'packet_loss', cause: 'misconfiguration', root_cause: { port: 'near:1', flows: [], host: null, config },
        advice_target: { kind: 'finding', id: config[0] ?? '' }, ...more,
      }),
    );

  test.each([
    ['far/alpha', 'far', null, 'alpha', 'mmuconfig -p PROFILE'],
    ['far/headroom', 'far', null, 'headroom', 'cable-length PORT'],
    ['far/lossless', 'far', null, 'lossless', 'config interface pfc priority PORT'],
    ['far/dscp', 'far', null, 'dscp', 'DSCP_TO_TC_MAP'],
    ['far:5/PFC004', 'far', 'far:5', 'lossless', 'config interface pfc priority PORT'],
    ['far:5/PG004', 'far', 'far:5', 'headroom', '--xoff BYTES'],
    ['spine1/route', 'spine1', null, 'route', 'show ip route 10.0.9.1'],
  ])('the commands of %s are those of its setting, at its switch and port', (finding, node, port, anchor, command) => {
    const found = wrong([finding]);
    expect(found).toMatchObject({ node, port, page: 'settings', anchor });
    expect(found?.commands.map(({ system }) => system)).toEqual(['SONiC', 'NVUE']);
    expect(found?.commands[0]?.text).toContain(command);
  });

  test('a rule without a setting has the commands of the anomaly', () => {
    expect(wrong(['far/SRC011'])).toMatchObject({ node: 'far', page: 'packet_loss', anchor: 'misconfiguration' });
  });

  test('the record of a finding has its port', () => {
    const record = { kind: 'configuration', id: 'far/headroom', switch: 'far', port: 7, message: '', fix: 'set xoff' };
    const evidence = [{ claim: '', switch: 'far', port: null, epoch: null, records: [record] }] as Diagnosis['evidence'];
    expect(wrong(['far/headroom'], { evidence })?.port).toBe('far:7');
    // Advice may correct a setting that is no root cause.
    const loss = diagnosis({ evidence, advice_target: { kind: 'finding', id: 'far/headroom' } });
    expect(remedy(loss)).toMatchObject({ node: 'far', port: 'far:7', anchor: 'headroom' });
  });

  test('the record of a finding has its setting, whatever its rule is called', () => {
    const record = { kind: 'configuration', id: 'far:1/FLEET003', switch: 'far', port: 1, setting: 'lossless', message: '', fix: 'enable the same priorities' };
    const evidence = [{ claim: '', switch: 'far', port: 'far:1', epoch: null, records: [record] }] as unknown as Diagnosis['evidence'];
    const loss = diagnosis({ evidence, advice_target: { kind: 'finding', id: 'far:1/FLEET003' } });
    expect(remedy(loss)).toMatchObject({ node: 'far', port: 'far:1', page: 'settings', anchor: 'lossless' });
    expect(wrong(['far:1/FLEET003'])?.anchor).toBe('misconfiguration');
  });

  test('a deadlock is broken at the port that the advice is about, not at the setting that caused it', () => {
    const root_cause = { port: 'near:1', flows: [], host: null, config: ['far/route'] };
    const stuck = remedy(
      diagnosis({ anomaly: 'deadlock_in_loop_contention', loop: ['sw1:1', 'sw2:2'], root_cause, advice_target: { kind: 'port', port: 'sw2:2' } }),
    );
    expect(stuck).toMatchObject({ node: 'sw2', port: 'sw2:2' });
    expect(stuck?.commands[0]?.text).toContain('config interface startup PORT');
  });

  test('without a target the commands are for the root port, else for the last port of the pause path', () => {
    const root_cause = { port: null, flows: [], host: 'h11', config: [] };
    expect(remedy(diagnosis({}))?.port).toBe('sw3:3');
    expect(remedy(diagnosis({ root_cause, pause_path: ['sw1:1', 'sw2:2'] }))?.port).toBe('sw2:2');
    expect(remedy(diagnosis({ root_cause, pause_path: [] }))).toMatchObject({ node: null, port: null });
  });

  test('an anomaly without a page has no remedy', () => {
    expect(remedy(diagnosis({ anomaly: 'of_tomorrow' as Diagnosis['anomaly'] }))).toBeNull();
  });

  test('markdown: lists continue, code and links are marked', () => {
    const [list, paragraph] = parseMarkdown('1. first\n   goes on\n2. `two`\n\nsee [there](x.md#y) or [far](https://x.org/y.md).');
    expect(list?.kind === 'list' && list.items.map(plain)).toEqual(['first goes on', 'two']);
    expect(paragraph).toEqual({
      kind: 'paragraph',
      text: [{ kind: 'text', text: 'see ' }, { kind: 'link', text: 'there', href: '/runbook/x#y' }, { kind: 'text', text: ' or ' }, { kind: 'link', text: 'far', href: 'https://x.org/y.md' }, { kind: 'text', text: '.' }],
    });
  });
});
