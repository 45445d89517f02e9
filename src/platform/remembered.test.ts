import { expect, test } from 'vitest';
import { remembered } from './remembered.ts';

test('makes its value once for each object, even when it is undefined', () => {
  const made: object[] = [];
  const make = remembered((key: { readonly value?: number }) => {
    made.push(key);
    return key.value;
  });
  const [one, same, none] = [{ value: 1 }, { value: 1 }, {}];
  expect([make(one), make(same), make(none), make(one), make(none)]).toEqual([1, 1, undefined, 1, undefined]);
  expect(made).toEqual([one, same, none]);
});
