import { describe, expect, it } from 'vitest';
import { normaliseDomain, normaliseHost } from './host-name.ts';

describe('normaliseHost', () => {
  it.each([
    ['smtp.Example.com', 'smtp.example.com'],
    ['relay', 'relay'],
    ['my_relay', 'my_relay'],
    ['localhost', 'localhost'],
    ['smtp.example.com.', 'smtp.example.com'],
    [' bücher.example ', 'xn--bcher-kva.example'],
    ['10.0.0.1', '10.0.0.1'],
    ['[::1]', '::1'],
    ['2001:DB8::1', '2001:db8::1'],
  ])('keeps %j as %j', (given, kept) => {
    expect(normaliseHost(given)).toBe(kept);
    expect(normaliseHost(kept)).toBe(kept);
  });

  it.each([
    '',
    '.',
    '-relay',
    'relay-.example',
    'a..b',
    'a b',
    'a/b',
    'host:25',
    '[::1]:25',
    '[example.com]',
    ':::',
    '1.2.3',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '256.1.1.1',
    'user@host',
    'a%2eb',
    'a\0b',
    'a\nb',
    '=?x?q?y?=',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}aa`,
    'a'.repeat(2_000),
  ])('refuses %j', (given) => {
    expect(normaliseHost(given)).toBeUndefined();
  });
});

describe('normaliseDomain', () => {
  it.each(['localhost', 'my_shop.example', '10.0.0.1', 'shop.example.', '[::1]'])('refuses %j', (given) => {
    expect(normaliseDomain(given)).toBeUndefined();
  });
});
