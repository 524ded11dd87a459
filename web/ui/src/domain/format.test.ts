import { describe, expect, test } from 'vitest';
import { anomalyName, bytes, causeName, clock, count, duration, natural, percent, plural, rate, sentence, weight } from './format';

describe('format', () => {
  test.each([
    [clock(2_010_900_059), '2.010900 s'],
    [clock(1.7e18), '2023-11-14 22:13:20.000'],
    [duration(0), '0 ns'],
    [duration(9_072), '9.07 µs'],
    [duration(17_115_000), '17.1 ms'],
    [bytes(999), '999 B'],
    [bytes(5_120), '5.12 kB'],
    [rate(1e11), '100 Gb/s'],
    [percent(0), '0 %'],
    [percent(0.004), '<1 %'],
    [percent(0.996), '>99 %'],
    [percent(0.97), '97 %'],
    [percent(1), '100 %'],
    [count(525084), '525\u2009084'],
    [weight(-75.9), '\u221275.9'],
    [weight(1848), '1\u2009848'],
    [weight(0.25), '0.25'],
    [plural(1, 'flow'), '1 flow'],
    [plural(4, 'flow'), '4 flows'],
    [anomalyName('pfc_storm_host_injection'), 'Pause storm of a host'],
    [anomalyName('something_new'), 'Something new'],
    [causeName('ecmp_imbalance'), 'ECMP imbalance'],
    [causeName('undetermined'), 'Cause undetermined'],
    [causeName('low_rate_attack'), 'Low-rate attack'],
    [causeName('go_back_n_waste'), 'Go-back-N waste'],
    [sentence('take host h11 out of service'), 'Take host h11 out of service'],
    [sentence('sw1:2 has no route'), 'sw1:2 has no route'],
  ])('%s', (actual, expected) => expect(actual).toBe(expected));

  test('names are compared in natural order', () => {
    expect(['h10', 'h2', 'h1'].sort(natural)).toEqual(['h1', 'h2', 'h10']);
  });
});
