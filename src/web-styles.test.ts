import { readdirSync, readFileSync } from 'node:fs';
import { parse, type Rule } from 'postcss';
import ts from 'typescript';
import { expect, it } from 'vitest';

/** Folders whose style sheets every screen has from the beginning. */
const everywhere = ['styles', 'shell', 'parts'];

interface SourceFile {
  readonly path: string;
  /** The area, the first folder below `web/src`. */
  readonly folder: string;
  readonly text: string;
}

function filesOf(ending: string): SourceFile[] {
  const paths = readdirSync('web/src', { recursive: true, encoding: 'utf8' });
  return paths
    .filter((path) => path.endsWith(ending))
    .map((path) => ({ path, folder: path.split('/')[0]!, text: readFileSync(`web/src/${path}`, 'utf8') }));
}

/** The selectors of a style sheet, each with its classes. */
function selectorsOf(text: string): { selector: string; classes: string[] }[] {
  const found: { selector: string; classes: string[] }[] = [];
  parse(text).walkRules((rule: Rule) => {
    if (rule.parent?.type === 'atrule' && 'name' in rule.parent && rule.parent.name === 'keyframes') return;
    for (const selector of rule.selectors)
      found.push({ selector, classes: [...selector.matchAll(/\.([\w-]+)/g)].map(([, name]) => name!) });
  });
  return found;
}

/** The classes that a component gives to elements: words of texts in its attributes `className` and `classNames`. */
function classesOf({ path, text }: SourceFile): string[] {
  const found: string[] = [];
  const words = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push(...node.text.split(/\s+/));
    ts.forEachChild(node, words);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxAttribute(node) && /^classNames?$/.test(node.name.getText()) && node.initializer)
      words(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX));
  return found;
}

// A sheet that was loaded for one screen stays, so its rules apply to every screen that is opened afterwards.
it('every rule of a style sheet that one area loads names a class that no other area has', () => {
  const sheets = filesOf('.css').map((file) => ({ ...file, selectors: selectorsOf(file.text) }));
  const folders = new Map<string, Set<string>>();
  const note = (name: string, folder: string) =>
    folders.set(name, (folders.get(name) ?? new Set()).add(folder));
  for (const file of filesOf('.tsx')) for (const name of classesOf(file)) note(name, file.folder);
  const ofAreas = sheets.filter(({ folder }) => !everywhere.includes(folder));
  for (const { folder, selectors } of ofAreas)
    for (const name of selectors.flatMap(({ classes }) => classes)) note(name, folder);
  const isOwn = (name: string, folder: string) => [...folders.get(name)!].every((one) => one === folder);
  const shared = ofAreas.flatMap(({ path, folder, selectors }) =>
    selectors
      .filter(({ classes }) => !classes.some((name) => isOwn(name, folder)))
      .map(({ selector }) => `${path}: ${selector}`),
  );
  expect(ofAreas.length).toBeGreaterThan(10);
  expect(shared).toEqual([]);
});
