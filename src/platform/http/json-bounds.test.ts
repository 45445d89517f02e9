import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonExcess, maxContainers, maxDepth, maxMembers } from './json-bounds.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const members = (n: number) => `{${Array.from({ length: n }, (_, i) => `"m${i}":1`).join()}}`;

describe('jsonExcess', () => {
  it.each([
    ['levels', nested(maxDepth), nested(maxDepth + 1), /nests deeper than 64/],
    ['levels of objects', '{"a":'.repeat(maxDepth), '{"a":'.repeat(maxDepth + 1), /nests deeper/],
    ['members', members(maxMembers), members(maxMembers + 1), /more than 1000 members/],
    ['members inside', `[{"a":${members(maxMembers)}}]`, `[{"a":${members(maxMembers + 1)}}]`, /members/],
    [
      'objects',
      `[${'{},'.repeat(maxContainers - 2)}{}]`,
      `[${'{},'.repeat(maxContainers - 1)}{}]`,
      /more than 500000 objects/,
    ],
  ])('finds too many %s, and only those', (_what, most, more, excess) => {
    expect(jsonExcess(most)).toBeUndefined();
    expect(jsonExcess(more)).toMatch(excess);
  });

  it.each([
    ['brackets in a string', `["${'['.repeat(100)}"]`],
    ['brackets behind an escaped quote', `["\\"${'['.repeat(100)}"]`],
    ['an escaped backslash at a string’s end', `[${'"\\\\",'.repeat(100)}""]`],
    ['commas in strings and arrays of an object', `{"${','.repeat(2_000)}":[${'1,'.repeat(2_000)}1]}`],
    ['many objects side by side', `[${'{"a":1,"b":[2]},'.repeat(2_000)}1]`],
    ['ends without beginnings', `${']'.repeat(100)}${'['.repeat(100)}`],
    ['a string without an end', `["${'['.repeat(100)}`],
    ['a text that ends in a backslash', '"\\'],
    ['nothing', ''],
  ])('lets %s through', (_what, text) => {
    expect(jsonExcess(text)).toBeUndefined();
  });

  it('agrees with a count over what the parser made', () => {
    const inside = fc.tuple(fc.json(), fc.integer({ min: 55, max: 70 }), fc.boolean(), fc.boolean());
    const drawn = inside.map(([text, depth, isObject, hasBefore]) => {
      const [begin, end] = isObject
        ? [hasBefore ? '{"[":0,"b":' : '{"\\"{":', '}']
        : [hasBefore ? '["]",' : '[', ']'];
      return begin.repeat(depth) + text + end.repeat(depth);
    });
    fc.assert(
      fc.property(drawn, (text) => {
        expect(jsonExcess(text) !== undefined).toBe(depthOf(JSON.parse(text)) > maxDepth);
      }),
    );
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
