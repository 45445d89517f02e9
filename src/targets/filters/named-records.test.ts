import { expect, test } from 'vitest';
import { distinctIds, maxNamed, parseIds } from './named-records.ts';

const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

test('a filter names so many records and no more, each counted once', () => {
  expect(maxNamed).toBe(100);
  expect(distinctIds([...ids(100), ...ids(100)], 'idsThematics')).toEqual(ids(100));
  expect(parseIds(ids(100).join(';'), 'idSentList')).toEqual(ids(100));
  const refused = expect.objectContaining({ status: 400, message: 'idSentList: accepts at most 100 ids' });
  expect(() => parseIds(ids(101).join(';'), 'idSentList')).toThrow(refused);
});
