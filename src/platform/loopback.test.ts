import { expect, it } from 'vitest';
import { isLoopbackHost } from './loopback.ts';

it.each([
  ['localhost', true],
  ['LOCALHOST', true],
  ['shop.localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['[::1]', true],
  ['localhost.example.com', false],
  ['127.0.0.1.example.com', false],
  ['mylocalhost', false],
  ['10.0.0.1', false],
  ['mail.example.com', false],
  ['::2', false],
])('%s: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
