import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RowSet } from './row-set.ts';

it('holds what a Set holds', () => {
  const row = fc.oneof(fc.nat(200), fc.integer({ min: 65_500, max: 65_600 }), fc.nat(2 ** 31 - 1));
  fc.assert(
    fc.property(fc.array(row), fc.array(row), (added, asked) => {
      const rows = new RowSet();
      for (const one of added) rows.add(one);
      const model = new Set(added);
      expect(rows.size).toBe(model.size);
      for (const one of [...added, ...asked]) expect(rows.has(one)).toBe(model.has(one));
    }),
  );
});
