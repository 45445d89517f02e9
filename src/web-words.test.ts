import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';

const folder = new URL('../web/src/words/fr/', import.meta.url);
/** An ordinary space inside quotation marks, or before a mark of two parts: a line could begin with the mark. */
const breakable = /« | »| [:;!?](?=\s|$)/;

/** The texts of a file: strings and the parts of templates, but not the names of properties. */
function textsOf(name: string, source: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) texts.push(node.text);
    ts.forEachChild(node, (child) => {
      if (!(ts.isPropertyAssignment(node) && child === node.name)) visit(child);
    });
  };
  visit(ts.createSourceFile(name, source, ts.ScriptTarget.Latest));
  return texts;
}

it('French texts have a narrow no-break space inside quotation marks and before marks of two parts', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const found = files.flatMap((name) =>
    textsOf(name, readFileSync(new URL(name, folder), 'utf8'))
      // The characters of a file name that the service refuses.
      .filter((text) => breakable.test(text) && !text.includes('< > " | ? *'))
      .map((text) => `${name}: ${text}`),
  );
  expect(found).toEqual([]);
  expect(textsOf('x.ts', "const x = { 'a : b': `« oui » ${y ? ' : ' : 'Vraiment ?'} : ` }")).toEqual([
    ...['« oui » ', ' : ', 'Vraiment ?', ' : '],
  ]);
});
