import type { A_Const, A_Expr, FuncCall, Node, TypeCast } from 'libpg-query';
import { maxTextLength } from '../../fields/field.ts';
import { SqlFault } from './sql-grammar.ts';
import { isMadeText, lastName, membersOf } from './sql-made-text.ts';

/*
 * PostgreSQL checks a statement's time limit between rows, never inside a LIKE, a search in a text or a multiplication.
 * A LIKE of a text of a million characters with a pattern of half a million ran for minutes beyond its limit, and did
 * not even end with its connection. So what an expression can cost for one subscriber is bounded before it runs, from
 * the possible lengths of its values: characters, or digits of numbers.
 */

/** Steps for one subscriber: pairs of characters compared, or of digits multiplied 64 at once. As LIKE, 1.2 s. */
const maxSteps = 1_000_000_000;
/** A character that is made costs this many steps, for the memory: 10,000,000 may be made for one subscriber. */
const stepsOfMaking = 100;

/** Maximum length of numbers, dates and the like as text. */
const shortLength = 100;
/** Maximum number of digits that PostgreSQL's numeric reads from a text, before and after the point. */
const mostDigits = 131_072 + 16_383;
/** Digits of the greatest float8, and digits that a division adds. */
const floatDigits = 309;
const quotientDigits = 1_000;
/** The maximum that to_char makes of one character of a pattern. */
const lengthOfPatternCharacter = 12;

/** A number with an exponent, as numeric reads one from a text: 7 characters make 60,000 digits. */
const withExponent = /^[\s\d._+-]*e([+-]?[\d_]+)\s*$/i;

/**
 * Refuses an expression that can be too much work on one subscriber. The grammar must have accepted it.
 * @throws SqlFault naming the node that is too much.
 */
export function refuseTooMuchWork(tree: Node, isTextColumn: (name: string) => boolean): void {
  let steps = 0;
  const spend = (piece: string, amount: number) => {
    steps += amount;
    if (steps > maxSteps)
      throw new SqlFault(
        `${piece} may be too much work for one subscriber: the texts or numbers that the expression makes can be ` +
          'too long',
      );
  };
  const lengthOf = (node: Node | undefined): number =>
    node ? lengthOfPiece(node, { lengthOf, spend, isTextColumn }) : 0;
  lengthOf(tree);
}

interface Reckoner {
  lengthOf(node: Node | undefined): number;
  spend(piece: string, amount: number): void;
  isTextColumn(name: string): boolean;
}

/** The maximum length of a node's value; adds up the cost on the way. */
function lengthOfPiece(node: Node, reckoner: Reckoner): number {
  const { lengthOf, isTextColumn } = reckoner;
  if ('A_Const' in node) return lengthOfConstant(node.A_Const);
  if ('ColumnRef' in node) return isMadeText(node, isTextColumn) ? maxTextLength : shortLength;
  if ('A_Expr' in node) return lengthOfOperation(node.A_Expr, reckoner);
  if ('FuncCall' in node) return lengthOfCall(node.FuncCall, reckoner);
  if ('TypeCast' in node) return lengthOfCast(node.TypeCast, reckoner);
  const body = Object.values(node)[0] as Readonly<Record<string, Node | readonly Node[] | string>>;
  const inside = Object.values(body).flatMap((part) => (typeof part === 'object' ? part : [])) as Node[];
  // CASE, COALESCE, GREATEST give one of their parts; AND, IS NULL and so on give less.
  return Math.max(shortLength, ...inside.map(lengthOf));
}

function lengthOfConstant({ sval, fval }: A_Const): number {
  const text = sval?.sval ?? fval?.fval ?? '';
  const exponent = withExponent.exec(text)?.[1]?.replaceAll('_', '');
  return text.length + Math.min(mostDigits, Math.abs(Number(exponent ?? 0)));
}

function lengthOfOperation({ kind, name, lexpr, rexpr }: A_Expr, { lengthOf, spend }: Reckoner): number {
  const sign = lastName(name);
  const left = lengthOf(lexpr);
  // The operands on the right of IN, BETWEEN, ANY and ALL are several.
  const rights = (membersOf(rexpr) ?? [rexpr]).map(lengthOf);
  const right = rights.reduce((sum, one) => sum + one, 0);
  if (kind === 'AEXPR_NULLIF') return left;
  if (sign.includes('~')) spend(sign.includes('*') ? 'ILIKE' : 'LIKE', left * right);
  else if (kind === 'AEXPR_OP') return lengthOfResult(sign, left, right, spend);
  return shortLength;
}

/** The maximum length of an operator's value. */
function lengthOfResult(sign: string, left: number, right: number, spend: Reckoner['spend']): number {
  const made = (length: number) => {
    spend(sign, length * stepsOfMaking);
    return length;
  };
  switch (sign) {
    case '||':
    case '+':
    case '-':
      return made(sign === '||' ? left + right : Math.max(left, right) + 1);
    case '*':
    case '/':
    case '%':
      spend(sign, productOf(left + quotientDigits, right));
      return made(left + right + (sign === '/' ? quotientDigits : 0));
    default:
      return shortLength;
  }
}

/** PostgreSQL multiplies four digits at a time: two numbers of 60,000 digits in 40 ms. */
const productOf = (left: number, right: number) => (left * right) / 64;

function lengthOfCast({ arg, typeName }: TypeCast, { lengthOf, spend, isTextColumn }: Reckoner): number {
  const type = lastName(typeName?.names);
  const given = lengthOf(arg);
  const length = lengthAs(type, given, isMadeText(arg, isTextColumn));
  spend(`a value as ${type}`, length * stepsOfMaking);
  return length;
}

function lengthAs(type: string, given: number, isText: boolean): number {
  if (type === 'numeric') return isText ? mostDigits : Math.max(given, floatDigits);
  return /^(text|varchar)$/.test(type) ? given : shortLength;
}

function lengthOfCall({ funcname, args = [] }: FuncCall, { lengthOf, spend }: Reckoner): number {
  const name = lastName(funcname);
  const lengths = args.map(lengthOf);
  const [first = 0, second = 0] = lengths;
  const made = (length: number) => {
    spend(name, length * stepsOfMaking);
    return length;
  };
  switch (name) {
    case 'strpos':
    case 'position':
    case 'split_part':
    case 'btrim':
    case 'ltrim':
    case 'rtrim':
      // split_part goes through the text twice when it counts from the end.
      spend(name, 2 * first * second);
      return made(first);
    case 'mod':
      spend(name, productOf(first, second));
      return made(first + second);
    case 'round':
    case 'trunc':
      return made(args.length > 1 ? first + mostDigits : first);
    case 'to_char':
      return made(shortLength + second * lengthOfPatternCharacter);
    case 'like_escape':
      return made(2 * first);
    default:
      return made(Math.max(shortLength, ...lengths));
  }
}
