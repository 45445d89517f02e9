import { expect, it } from 'vitest';
import { isHighDelivery } from './tasks/notify-delivery.ts';

it.each([
  [99, 99, false],
  [100, 100, true],
  [98, 100, true],
  [97, 100, false],
  [980, 1_000, true],
  [979, 1_000, false],
  [0, 0, false],
])('%i delivered of %i who were tried: %s', (nbDelivered, tried, expected) => {
  expect(isHighDelivery({ nbDelivered }, tried)).toBe(expected);
});
