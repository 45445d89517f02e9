import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A file of `src`, as the tests of the house rules look at it. */
export interface SourceFile {
  /** Path below src, e.g. `targets/api/get-target.ts`. */
  readonly path: string;
  /** Empty for a file directly below src. */
  readonly slice: string;
  readonly isTest: boolean;
  readonly text: string;
  readonly tree: ts.SourceFile;
  /** Paths below src that it imports, type imports included. */
  readonly imports: readonly string[];
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Every TypeScript file of `src`. */
export function readSources(): SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map(readSource);
}

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

/** A file beside the folder `src`, e.g. `package.json`. */
export function readBesideSources(path: string): string {
  return readFileSync(join(root, '..', path), 'utf8');
}

/** Results of `look` for each node, in the order of the text; `into` decides whether to look inside one. */
export function ofNodes(
  tree: ts.SourceFile,
  look: (node: ts.Node) => string | undefined,
  into: (node: ts.Node) => boolean = () => true,
): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const what = look(node);
    if (what !== undefined) found.push(`${what} in line ${lineOf(tree, node)}`);
    if (into(node)) ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

export function lineOf(tree: ts.SourceFile, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

const moduleOf = (path: string, text: string) =>
  text.startsWith('.') ? normalize(join(dirname(path), text)) : text;

/** Dependencies of a file when it runs: modules and, as paths below src, files. Imports of types alone are omitted. */
export function neededBy({ path, tree }: SourceFile): { module: string; names: readonly string[] }[] {
  return tree.statements.flatMap((one) => {
    if (ts.isExportDeclaration(one) && one.moduleSpecifier && ts.isStringLiteral(one.moduleSpecifier))
      return one.isTypeOnly ? [] : [{ module: moduleOf(path, one.moduleSpecifier.text), names: ['*'] }];
    if (!ts.isImportDeclaration(one) || !ts.isStringLiteral(one.moduleSpecifier)) return [];
    const bindings = one.importClause?.namedBindings;
    const named = bindings && ts.isNamedImports(bindings) ? bindings.elements : undefined;
    const names = named?.filter((name) => !name.isTypeOnly).map((name) => name.name.text) ?? ['*'];
    const isOfTypes = one.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    if (isOfTypes || names.length === 0) return [];
    return [{ module: moduleOf(path, one.moduleSpecifier.text), names }];
  });
}

/** Import cycles, each as `a > b > a`; imports of types alone count too, because they also tie files together. */
export function cycles(of: readonly Pick<SourceFile, 'path' | 'imports'>[]): string[] {
  const byPath = new Map(of.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) found.push([...trail.slice(at), path].join(' > '));
    if (at >= 0 || done.has(path)) return;
    for (const next of byPath.get(path)?.imports ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of of) walk(path, []);
  return found;
}
