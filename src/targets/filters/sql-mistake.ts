import type { A_Const, Node } from 'libpg-query';
import { columnNameOf } from '../../fields/field.ts';
import type { FilterSite } from './filter-kind.ts';
import { type BodyOf, lastName, membersOf, type NodeKind } from './sql-made-text.ts';

/** The parts of a site that explain an expression. */
export type ExpressionSite = Pick<FilterSite, 'fields' | 'sqlParser'>;

/** A failure in PostgreSQL: its SQLSTATE, and the position in the statement, in characters from 1. */
export interface DatabaseFailure {
  readonly code?: string;
  readonly position?: string;
}

/**
 * Describes what is wrong with an expression that PostgreSQL refuses. PostgreSQL's own message would mention our
 * statement and types that no user has seen. The text names the part of the expression, with its fields and their
 * types, if PostgreSQL reports a position: it does when it plans, not when it fails on a subscriber's values.
 * @param statement the failed statement, which contains the expression as it was printed.
 */
export function mistakeInWords(
  failure: DatabaseFailure,
  site: ExpressionSite,
  expression: string,
  statement: string,
): string {
  const part = partAt(failure, site, expression, statement);
  const rule = (part && booleanRule(part, site)) ?? failureInWords(failure.code);
  return part === undefined ? rule : `${sketchOf(part, site)}: ${rule}`;
}

/** Advice where a Boolean is compared with a number; undefined for any other part. */
function booleanRule(part: Node, { fields }: ExpressionSite): string | undefined {
  if (!('A_Expr' in part)) return undefined;
  const sides = [part.A_Expr.lexpr, part.A_Expr.rexpr];
  const names = sides.map((side) => (side && 'ColumnRef' in side ? lastName(side.ColumnRef.fields) : ''));
  const booleans = [...fields.values()].filter((one) => one.fieldType === 'Boolean').map(columnNameOf);
  const column = booleans.find((name) => names.includes(name));
  const constant = sides.find((side) => side !== undefined && 'A_Const' in side);
  if (column === undefined || !constant || !('A_Const' in constant)) return undefined;
  const { ival, fval } = constant.A_Const;
  if (!ival && !fval) return undefined;
  return `a Boolean is not a number; write ${column} = ${ival?.ival ? 'true' : 'false'}`;
}

/** Refusals by SQLSTATE: of types, of constants, of values. */
const rules: Readonly<Record<string, string>> = {
  42883: 'values of these types cannot be combined; CAST(… AS numeric) makes a text a number',
  42725: 'the types of these values are ambiguous; state them by CAST(… AS …)',
  42804: 'has the wrong type here; a condition must be true or false, for example a comparison',
  42846: 'a value of this type cannot be cast to the other',
  '22P02': 'a text that is not a value of the type it is used as',
  22007: "a text that is not a date or time; write a date as year-month-day, for example '2026-12-25'",
  22008: "a date or time that is out of range; write a date as year-month-day, for example '2026-12-25'",
  22003: 'a number that is out of range for its type',
  22012: 'division by zero',
  22011: 'a part of a text whose length is negative',
  22025: 'a LIKE pattern must not end with its escape character',
  22019: 'an escape character must be one character',
  22023: 'a unit, time zone or pattern that the function does not know, or that does not fit this value',
  '0A000': 'a unit that the function does not have for this value',
  42601: 'a pattern that the function cannot read',
  54000: 'is too complex',
  54001: 'is nested too deeply',
};

/** The meaning of a failure for the author of the expression; its SQLSTATE if it is not in the table. */
export function failureInWords(code = ''): string {
  const rule = rules[code];
  if (rule !== undefined) return rule;
  const what = code.startsWith('22')
    ? 'a value that cannot be used here'
    : 'has no meaning over these fields';
  return `${what} (PostgreSQL's error ${code})`;
}

/** A prefix that makes an expression a statement. */
const before = 'select where ';

/** The part of the expression that failed; undefined if PostgreSQL reports no position. */
function partAt(
  { position }: DatabaseFailure,
  { sqlParser }: ExpressionSite,
  expression: string,
  statement: string,
): Node | undefined {
  const start = statement.indexOf(expression);
  if (position === undefined || start < 0) return undefined;
  // PostgreSQL counts characters, its parser bytes.
  const characters = [...statement].slice(0, Number(position) - 1).join('');
  const at = Buffer.byteLength(before) + Buffer.byteLength(characters.slice(start));
  const statements = sqlParser.parse(before + expression).stmts ?? [];
  const select = statements[0]?.stmt as { SelectStmt?: { whereClause?: Node } } | undefined;
  const path = pathTo(select?.SelectStmt?.whereClause, at);
  // A constant or column says little without what it is used in.
  return path.findLast((node) => !isLeaf(node)) ?? path.at(-1);
}

/** The nodes around a byte position, outermost first; empty if no node starts there. */
function pathTo(node: unknown, at: number): Node[] {
  if (node === null || typeof node !== 'object') return [];
  if (Array.isArray(node)) return firstPath(node, at);
  const [[kind, body] = ['', undefined]] = Object.entries(node);
  const isNode = leaves.has(kind) || Object.hasOwn(sketches, kind);
  const inside = firstPath(Object.values(isNode ? (body as object) : node), at);
  if (!isNode) return inside;
  if (inside.length > 0) return [node as Node, ...inside];
  return (body as { location?: number }).location === at ? [node as Node] : [];
}

function firstPath(nodes: readonly unknown[], at: number): Node[] {
  for (const node of nodes) {
    const path = pathTo(node, at);
    if (path.length > 0) return path;
  }
  return [];
}

const leaves: ReadonlySet<string> = new Set(['A_Const', 'ColumnRef']);
const isLeaf = (node: Node): boolean => leaves.has(Object.keys(node)[0] ?? '');

/** Limits of what is shown: nested parts, items of a list, characters of a text. */
const shownDepth = 2;
const shownItems = 3;
const shownCharacters = 30;

interface Sketcher {
  inside(node: Node | undefined): string;
  /** The first items of a list, joined. */
  all(list: readonly Node[] | undefined, between?: string): string;
}

/** How each kind of part is shown: short, and close to what was written. */
const sketches = {
  A_Expr({ kind, name, lexpr, rexpr }, { inside, all }) {
    const word = operatorWords[kind ?? ''] ?? lastName(name);
    const listed = membersOf(rexpr);
    const right = listed ? `(${all(listed)})` : inside(rexpr);
    return lexpr ? `${inside(lexpr)} ${word} ${right}` : `${word} ${right}`;
  },
  BoolExpr: ({ boolop, args }, { all }) =>
    boolop === 'NOT_EXPR' ? `NOT ${all(args)}` : all(args, boolop === 'OR_EXPR' ? ' OR ' : ' AND '),
  NullTest: ({ arg }, { inside }) => `${inside(arg)} IS NULL`,
  BooleanTest: ({ arg }, { inside }) => `${inside(arg)} IS TRUE`,
  TypeCast: ({ arg, typeName }, { inside }) => `CAST(${inside(arg)} AS ${lastName(typeName?.names)})`,
  FuncCall: ({ funcname, args }, { all }) => `${lastName(funcname)}(${all(args)})`,
  CoalesceExpr: ({ args }, { all }) => `COALESCE(${all(args)})`,
  MinMaxExpr: ({ op, args }, { all }) => `${op === 'IS_GREATEST' ? 'GREATEST' : 'LEAST'}(${all(args)})`,
  CaseExpr: ({ args = [], defresult }, { all }) => {
    const results = args.map((one) => ('CaseWhen' in one ? one.CaseWhen.result : undefined));
    const known = [...results, defresult].filter((one) => one !== undefined);
    return `CASE with ${all(known)}`;
  },
} satisfies { readonly [Kind in NodeKind]?: (body: BodyOf<Kind>, of: Sketcher) => string };

/** A part with the types of its fields and constants: `fld1 (Text) > 5 (number)`. */
function sketchOf(part: Node, { fields }: ExpressionSite): string {
  const types = new Map([...fields.values()].map((field) => [columnNameOf(field), field.fieldType]));
  const sketch = (node: Node | undefined, depth: number): string => {
    if (!node) return '…';
    if ('A_Const' in node) return constantSketch(node.A_Const);
    if ('ColumnRef' in node) {
      const name = lastName(node.ColumnRef.fields);
      return `${name} (${types.get(name) ?? 'unknown'})`;
    }
    const [[kind, body] = ['', {}]] = Object.entries(node);
    if (depth === 0 || !Object.hasOwn(sketches, kind)) return '…';
    const inside = (one: Node | undefined) => sketch(one, depth - 1);
    const all = (list: readonly Node[] = [], between = ', ') =>
      list.slice(0, shownItems).map(inside).join(between) + (list.length > shownItems ? `${between}…` : '');
    // The table's types say which body belongs to which kind; the parser keeps to them.
    return sketches[kind as keyof typeof sketches](body as never, { inside, all });
  };
  return sketch(part, shownDepth);
}

const operatorWords: Readonly<Record<string, string>> = {
  AEXPR_IN: 'IN',
  AEXPR_LIKE: 'LIKE',
  AEXPR_ILIKE: 'ILIKE',
};

function constantSketch({ ival, fval, sval, boolval }: A_Const): string {
  if (sval) {
    const text = sval.sval ?? '';
    return `'${text.slice(0, shownCharacters)}${text.length > shownCharacters ? '…' : ''}' (text)`;
  }
  if (boolval) return String(boolval.boolval ?? false);
  if (ival || fval) return `${ival ? (ival.ival ?? 0) : fval?.fval?.slice(0, shownCharacters)} (number)`;
  return 'NULL';
}
