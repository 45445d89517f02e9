import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** The house rules of ARCHITECTURE.md, read off the tree. A law is changed by a decision record, not here alone. */
const slices = [
  'accounts',
  'files',
  'fields',
  'subscribers',
  'activity',
  'contents',
  'pictures',
  'targets',
  'campaigns',
  'sending',
  'tracking',
  'bounces',
  'statistics',
  'imports',
  'exports',
];
const bannedNames = [
  'utils',
  'helpers',
  'common',
  'misc',
  'types',
  'manager',
  'service',
  'controller',
  'base',
  'index',
];
const maxFileLines = 400;
const maxFunctionLines = 70;
const maxLineLength = 120;

interface SourceFile {
  /** Path below src, e.g. `targets/api/get-target.ts`. */
  readonly path: string;
  readonly slice: string;
  readonly isTest: boolean;
  readonly text: string;
  readonly tree: ts.SourceFile;
  /** Paths below src that it imports, type imports included. */
  readonly imports: readonly string[];
}

const root = dirname(fileURLToPath(import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map(readSource);
const shipped = files.filter((file) => !file.isTest && file.slice !== 'testing');

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const imports = ts
    .preProcessFile(text, true, true)
    .importedFiles.map((file) => file.fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(path), name)));
  const slice = path.includes('/') ? path.split('/')[0]! : '';
  return { path, slice, isTest: path.endsWith('.test.ts'), text, tree, imports };
}

function breaches(of: readonly SourceFile[], look: (file: SourceFile) => readonly string[]): string[] {
  return of.flatMap((file) => look(file).map((what) => `${file.path}: ${what}`));
}

describe('the laws of the house', () => {
  it('read the whole tree', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.some((file) => file.imports.length > 0)).toBe(true);
  });

  it('1: platform imports no slice; a slice imports only nouns and stores of slices before it', () => {
    const found = breaches(shipped, ({ slice, imports }) =>
      imports.flatMap((target) => forbiddenImport(slice, target) ?? []),
    );
    expect(found).toEqual([]);
  });

  it('1: nobody but operations.ts imports an operation', () => {
    const found = breaches(shipped, ({ path, imports }) =>
      imports.filter(
        (target) =>
          /^\w+\/api\//.test(target) && !path.endsWith('operations.ts') && dirname(path) !== dirname(target),
      ),
    );
    expect(found).toEqual([]);
  });

  it('1: every folder of src is a slice, platform, testing or the demo', () => {
    const folders = new Set(files.map((file) => file.slice).filter(Boolean));
    expect([...folders].filter((name) => ![...slices, 'platform', 'testing', 'demo'].includes(name))).toEqual(
      [],
    );
  });

  it('3: no cycles', () => {
    expect(cycles(shipped)).toEqual([]);
  });

  it('3: no barrels, default exports or process.env outside config.ts', () => {
    const found = breaches(shipped, ({ path, text, tree, slice }) => [
      ...(/\bexport default\b/.test(text) ? ['default export'] : []),
      ...(/\bprocess\.env\b/.test(text) && path !== 'config.ts' && slice !== 'testing'
        ? ['process.env']
        : []),
      ...(isBarrel(tree) ? ['only re-exports'] : []),
    ]);
    expect(found).toEqual([]);
  });

  it('3: no any', () => {
    const found = breaches(files, ({ tree }) => {
      const lines: string[] = [];
      const visit = (node: ts.Node): void => {
        if (node.kind === ts.SyntaxKind.AnyKeyword) lines.push(`any in line ${lineOf(tree, node)}`);
        ts.forEachChild(node, visit);
      };
      visit(tree);
      return lines;
    });
    expect(found).toEqual([]);
  });

  it('6: files, functions and lines keep their sizes', () => {
    const found = breaches(files, ({ text, tree, isTest }) => {
      const lines = text.split('\n');
      return [
        ...(lines.length > maxFileLines + 1 ? [`${lines.length} lines`] : []),
        ...lines.flatMap((line, i) =>
          line.length > maxLineLength ? [`line ${i + 1} has ${line.length} characters`] : [],
        ),
        ...(isTest ? [] : longFunctions(tree)),
      ];
    });
    expect(found).toEqual([]);
  });

  it('6: names are kebab-case and say something', () => {
    const found = breaches(files, ({ path }) => {
      const name = path
        .split('/')
        .at(-1)!
        .replace(/(\.[a-z]+)*\.ts$/, '');
      return [
        ...(/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ? [] : ['not kebab-case']),
        ...(bannedNames.includes(name) ? ['a name that says nothing'] : []),
      ];
    });
    expect(found).toEqual([]);
  });

  it('6: an operation file is named after its operation and has a test beside it', () => {
    const paths = new Set(files.map((file) => file.path));
    const found = breaches(
      shipped.filter((file) => file.path.includes('/api/')),
      ({ path, text }) => {
        const ids = [...text.matchAll(/^\s+id: '(\w+)',$/gm)].map((match) => match[1]!);
        if (ids.length === 0) return [];
        const name = path.split('/').at(-1)!.replace(/\.ts$/, '');
        const kebab = ids[0]!.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
        return [
          ...(kebab === name ? [] : [`declares ${ids[0]}`]),
          ...(paths.has(path.replace(/\.ts$/, '.test.ts')) ? [] : ['no test beside it']),
        ];
      },
    );
    expect(found).toEqual([]);
  });
});

/** Why a file of `slice` may not import `target`, if so. Files directly below src tie all together and may. */
function forbiddenImport(slice: string, target: string): string | undefined {
  const other = target.includes('/') ? target.split('/')[0]! : '';
  if (other === slice || other === 'platform') return undefined;
  if (slice === 'platform') return other === '' ? undefined : `platform imports ${target}`;
  // The demo is a user's program: it goes through the public interfaces or not at all.
  if (slice === 'demo') return target === 'config.ts' ? undefined : `the demo imports ${target}`;
  if (other === 'testing') return `shipped code imports ${target}`;
  if (slice === '' || other === '') return undefined;
  if (slices.indexOf(other) > slices.indexOf(slice)) return `${slice} comes before ${other} (${target})`;
  return /\/(api|jobs|engine)\//.test(target) ? `only the slice itself imports ${target}` : undefined;
}

function lineOf(tree: ts.SourceFile, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

function isBarrel(tree: ts.SourceFile): boolean {
  return (
    tree.statements.length > 0 &&
    tree.statements.every((one) => ts.isExportDeclaration(one) && one.moduleSpecifier)
  );
}

function longFunctions(tree: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const end = tree.getLineAndCharacterOfPosition(node.end).line + 1;
      const length = end - lineOf(tree, node) + 1;
      if (length > maxFunctionLines)
        found.push(`a function of ${length} lines at line ${lineOf(tree, node)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** Import cycles, each as `a > b > a`; imports of types alone count too, for they also tie files together. */
function cycles(of: readonly SourceFile[]): string[] {
  const byPath = new Map(of.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) found.push([...trail.slice(at), path].map((one) => relative('', one)).join(' > '));
    if (at >= 0 || done.has(path)) return;
    for (const next of byPath.get(path)?.imports ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of of) walk(path, []);
  return found;
}
