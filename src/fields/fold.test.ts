import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../platform/db/sql.ts';
import { type TestApp, testApp } from '../testing/app.ts';
import { fold } from './fold.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ operations: [] });
});
afterAll(() => app.close());

const inDatabase = (texts: readonly string[]) =>
  app.db.rows<{ folded: string; isAssigned: boolean }>(sql`
    select facteur.fold(t) as folded, unicode_assigned(t) as "isAssigned"
    from unnest(${texts}::text[]) with ordinality as u(t, i) order by i`);

test('every character is folded as the database folds it', async () => {
  const characters: string[] = [];
  for (let code = 1; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    // Node and PostgreSQL know different versions of Unicode; what one does not know it cannot lower.
    if (!/\p{Cn}|\p{Cs}|\p{Co}/u.test(character)) characters.push(character);
  }
  const expected = await inDatabase(characters);
  const known = characters.filter((_, i) => expected[i]!.isAssigned);
  const different = characters.flatMap((character, i) => {
    const { folded, isAssigned } = expected[i]!;
    return isAssigned && fold(character) !== folded ? [[character, fold(character), folded]] : [];
  });
  expect(different).toEqual([]);
  expect(known.length).toBeGreaterThan(100_000);
});

test.each([
  ['L’Élève de CŒUR', "l'eleve de coeur"],
  ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
  ['e\u0301te', 'ete'],
  ['Ａ％ № ½', 'a% no  1/2'],
  ['', ''],
])('%j is folded to %j, here and in the database', async (text, expected) => {
  expect(fold(text)).toBe(expected);
  expect(await inDatabase([text])).toEqual([expect.objectContaining({ folded: expected })]);
});
