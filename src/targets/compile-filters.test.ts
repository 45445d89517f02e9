import { expect, test } from 'vitest';
import { filterSite } from '../testing/filter-site.ts';
import { startOther } from '../testing/turns-of-others.ts';
import { compileFilters } from './filter-site.ts';
import { sqlParser } from './filters/sql-parser.ts';

test('anyone who waits for the process has a turn after each filter, which is compiled once', async () => {
  const parser = await sqlParser();
  const other = startOther();
  const readAtTurn = new Set<number>();
  const site = filterSite({
    sqlParser: {
      ...parser,
      scan(text) {
        readAtTurn.add(other.turns);
        return parser.scan(text);
      },
    },
  });
  const filters = [1, 2, 3, 4].map((idTarget) => ({
    idTarget,
    kind: 'sql',
    isEnabled: true,
    definition: { sql: `fld7 = ${idTarget}` },
  }));
  const compiled = await compileFilters(filters, site);
  other.leave();
  expect([...compiled].map(([filter, { text }]) => [filter.idTarget, text])).toEqual(
    [1, 2, 3, 4].map((n) => [n, `("fld7" = ${n})`]),
  );
  expect(readAtTurn.size).toBe(4);
});
