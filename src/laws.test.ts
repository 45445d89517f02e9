import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { operations } from './api.ts';
import { siteTableNames } from './platform/db/site-tables.ts';
import { longTests } from './testing/long-tests.ts';
import {
  cycles,
  lineOf,
  neededBy,
  ofNodes,
  readBesideSources,
  readSources,
  type SourceFile,
} from './testing/source-tree.ts';

/** A document of the repository: its path from the root, its text without blocks of code. */
interface Document {
  readonly path: string;
  readonly prose: string;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folders = ['.', 'bench', 'docs', 'docs/decisions', 'src/sending'];

/** Everything that people read beside the code. */
function readDocuments(): Document[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => {
        const path = normalize(join(folder, name));
        return { path, prose: readFileSync(join(root, path), 'utf8').replace(/^ *```.*?^ *```/gms, '') };
      }),
  );
}

/** The links of a document to files that do not exist, and to headings that another document does not have. */
function deadLinks(document: Document, all: readonly Document[]): string[] {
  const links = [...document.prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', heading] = link.split('#');
    const path = file === '' ? document.path : normalize(join(dirname(document.path), file));
    if (!existsSync(join(root, path))) return true;
    return heading !== undefined && !headingsOf(all.find((one) => one.path === path)).includes(heading);
  });
}

/** The tests that a document names, and that are neither there below its own folder, `src` or the root. */
function missingTests({ path, prose }: Document): string[] {
  const tests = [...prose.matchAll(/`([\w./-]+\.test\.ts)`/g)].map((match) => match[1]!);
  return tests.filter((test) => ![dirname(path), 'src', ''].some((at) => existsSync(join(root, at, test))));
}

/** Headings as links name them: in lower case, without marks, with - for spaces. */
function headingsOf(document: Document | undefined): string[] {
  const headings = [...(document?.prose ?? '').matchAll(/^#+ (.*)$/gm)].map((match) => match[1]!);
  return headings.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The house rules of ARCHITECTURE.md, read off the tree. A law is changed by a decision record, not here alone. */
const slices = [
  'installation',
  'accounts',
  'files',
  'fields',
  'subscribers',
  'activity',
  'contents',
  'pictures',
  'mail',
  'targets',
  'campaigns',
  'alerts',
  'sending',
  'tracking',
  'bounces',
  'statistics',
  'invoices',
  'imports',
  'exports',
  'events',
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
/** Words that were replaced by the field's own (GLOSSARY.md): no file and no exported name has one. */
const retiredWords = [
  'aside',
  'door',
  'doubtful',
  'gate',
  'gates',
  'lane',
  'lanes',
  'nudge',
  'overtaken',
  'placing',
  'placings',
  'purse',
  'standing',
  'turns',
];
const maxFileLines = 600;
const maxFunctionLines = 70;
/** A stranger reads the engine and all around it, in the order of its README. */
const maxSendingFiles = 60;
const maxLineLength = 120;

/** Statements that write a table of another slice, by table. */
const otherWriters: Readonly<Record<string, string>> = {
  // A field is a column of it. Its rows are written by `subscribers` alone.
  subscriber: 'alter table in fields/field-store.ts',
};
/** Node's modules that do nothing but compute, for noun files. */
const pureModules = ['node:buffer', 'node:crypto', 'node:path', 'node:stream', 'node:url', 'node:util'];
/** Folders of parts that one file at the top of their slice puts together: no one else could use them. */
const innerFolders = [
  // The formats of sending providers, for the handler of webhooks.
  'bounces/webhooks',
  // The format of workbooks, for the reader of tables.
  'files/xlsx',
  // The kinds of filters and the places that they name, for the selection of targets.
  'targets/filters',
  'targets/places',
];
/** Files whose import does something. */
const effectful = [
  // The program.
  'main.ts',
  // pg keeps how types are read for the whole process, and no pool is made but through this file.
  'platform/db/database.ts',
];

const files = readSources();
const shipped = files.filter((file) => !file.isTest && file.slice !== 'testing');

/** The slices that write each table. */
const writers = new Map<string, Set<string>>();
for (const { path, slice, tree } of shipped)
  for (const { table, how } of writesOf(tree))
    if (otherWriters[table] !== `${how} in ${path}`)
      writers.set(table, (writers.get(table) ?? new Set()).add(slice || path));
/** The slice that each table belongs to: the one that writes it. A view has none, and any slice may read it. */
const owners = new Map([
  ...[...writers].map(([table, by]) => [table, [...by][0]!] as const),
  // The platform finds sites; the columns of subscribers are fields.
  ['site', 'platform'] as const,
  ['subscriber', 'fields'] as const,
]);

function breaches(of: readonly SourceFile[], look: (file: SourceFile) => readonly string[]): string[] {
  return of.flatMap((file) => look(file).map((what) => `${file.path}: ${what}`));
}

describe('the laws of the house', () => {
  it('read the whole tree', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.some((file) => file.imports.length > 0)).toBe(true);
  });

  it('1: platform imports no slice; a slice imports only the top-level files of slices before it', () => {
    const found = breaches(shipped, ({ slice, imports }) =>
      imports.flatMap((target) => forbiddenImport(slice, target) ?? []),
    );
    expect(found).toEqual([]);
  });

  it('1: nobody but operations.ts imports an operation', () => {
    const found = breaches(shipped, ({ path, imports }) =>
      imports.filter((target) => /^\w+\/api\//.test(target) && !path.endsWith('operations.ts')),
    );
    expect(found).toEqual([]);
  });

  it('1: the top level of a slice imports none of its folders, and these import each other in one direction', () => {
    const folderOf = (path: string) => path.split('/').slice(0, -1).join('/');
    const edges = shipped
      .filter(({ path, slice }) => slices.includes(slice) && !path.endsWith('/operations.ts'))
      .flatMap(({ path, slice, imports }) =>
        imports
          .filter((target) => folderOf(target).startsWith(`${slice}/`) && folderOf(target) !== folderOf(path))
          .map((target) => ({ path, from: folderOf(path), target, to: folderOf(target) })),
      );
    const upward = edges.filter(({ from, to }) => !from.includes('/') && !innerFolders.includes(to));
    expect(upward.map(({ path, target }) => `${path}: imports ${target}`)).toEqual([]);
    const folders = [...new Set(edges.map(({ to }) => to))].map((path) => ({
      path,
      imports: edges.filter(({ from }) => from === path).map(({ to }) => to),
    }));
    expect(folders.length).toBeGreaterThan(5);
    expect(cycles(folders)).toEqual([]);
  });

  it('1: every folder of src is a slice, platform, cli, testing or demo', () => {
    const folders = new Set(files.map((file) => file.slice).filter(Boolean));
    expect(
      [...folders].filter((name) => ![...slices, 'platform', 'cli', 'testing', 'demo'].includes(name)),
    ).toEqual([]);
  });

  it('3: no cycles', () => {
    expect(cycles(shipped)).toEqual([]);
  });

  it('2: a table has one slice that writes it', () => {
    expect(siteTableNames.filter((name) => writers.has(name)).length).toBeGreaterThan(40);
    const shared = [...writers].filter(([, by]) => by.size > 1);
    expect(shared.map(([table, by]) => `${table}: ${[...by].join(', ')}`)).toEqual([]);
  });

  it('2: a slice reads tables of its own and of slices before it', () => {
    const order = ['platform', ...slices];
    const found = breaches(shipped, ({ slice, tree }) =>
      tablesOf(tree).flatMap((table) => {
        const owner = order.indexOf(owners.get(table) ?? '');
        return order.includes(slice) && owner > order.indexOf(slice) ? [`${table} of ${order[owner]}`] : [];
      }),
    );
    expect(found).toEqual([]);
  });

  it('2: a noun that has a store is pure, with all that it needs', () => {
    const byPath = new Map(shipped.map((file) => [file.path, file]));
    const nouns = shipped.filter(({ path }) => byPath.has(path.replace(/\.ts$/, '-store.ts')));
    expect(nouns.length).toBeGreaterThan(20);
    const needed = new Set(nouns);
    // A set continues to what is added while it is walked.
    for (const file of needed)
      for (const { module } of neededBy(file)) if (byPath.has(module)) needed.add(byPath.get(module)!);
    expect(breaches([...needed], impurities)).toEqual([]);
  });

  it('3: no barrels or default exports', () => {
    const found = breaches(shipped, ({ text, tree }) => [
      ...(/\bexport default\b/.test(text) ? ['default export'] : []),
      ...(isBarrel(tree) ? ['only re-exports'] : []),
    ]);
    expect(found).toEqual([]);
  });

  it('3: nobody but config.ts reads the environment', () => {
    const readers = shipped.filter(({ path }) => path !== 'config.ts');
    expect(breaches(readers, ({ tree }) => ofNodes(tree, environmentOf))).toEqual([]);
  });

  it('3: an import does nothing', () => {
    const found = breaches(
      shipped.filter(({ path }) => !effectful.includes(path)),
      effectsOf,
    );
    expect(found).toEqual([]);
  });

  it('3: a cast that the compiler cannot check says why', () => {
    const found = breaches(shipped, ({ tree, text }) => {
      const lines = text.split('\n');
      return ofNodes(tree, (node) => {
        if (!isBlindCast(node)) return undefined;
        const line = lineOf(tree, node);
        const isExplained = lines.slice(Math.max(0, line - 3), line).some((one) => /\/\/|\*\//.test(one));
        return isExplained ? undefined : node.getText(tree);
      });
    });
    expect(found).toEqual([]);
  });

  it('3: no any', () => {
    const found = breaches(files, ({ tree }) =>
      ofNodes(tree, (node) => (node.kind === ts.SyntaxKind.AnyKeyword ? 'any' : undefined)),
    );
    expect(found).toEqual([]);
  });

  it('6: files, functions and lines keep their sizes', () => {
    const found = breaches(files, ({ text, tree, isTest }) => {
      const lines = text.split('\n');
      return [
        ...(!isTest && lines.length > maxFileLines + 1 ? [`${lines.length} lines`] : []),
        ...lines.flatMap((line, i) =>
          line.length > maxLineLength ? [`line ${i + 1} has ${line.length} characters`] : [],
        ),
        ...(isTest ? [] : longFunctions(tree)),
      ];
    });
    expect(found).toEqual([]);
  });

  it('6: sending has no more files than a stranger can read', () => {
    expect(shipped.filter(({ slice }) => slice === 'sending').length).toBeLessThanOrEqual(maxSendingFiles);
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

  it('6: retired words are in no name of a file and in no exported name', () => {
    const found = breaches(shipped, ({ path, tree }) => {
      const [file = '', ...folders] = path.split('/').toReversed();
      return [
        // Background work is a task; a job is a campaign's run.
        ...folders.filter((name) => name === 'jobs'),
        ...[file.replace(/\.ts$/, ''), ...exportedNames(tree)].filter((name) =>
          kebab(name)
            .split('-')
            .some((word) => retiredWords.includes(word)),
        ),
      ];
    });
    expect(found).toEqual([]);
  });

  it('6: an operation has a file that is named after it and exports it, with a test beside it', async () => {
    const found: string[] = [];
    const ofOperations = new Set<string>();
    for (const operation of operations) {
      const { path, name } = placeOf(operation.id);
      ofOperations.add(path);
      if (!files.some((file) => file.path === path.replace(/\.ts$/, '.test.ts')))
        found.push(`${path}: no test beside it`);
      const exported: Readonly<Record<string, unknown>> = await import(/* @vite-ignore */ `./${path}`);
      if (exported[name] === undefined) found.push(`${path}: does not export ${name}`);
      if (name === operation.id && exported[name] !== operation)
        found.push(`${path}: exports another ${name}`);
    }
    const others = shipped.filter(({ path }) => path.includes('/api/') && !ofOperations.has(path));
    expect([...found, ...others.map(({ path }) => `${path}: no operation`)]).toEqual([]);
  });

  it('8: tests wait for what must be true, not for a time; no mocks, no skips of their own', () => {
    const found = breaches(
      files.filter((file) => file.isTest && file.path !== 'laws.test.ts'),
      ({ text }) =>
        [
          /\bsetTimeout\(/,
          /timers\/promises/,
          /Atomics\.wait/,
          /\bvi\.(do)?mock\(/i,
          /\.(skip|skipIf|only|todo)\(/,
        ]
          .filter((one) => one.test(text))
          .map(String),
    );
    expect(found).toEqual([]);
  });

  it('10: what CI runs is what `npm run check` runs', () => {
    const { scripts } = JSON.parse(readBesideSources('package.json')) as { scripts: { check: string } };
    const ci = readBesideSources('.ci/run');
    const [, steps = ''] = /^for step in (.+); do$/m.exec(ci) ?? [];
    const run = [...steps.split(' ').map((step) => `npm run check:${step}`), 'npm run test:all'];
    expect(run.toSorted()).toEqual(scripts.check.split(' && ').toSorted());
    expect(ci).toMatch(/^ {2}npm run --silent "check:\$step" \|\| failed=1$/m);
    // In CI each test runs once: `npm test`, then the long ones.
    expect(ci).toMatch(/^npm test -- /m);
    expect(ci).toMatch(/^npm run test:long -- /m);
  });

  it('10: the long tests exist, and every other file is in `npm test`', () => {
    const tests = files.filter((file) => file.isTest).map(({ path }) => `src/${path}`);
    expect(longTests.filter((pattern) => !tests.some((path) => matchesGlob(path, pattern)))).toEqual([]);
    const isLong = (path: string) => longTests.some((pattern) => matchesGlob(path, pattern));
    expect(tests.filter(isLong).length).toBeLessThan(tests.length / 5);
  });

  it('11: links lead somewhere, and the tests that documents name are there', () => {
    const documents = readDocuments();
    const found = documents.flatMap((one) => deadLinks(one, documents).map((link) => `${one.path}: ${link}`));
    expect(found.concat(documents.flatMap(missingTests))).toEqual([]);
  });
});

/** Why a file may not import `target`, if so. Files directly below src, and the command line, may import any slice. */
function forbiddenImport(slice: string, target: string): string | undefined {
  const other = target.includes('/') ? target.split('/')[0]! : '';
  if (other === slice) return undefined;
  // These know the type of the settings. The demo is a user's program and uses the public interfaces only.
  if (target === 'config.ts' && ['platform', 'installation', 'demo'].includes(slice)) return undefined;
  // The names of made-up people, which import nothing themselves: sample data is made of the demo's.
  if (slice === 'subscribers' && ['demo/people.ts', 'demo/random.ts'].includes(target)) return undefined;
  if (slice === 'platform' || slice === 'demo') return `imports ${target}`;
  const isProgram = slice === '' || slice === 'cli';
  if (other === 'platform' || (isProgram && other !== 'testing')) return undefined;
  if (!slices.includes(other)) return `imports ${target}`;
  if (slices.indexOf(other) > slices.indexOf(slice)) return `${slice} comes before ${other} (${target})`;
  const [, folder] = /^(\w+\/.+)\//.exec(target) ?? [];
  if (target === `${other}/operations.ts`) return `only api.ts imports ${target}`;
  return folder === undefined ? undefined : `only the slice itself imports ${target}`;
}

/** Tables that the statements of a file write. A table that a variable names counts as a table of that name. */
function writesOf(tree: ts.SourceFile): { readonly table: string; readonly how: string }[] {
  const found: { table: string; how: string }[] = [];
  const write =
    /\b(insert into|(?<!\b(?:for|key|do) )update|delete from|merge into|truncate|alter table) (\$\{[^}]+\}|[a-z_.]+)/g;
  ofNodes(tree, (node) => {
    if (!ts.isTaggedTemplateExpression(node) || node.tag.getText(tree) !== 'sql') return undefined;
    const text = node.template.getText(tree).replaceAll(/--.*/g, '').replaceAll(/\s+/g, ' ');
    for (const [, how, named] of text.matchAll(write))
      found.push({
        how: how!,
        table: named!.replace(/^\$\{(.*\bt\.)?(\w+)\}$/, '$2').replace(/^facteur\./, ''),
      });
    return undefined;
  });
  return found;
}

/** The tables that the statements of a file name, in the text (`facteur.site`) or by a handle (`db.t.job`). */
function tablesOf(tree: ts.SourceFile): string[] {
  const found = new Set<string>();
  ofNodes(tree, (node) => {
    const isHandle =
      ts.isPropertyAccessExpression(node) &&
      (ts.isPropertyAccessExpression(node.expression)
        ? node.expression.name.text
        : node.expression.getText(tree)) === 't';
    if (isHandle) found.add(node.name.text);
    const isText = ts.isTemplateLiteralToken(node) || ts.isStringLiteral(node);
    if (isText) for (const [, name] of node.text.matchAll(/\bfacteur\.(\w+)/g)) found.add(name!);
    return undefined;
  });
  return [...found];
}

/** Why a file is not pure: stores, I/O, the clock. */
function impurities(file: SourceFile): string[] {
  const needs = neededBy(file).flatMap(({ module, names }) => {
    const isIo =
      /^pg\b|-store\.ts$/.test(module) ||
      (module.startsWith('platform/db/') && module !== 'platform/db/sql.ts') ||
      (module.startsWith('node:') && !pureModules.includes(module));
    // Whether a text is an address is only computed.
    const isOfTexts = module === 'node:net' && names.every((name) => /^isIP(v[46])?$/.test(name));
    return isIo && !isOfTexts ? [`needs ${module}`] : [];
  });
  const clock = /^(Date\.now|performance\.now|Temporal\.Now\.\w+)\(|^new Date(\(\))?$/;
  const asks = ofNodes(file.tree, (node) => {
    const isCall = ts.isCallExpression(node) || ts.isNewExpression(node);
    const text = isCall ? node.getText(file.tree) : '';
    return clock.test(text) ? text : undefined;
  });
  return [...needs, ...asks];
}

/** `process` for anything but a member that is named and is not `env`; or a module that gives it. */
function environmentOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) && /^(node:)?process$/.test(node.text) && ts.isImportDeclaration(node.parent))
    return `imports ${node.text}`;
  if (!ts.isIdentifier(node) || node.text !== 'process') return undefined;
  const { parent } = node;
  if (!ts.isPropertyAccessExpression(parent)) return `process as a value`;
  if (parent.name === node)
    return ts.isIdentifier(parent.expression) && parent.expression.text === 'globalThis'
      ? 'globalThis.process'
      : undefined;
  return parent.name.text === 'env' ? 'process.env' : undefined;
}

/** Statements at the top of a file that do something, and calls there that ask the world. */
function effectsOf({ tree }: SourceFile): string[] {
  const isDeclaring = (one: ts.Statement) =>
    ts.isImportDeclaration(one) ||
    ts.isExportDeclaration(one) ||
    ts.isVariableStatement(one) ||
    ts.isDeclarationStatement(one);
  const doing = tree.statements
    .filter((one) => !isDeclaring(one))
    .map((one) => `does something in line ${lineOf(tree, one)}`);
  const world =
    /^(await\b|process\.|\w+Sync\(|(fetch|spawn|setTimeout|setInterval|random\w+|Math\.random)\(|new Date$)/;
  const now = /^((Date|performance)\.now|new Date)\(\)$/;
  const asking = ofNodes(
    tree,
    (node) => {
      const isCall = ts.isCallExpression(node) || ts.isNewExpression(node) || ts.isAwaitExpression(node);
      const text = isCall ? node.getText(tree) : '';
      return world.test(text) || now.test(text) ? 'asks the world' : undefined;
    },
    (node) => !ts.isFunctionLike(node) && !isMadeLater(node),
  );
  return [...doing, ...asking];
}

/** A member of instances: set when one is made, not when the class is. */
function isMadeLater(node: ts.Node): boolean {
  const modifiers = ts.isPropertyDeclaration(node) ? (node.modifiers ?? []) : undefined;
  return modifiers !== undefined && !modifiers.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
}

/** `as never`, `as unknown as X`: nothing is left that the compiler could compare. */
function isBlindCast(node: ts.Node): boolean {
  if (!ts.isAsExpression(node)) return false;
  return node.type.kind === ts.SyntaxKind.NeverKeyword || ts.isAsExpression(node.expression);
}

/** The file of an operation and what that exports: the operation, or the kind of filter that two are made of. */
function placeOf(id: string): { readonly path: string; readonly name: string } {
  const [, kind] = /^[gs]et(\w+)Filter$/.exec(id) ?? [];
  if (kind !== undefined) {
    const name = `${kind.slice(0, 1).toLowerCase()}${kind.slice(1)}Filter`;
    return { path: `targets/filters/${kebab(name)}.ts`, name };
  }
  const found = shipped.filter(({ path }) => path.endsWith(`/api/${kebab(id)}.ts`));
  return { path: found.length === 1 ? found[0]!.path : `api/${kebab(id)}.ts`, name: id };
}

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The names that a file declares and exports. */
function exportedNames(tree: ts.SourceFile): string[] {
  return tree.statements.flatMap((one) => {
    const isExported =
      ts.canHaveModifiers(one) &&
      (ts.getModifiers(one) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return [];
    if (ts.isVariableStatement(one))
      return one.declarationList.declarations.map(({ name }) => name.getText(tree));
    return ts.isDeclarationStatement(one) && one.name ? [one.name.getText(tree)] : [];
  });
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
