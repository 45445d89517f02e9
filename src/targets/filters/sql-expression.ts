import type { Node, ParseResult } from 'libpg-query';
import { columnNameOf, type Field } from '../../fields/field.ts';
import { grammar, pieceName, refusePiece, SqlFault } from './sql-grammar.ts';
import { lastName } from './sql-made-text.ts';
import type { SqlParser } from './sql-parser.ts';
import { refuseTooMuchWork } from './sql-work.ts';

/** Maximum nesting; a tree of this depth stays far below the limit of any stack, ours and the server's. */
const maxDepth = 100;
const maxShown = 120;

/**
 * A Boolean expression over the columns of a subscriber that a user wrote, as SQL of our own making: read by
 * PostgreSQL's parser, checked piece by piece against `grammar`, and printed from the tree. What is printed is read
 * again and has to be the same tree, so a fault of the printer cannot make an expression mean more than was checked.
 * @throws SqlFault naming what may not be used.
 */
export function printedExpression(
  parser: SqlParser,
  text: string,
  fields: ReadonlyMap<number, Field>,
): string {
  // No one types them, and the parser's list of words is broken JSON if one is in a comment or a text.
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text)) throw new SqlFault('control characters may not be used');
  if (/^\s*where\b/i.test(text))
    throw new SqlFault('begins with WHERE; write the condition alone, without WHERE');
  const tree = conditionIn(parse(parser, text));
  for (const { tokenName, text: word } of parser.scan(text)) {
    if (/COMMENT$/.test(tokenName)) throw new SqlFault('a comment may not be used');
    if (word === ';') throw new SqlFault('; may not be used: the filter is one expression');
  }
  const printed = print(tree, text, fields);
  // After the printing, which bounds the depth of the tree.
  refuseAmbiguousDates(tree, fields);
  refuseTooMuchWork(tree, textColumnsOf(fields));
  const again = conditionIn(parse(parser, printed));
  if (JSON.stringify(meaningOf(tree)) !== JSON.stringify(meaningOf(again)))
    throw new Error(`An expression was printed as another one: ${printed}`);
  return printed;
}

function parse(parser: SqlParser, text: string): ParseResult {
  try {
    return parser.parse(`select where ${text}`);
  } catch (error) {
    // A RangeError is the end of our own stack, thousands of levels deep.
    const isTooDeep = error instanceof RangeError;
    throw new SqlFault(isTooDeep ? 'the expression is nested too deeply' : inWords((error as Error).message));
  }
}

/** Messages of PostgreSQL's parser and our words for them, which may end with the place. */
const parserWords: readonly (readonly [RegExp, string])[] = [
  [/^syntax error at or near /, 'unexpected '],
  [/^syntax error at end of input$/, 'the expression ends too early'],
  [/^unterminated (?:quoted|dollar-quoted) string at or near /, 'a text has no closing quote: '],
  [/^unterminated quoted identifier at or near /, 'a name in quotes is not closed: '],
  [/^unterminated \/\* comment at or near /, 'a comment is not closed: '],
  [/^zero-length delimited identifier at or near /, 'a name is empty: '],
  [/^trailing junk after (?:numeric literal|parameter) at or near /, 'a number contains other characters: '],
  [/^invalid (?:hexadecimal|octal|binary) integer at or near /, 'a number is not complete: '],
  [/^improper use of "\*" at or near /, '* may not be used before '],
  [
    /^invalid Unicode escape/,
    'a character is written as \\u with other than 4 digits, or \\U with other than 8: ',
  ],
];

function inWords(message: string): string {
  const known = parserWords.find(([words]) => words.test(message));
  if (!known) return 'this is not an expression';
  return message
    .replace(...known)
    .replace(/: $/, '')
    .slice(0, maxShown);
}

const statementMembers: ReadonlySet<string> = new Set(['whereClause', 'limitOption', 'op']);

function conditionIn({ stmts = [] }: ParseResult): Node {
  if (stmts.length !== 1) throw new SqlFault('; may not be used: the filter is one expression');
  const [statement] = stmts;
  const select = statement?.stmt && 'SelectStmt' in statement.stmt ? statement.stmt.SelectStmt : undefined;
  const further = Object.keys(select ?? {}).find((member) => !statementMembers.has(member));
  if (select?.op !== 'SETOP_NONE') throw new SqlFault('UNION, INTERSECT and EXCEPT may not be used');
  if (further) throw new SqlFault(`${pieceName(further)} may not be used: the filter is one expression`);
  return select.whereClause ?? refusePiece(undefined);
}

function print(tree: Node, text: string, fields: ReadonlyMap<number, Field>): string {
  const columns = new Set([...fields.values()].map(columnNameOf));
  const column = (name: string) => {
    if (columns.has(name)) return `"${name}"`;
    throw new SqlFault(unknownColumn(name.slice(0, maxShown), text));
  };
  const isTextColumn = textColumnsOf(fields);
  let depth = 0;
  const printNode = (node: Node | undefined): string => {
    const [[kind, body] = ['', {}]] = Object.entries(node ?? {}) as [string, Record<string, unknown>][];
    if (!isAllowed(kind)) return refusePiece(node);
    const { members, print: rule } = grammar[kind];
    // The table's types let only its own names be looked for; this one may be any.
    const further = Object.keys(body).find((one) => one !== 'location' && !members.includes(one as never));
    if (further) throw new SqlFault(`${pieceName(further)} may not be used`);
    if (++depth > maxDepth) throw new SqlFault(`the expression is nested deeper than ${maxDepth}`);
    // The table's types say which body belongs to which kind; the parser keeps to them.
    const printed = rule(body as never, { print: printNode, column, isTextColumn });
    depth--;
    return printed;
  };
  return printNode(tree);
}

/** An unknown name is most often a text without quotes, or in double quotes. */
function unknownColumn(name: string, text: string): string {
  const isField = /^fld\d+$/i.test(name);
  if (isField) return `there is no column ${name}; columns are fld and the id of a field, for example fld7`;
  const isQuoted = text.includes(`"${name}"`);
  const advice = isQuoted ? 'double quotes hold a name; ' : '';
  return (
    `there is no column ${name}; ${advice}write a text in single quotes: '${name.replaceAll("'", "''")}' ` +
    '(columns are fld and the id of a field, for example fld7)'
  );
}

/** A day in French notation, which PostgreSQL refuses or reads with the month first. */
const frenchDay = /^\s*(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\b/;

/** @throws SqlFault for a date that PostgreSQL would read as another day than its author means. */
function refuseAmbiguousDates(tree: Node, fields: ReadonlyMap<number, Field>): void {
  const dates = [...fields.values()].filter((one) => one.fieldType === 'Date').map(columnNameOf);
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    // A list or a comparison: what is beside a column of dates is a date.
    const parts = 'A_Expr' in node ? textsBeside((node as { A_Expr: object }).A_Expr, dates) : [];
    for (const { column, text } of parts) {
      const [, day = '', month = '', year = ''] = frenchDay.exec(text) ?? [];
      const meant = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
      if (year !== '') throw new SqlFault(`${column} (Date) and '${text}': write the date as '${meant}'`);
    }
    for (const inside of Object.values(node)) visit(inside);
  };
  visit(tree);
}

function textsBeside(
  comparison: { readonly lexpr?: Node; readonly rexpr?: Node },
  dates: readonly string[],
): { readonly column: string; readonly text: string }[] {
  const { lexpr, rexpr } = comparison;
  const columnOf = (node: Node | undefined) =>
    node && 'ColumnRef' in node ? dates.find((name) => name === lastName(node.ColumnRef.fields)) : undefined;
  const column = columnOf(lexpr) ?? columnOf(rexpr);
  if (column === undefined) return [];
  const sides = [lexpr, rexpr].flatMap((side) => (side && 'List' in side ? (side.List.items ?? []) : [side]));
  return sides.flatMap((side) => {
    const text = side && 'A_Const' in side ? side.A_Const.sval?.sval : undefined;
    return text === undefined ? [] : [{ column, text: text.slice(0, maxShown) }];
  });
}

function textColumnsOf(fields: ReadonlyMap<number, Field>): (name: string) => boolean {
  const texts = new Set([...fields.values()].filter((one) => one.fieldType === 'Text').map(columnNameOf));
  return (name) => texts.has(name);
}

function isAllowed(kind: string): kind is keyof typeof grammar {
  return Object.hasOwn(grammar, kind);
}

/** Properties without a meaning: positions, and whether SQL's own syntax or a call was written. */
const meaningless: ReadonlySet<string> = new Set([
  ...['location', 'rexpr_list_start', 'rexpr_list_end', 'list_start', 'list_end', 'funcformat'],
]);

function meaningOf(tree: unknown): unknown {
  if (Array.isArray(tree)) {
    // Names of functions and types are printed with the schema that they are found in anyway.
    const parts = tree.map(meaningOf);
    return JSON.stringify(parts[0]) === '{"String":{"sval":"pg_catalog"}}' ? parts.slice(1) : parts;
  }
  if (tree === null || typeof tree !== 'object') return tree;
  const entries = Object.entries(tree).filter(([member]) => !meaningless.has(member));
  return Object.fromEntries(entries.map(([member, value]) => [member, meaningOf(value)]));
}
