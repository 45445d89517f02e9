import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = dirname(fileURLToPath(import.meta.url));
const shipped = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('testing/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const importersOf = (target: string) =>
  shipped
    .filter(({ path, text }) =>
      ts
        .preProcessFile(text, true, true)
        .importedFiles.some(({ fileName }) => normalize(join(dirname(path), fileName)) === target),
    )
    .map(({ path }) => path);
const filesWith = (pattern: RegExp) =>
  shipped.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

// `same-target.test.ts` compares all ways from a target to its subscribers; these laws say that there is no other one.
it('only selection.ts makes a query of a target', () => {
  expect(importersOf('targets/target-query.ts')).toEqual(['targets/selection.ts']);
  expect(filesWith(/filterKindOf\(/)).toContain('targets/filter-site.ts');
  expect(filesWith(/\bcompile\(definition|\bcompile\(\{|\.compile\(definition/).toSorted()).toEqual(
    [...filesOfKinds(), 'targets/filter-site.ts'].toSorted(),
  );
});

it('only selection.ts waits for files, and limits the time of an evaluation', () => {
  expect(importersOf('targets/file-loads.ts').toSorted()).toEqual([
    'targets/current-files.ts',
    'targets/selection.ts',
    // Asks only whether a refusal is `loading`.
    'targets/target-faults.ts',
  ]);
  expect(importersOf('targets/evaluation.ts').toSorted()).toEqual([
    'targets/selection.ts',
    'targets/user-expression.ts',
  ]);
});

it('only filters select subscribers by their activity', () => {
  const others = importersOf('activity/activity-selection.ts').filter(
    (path) => !path.startsWith('targets/filters/'),
  );
  expect(others).toEqual([]);
});

it('only stores of targets read filters', () => {
  const readers = filesWith(/\.target_filter\}/).filter((path) => !/^targets\/[\w-]*store\.ts$/.test(path));
  expect(readers).toEqual([]);
});

/** The files of the kinds of filters, and the operations that try a SQL filter when it is set. */
function filesOfKinds(): string[] {
  return shipped
    .map(({ path }) => path)
    .filter((path) => /^targets\/filters\/(\w|-)+-filter\.ts$/.test(path))
    .concat('targets/filters/filter-kind.ts')
    .toSorted();
}
