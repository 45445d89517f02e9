import type { A_Const, A_Expr, A_Expr_Kind, FuncCall, Node, TypeName } from 'libpg-query';
import { type BodyOf, isMadeText, membersOf, type NodeKind } from './sql-made-text.ts';

/** A piece of an expression that a SQL filter may not hold; the message names it. */
export class SqlFault extends Error {}

export interface Printer {
  print(node: Node | undefined): string;
  /** The quoted name of a column. @throws SqlFault for one that the site does not have. */
  column(name: string): string;
  /** Whether the site has such a column and it holds text. */
  isTextColumn(name: string): boolean;
}

/**
 * A kind of node: the properties that PostgreSQL's parser may give it, and how it is printed. Any other property is
 * refused.
 */
interface Rule<Body> {
  readonly members: readonly (keyof Body & string)[];
  print(body: Body, inside: Printer): string;
}

/**
 * Every kind of node that an expression may contain. Each is printed in parentheses and in one way, so what surrounds
 * it cannot change its meaning. Any other kind can be neither read nor printed.
 */
export const grammar = {
  A_Const: { members: ['ival', 'fval', 'sval', 'boolval', 'isnull'], print: printConstant },
  ColumnRef: {
    members: ['fields'],
    print({ fields = [] }, { column }) {
      const names = fields.map(nameIn);
      if (names.length !== 1)
        throw new SqlFault(`${names.join('.')}: name the column alone, for example fld7`);
      return column(names[0]!);
    },
  },
  A_Expr: {
    members: ['kind', 'name', 'lexpr', 'rexpr', 'rexpr_list_start', 'rexpr_list_end'],
    print: printOperator,
  },
  BoolExpr: {
    members: ['boolop', 'args'],
    print({ boolop, args = [] }, { print }) {
      const printed = args.map(print);
      return boolop === 'NOT_EXPR' ? `(not ${printed[0]})` : `(${printed.join(logical[boolop!])})`;
    },
  },
  NullTest: {
    members: ['arg', 'nulltesttype'],
    print: ({ arg, nulltesttype }, { print }) => `(${print(arg)} ${worded(nulltesttype)})`,
  },
  BooleanTest: {
    members: ['arg', 'booltesttype'],
    print: ({ arg, booltesttype }, { print }) => `(${print(arg)} ${worded(booltesttype)})`,
  },
  CaseExpr: {
    members: ['arg', 'args', 'defresult'],
    print({ arg, args = [], defresult }, { print }) {
      const otherwise = defresult ? ` else ${print(defresult)}` : '';
      return `(case ${arg ? print(arg) : ''} ${args.map(print).join(' ')}${otherwise} end)`;
    },
  },
  CaseWhen: {
    members: ['expr', 'result'],
    print: ({ expr, result }, { print }) => `when ${print(expr)} then ${print(result)}`,
  },
  CoalesceExpr: {
    members: ['args'],
    print: ({ args = [] }, { print }) => `coalesce(${args.map(print).join(', ')})`,
  },
  MinMaxExpr: {
    members: ['op', 'args'],
    print: ({ op, args = [] }, { print }) =>
      `${op === 'IS_GREATEST' ? 'greatest' : 'least'}(${args.map(print).join(', ')})`,
  },
  SQLValueFunction: {
    members: ['op', 'typmod'],
    print({ op = 'none' }) {
      const word = instants[op];
      if (word) return word;
      throw new SqlFault(`${op.replace('SVFOP_', '')} is not among the functions that may be used`);
    },
  },
  TypeCast: {
    members: ['arg', 'typeName'],
    print({ arg, typeName }, { print, isTextColumn }) {
      const type = printType(typeName ?? {});
      if (readingZones.test(type) && isMadeText(arg, isTextColumn)) {
        throw new SqlFault('the text of a subscriber may not be cast to a date; use to_date with a pattern');
      }
      return `cast(${print(arg)} as ${type})`;
    },
  },
  FuncCall: { members: ['funcname', 'args', 'funcformat'], print: printCall },
} satisfies { readonly [Kind in NodeKind]?: Rule<BodyOf<Kind>> };

const logical = { AND_EXPR: ' and ', OR_EXPR: ' or ', NOT_EXPR: '' };
/**
 * Types whose texts can name time zones. PostgreSQL keeps every zone it has read in the connection's memory, 23 kB
 * each, and `<1>5`, `<2>5` … are zones: 1.3 GB in two seconds if each subscriber names one.
 */
const readingZones = /^pg_catalog\.(date|timestamp|timestamptz)$/;
/** `IS_NOT_NULL` as `is not null`. */
const worded = (name = '') => name.toLowerCase().replaceAll('_', ' ');
const instants: Readonly<Record<string, string>> = {
  SVFOP_CURRENT_DATE: 'current_date',
  SVFOP_CURRENT_TIMESTAMP: 'current_timestamp',
};

/**
 * Operators of the catalogue that compare, calculate and join texts. No regular expressions: they take unbounded time.
 */
const operators: ReadonlySet<string> = new Set('= <> < <= > >= + - * / % ||'.split(' '));
const comparisons: Readonly<Record<string, string>> = {
  ...{ '=': '=', '<>': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' },
  '~~': 'like',
  '!~~': 'not like',
  '~~*': 'ilike',
  '!~~*': 'not ilike',
};

interface Operands {
  readonly name: string;
  readonly body: A_Expr;
  readonly inside: Printer;
}
type OperatorPrinter = (of: Operands) => string;

const binary =
  (word: string): OperatorPrinter =>
  ({ body, inside }) =>
    `(${inside.print(body.lexpr)} ${word} ${inside.print(body.rexpr)})`;
const matching: OperatorPrinter = (of) => binary(comparisons[of.name] ?? refuseOperator(of.name))(of);
const between =
  (word: string): OperatorPrinter =>
  ({ body, inside }) => {
    const [low, high] = listIn(body.rexpr).map(inside.print);
    return `(${inside.print(body.lexpr)} ${word} ${low} and ${high})`;
  };
const ofArray =
  (word: 'any' | 'all'): OperatorPrinter =>
  ({ name, body: { lexpr, rexpr }, inside }) => {
    const comparison = comparisons[name] ?? refuseOperator(name);
    return `(${inside.print(lexpr)} ${comparison} ${word} (array[${listIn(rexpr).map(inside.print).join(', ')}]))`;
  };

/** The parser's kinds of operators. SIMILAR TO is missing: it is a regular expression. */
const operatorKinds: { readonly [K in A_Expr_Kind]?: OperatorPrinter } = {
  AEXPR_OP: (of) => {
    if (!operators.has(of.name)) refuseOperator(of.name);
    if (of.body.lexpr) return binary(of.name)(of);
    if (of.name !== '-' && of.name !== '+') refuseOperator(of.name);
    return `(${of.name} ${of.inside.print(of.body.rexpr)})`;
  },
  AEXPR_OP_ANY: ofArray('any'),
  AEXPR_OP_ALL: ofArray('all'),
  AEXPR_DISTINCT: binary('is distinct from'),
  AEXPR_NOT_DISTINCT: binary('is not distinct from'),
  AEXPR_NULLIF: ({ body, inside }) => `nullif(${inside.print(body.lexpr)}, ${inside.print(body.rexpr)})`,
  AEXPR_IN: ({ name, body, inside }) => {
    const values = listIn(body.rexpr).map(inside.print).join(', ');
    return `(${inside.print(body.lexpr)} ${name === '=' ? 'in' : 'not in'} (${values}))`;
  },
  AEXPR_LIKE: matching,
  AEXPR_ILIKE: matching,
  AEXPR_BETWEEN: between('between'),
  AEXPR_NOT_BETWEEN: between('not between'),
  AEXPR_BETWEEN_SYM: between('between symmetric'),
  AEXPR_NOT_BETWEEN_SYM: between('not between symmetric'),
};

function printOperator(body: A_Expr, inside: Printer): string {
  const names = (body.name ?? []).map(nameIn);
  // OPERATOR(schema.+) would reach operators that are not the catalogue's.
  if (names.length !== 1)
    throw new SqlFault(`the operator ${names.join('.')}: write the operator without a schema`);
  const printer = body.kind && operatorKinds[body.kind];
  if (!printer)
    throw new SqlFault(`${body.kind === 'AEXPR_SIMILAR' ? 'SIMILAR TO' : names[0]} may not be used`);
  return printer({ name: names[0]!, body, inside });
}

function refuseOperator(name: string): never {
  const hint = name.includes('~') ? '; LIKE and ILIKE match patterns' : '';
  throw new SqlFault(`the operator ${name} may not be used${hint}`);
}

const listIn = (node: Node | undefined): readonly Node[] => membersOf(node) ?? refusePiece(node);

/** Names for users of the nodes of PostgreSQL's parser that may not be used. */
const pieces: Readonly<Record<string, string>> = {
  SubLink: 'a sub-query',
  ParamRef: 'a parameter ($1)',
  CollateClause: 'COLLATE',
  RowExpr: 'a row of values',
  A_ArrayExpr: 'an array outside = ANY (ARRAY[…])',
  A_Indirection: 'a part of a value ([1] or .name)',
  A_Star: '*',
  NamedArgExpr: 'a named argument',
  SetToDefault: 'DEFAULT',
  GroupingFunc: 'GROUPING',
  List: 'a list',
  // Properties of the statement and of calls that an expression does not have.
  sortClause: 'ORDER BY',
  groupClause: 'GROUP BY',
  havingClause: 'HAVING',
  windowClause: 'WINDOW',
  lockingClause: 'FOR UPDATE',
  limitCount: 'LIMIT',
  limitOffset: 'OFFSET',
  agg_star: '*',
  agg_distinct: 'DISTINCT',
  agg_order: 'ORDER BY',
  agg_filter: 'FILTER',
  func_variadic: 'VARIADIC',
  over: 'OVER',
  bsval: 'a bit string',
};

/** The name for users of a node or property of PostgreSQL's tree. */
export const pieceName = (name: string): string => pieces[name] ?? name;

export function refusePiece(node: Node | undefined): never {
  const [name = 'nothing'] = Object.keys(node ?? {});
  throw new SqlFault(`${pieceName(name)} may not be used`);
}

function nameIn(node: Node): string {
  return 'String' in node ? (node.String.sval ?? '') : refusePiece(node);
}

/** Digits as the standard writes them. No exponents: 1e99999 is a number of 100,000 digits. */
const decimal = /^-?(?:\d+\.?\d*|\.\d+)$/;

function printConstant({ ival, fval, sval, boolval, isnull }: A_Const): string {
  if (isnull) return 'null';
  if (boolval) return String(boolval.boolval ?? false);
  if (sval) return quoted(sval.sval ?? '');
  // Zero is omitted by the parser's output.
  const number = ival ? String(ival.ival ?? 0) : (fval?.fval ?? '');
  if (!decimal.test(number)) {
    throw new SqlFault(`the constant ${number || 'of bits'} may not be used; write numbers as digits`);
  }
  return number.startsWith('-') ? `(${number})` : number;
}

/** A text that has the same meaning for every value of `standard_conforming_strings`. */
function quoted(text: string): string {
  const doubled = text.replaceAll("'", "''");
  return text.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

/** Types of subscribers' values and of what they are compared with, by the catalogue's names. */
const types: ReadonlySet<string> = new Set([
  ...['text', 'varchar', 'bool', 'int4', 'int8', 'numeric', 'float8'],
  ...['date', 'timestamp', 'timestamptz', 'interval'],
]);
const typeMembers: ReadonlySet<string> = new Set(['names', 'typemod', 'location']);

function printType(type: TypeName): string {
  const names = (type.names ?? []).map(nameIn);
  const name = names.at(-1) ?? '';
  const isPlain = Object.keys(type).every((member) => typeMembers.has(member)) && names.length < 3;
  const isOfCatalogue = names.length === 1 || names[0] === 'pg_catalog';
  if (isPlain && isOfCatalogue && types.has(name)) return `pg_catalog.${name}`;
  const shown = names.filter((part) => part !== 'pg_catalog').join('.');
  throw new SqlFault(
    `a value as ${shown}${isPlain ? '' : '(…)'} may not be used; types: ${[...types].join(', ')}`,
  );
}

/**
 * Functions without effects, with their minimum and maximum number of arguments. Their results are no longer than their
 * arguments, except for a date or number as text. So no repeat, lpad or replace, which make gigabytes out of little,
 * and no regular expressions.
 */
const functions: Readonly<Record<string, readonly [least: number, most: number]>> = {
  lower: [1, 1],
  upper: [1, 1],
  initcap: [1, 1],
  length: [1, 1],
  char_length: [1, 1],
  btrim: [1, 2],
  ltrim: [1, 2],
  rtrim: [1, 2],
  left: [2, 2],
  right: [2, 2],
  substr: [2, 3],
  substring: [2, 3],
  strpos: [2, 2],
  position: [2, 2],
  starts_with: [2, 2],
  split_part: [3, 3],
  like_escape: [2, 2],
  abs: [1, 1],
  sign: [1, 1],
  ceil: [1, 1],
  ceiling: [1, 1],
  floor: [1, 1],
  round: [1, 2],
  trunc: [1, 2],
  mod: [2, 2],
  now: [0, 0],
  age: [1, 2],
  date_trunc: [2, 2],
  date_part: [2, 2],
  extract: [2, 2],
  timezone: [2, 2],
  to_char: [2, 2],
  to_date: [2, 2],
};

function printCall({ funcname = [], args = [] }: FuncCall, { print, isTextColumn }: Printer): string {
  const names = funcname.map(nameIn);
  const name = names.at(-1) ?? '';
  const isOfCatalogue = names.length === 1 || (names.length === 2 && names[0] === 'pg_catalog');
  const counts = isOfCatalogue && Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!counts) {
    const listed = Object.keys(functions).join(', ');
    throw new SqlFault(`the function ${names.join('.')} may not be used; functions: ${listed}`);
  }
  if (args.length < counts[0] || args.length > counts[1])
    throw new SqlFault(`the function ${name} has ${counts[0]} to ${counts[1]} arguments, not ${args.length}`);
  // A text as the second argument is a regular expression.
  if (name === 'substring' && !args.slice(1).every((one) => 'A_Const' in one && one.A_Const.ival))
    throw new SqlFault(
      'the function substring accepts only whole numbers after the text; use substr for other values',
    );
  // See `readingZones`.
  if (name === 'timezone' && isMadeText(args[0], isTextColumn))
    throw new SqlFault("a time zone must be a constant, for example 'Europe/London'");
  return `pg_catalog.${name}(${args.map(print).join(', ')})`;
}
