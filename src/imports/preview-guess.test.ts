import { describe, expect, it } from 'vitest';
import type { Field } from '../fields/field.ts';
import { guessDelimiter, guessFields, guessHasNames } from './preview-guess.ts';

describe('guessDelimiter', () => {
  it.each([
    [['email;name', 'a@b.c;Ada'], ';'],
    [['email,name', 'a@b.c,"Lovelace; Ada; x"'], ','],
    [['email\tname', 'a@b.c\tAda, Countess'], '\t'],
    [['a|b|c', '1|2|3'], '|'],
    // As often in the first line: the one that the other lines have as well.
    [['name;city, country', 'Ada;London', 'Bo;Paris'], ';'],
    [['email', 'a@b.c'], ';'],
    [[], ';'],
  ])('of %j is %j', (lines, delimiter) => {
    expect(guessDelimiter(lines)).toBe(delimiter);
  });
});

describe('guessHasNames', () => {
  it.each([
    [['email', 'first name'], true],
    [['a@b.c', 'Ada'], false],
    [['id', '2024-01-31'], false],
    [['Ada', '12,5'], false],
    [['email', ''], false],
    [['x', 'X'], false],
    [[], false],
  ])('of %j is %s', (first, hasNames) => {
    expect(guessHasNames(first)).toBe(hasNames);
  });
});

describe('guessFields', () => {
  const fields = [
    [0, 'Identifier'],
    [1, 'Email'],
    [2, 'First subscription'],
    [101, 'Prénom'],
    [102, 'City'],
  ].map(([id, name]) => ({ id, name }) as Field);
  const guess = (...columns: (string | [string, ...string[]])[]) =>
    guessFields(
      columns.map((one) =>
        typeof one === 'string' ? { name: one, values: [] } : { name: one[0], values: one.slice(1) },
      ),
      fields,
    ).map((field) => field?.id);

  it('goes by the name, without accents, case and signs, and by fld and the id', () => {
    expect(guess('E-MAIL', 'prenom', 'fld102', 'other')).toEqual([1, 101, 102, undefined]);
    expect(guess('Adresse e-mail', 'city')).toEqual([1, 102]);
  });

  it('finds the addresses among the values when no name says it', () => {
    expect(guess(['1', 'Ada', 'Bo'], ['2', 'a@b.example', '', 'c@d.example', 'x'])).toEqual([undefined, 1]);
    expect(guess(['1', 'Ada'], ['2', 'x', 'y', 'a@b.example'])).toEqual([undefined, undefined]);
  });

  it('gives no field twice, and none that the service fills itself', () => {
    expect(guess('city', 'City', 'Identifier', 'First subscription')).toEqual([
      102,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
