import { beforeAll, describe, expect, it } from 'vitest';
import { filterSite } from '../../testing/filter-site.ts';
import { printedExpression } from './sql-expression.ts';
import { type SqlParser, sqlParser } from './sql-parser.ts';

let parser: SqlParser;
beforeAll(async () => {
  parser = await sqlParser();
});

const { fields } = filterSite();
const print = (text: string) => printedExpression(parser, text, fields);

function refusalOf(expression: string): string {
  try {
    print(expression);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
}

const list = (piece: string, count: number) => Array(count).fill(piece).join(', ');
/** `count` copies of a piece joined by a sign, as a balanced tree, which nests least. */
function tree(piece: string, count: number, sign: string): string {
  if (count === 1) return piece;
  const half = Math.floor(count / 2);
  return `(${tree(piece, half, sign)} ${sign} ${tree(piece, count - half, sign)})`;
}
const text = (count: number) => tree('fld101', count, '||');
const huge = "('9e60000'::numeric - fld102)";

/** Expressions that would take too much time or memory, with the node that the refusal names. */
const tooMuch: readonly [name: string, expression: string, named: string][] = [
  ['a pattern of many fields', `${text(40)} like ('%' || ${text(20)} || 'b%')`, 'LIKE'],
  ['the same, negated', `fld101 not like ('%' || ${text(20)})`, 'LIKE'],
  ['the same without regard to capitals', `${text(20)} not ilike (fld101 || '_')`, 'ILIKE'],
  ['one of many patterns', `fld101 ilike any (array[${list('fld101', 11)}])`, 'ILIKE'],
  ['all of many patterns', `fld101 like all (array[${list('fld101', 11)}])`, 'LIKE'],
  ['a long pattern in many fields', `${text(60)} like '%${'a'.repeat(2_000)}b%'`, 'LIKE'],
  ['many patterns of fields', tree('fld101 like fld101', 11, 'or'), 'LIKE'],
  ['a pattern made of a number', `fld101 like ('%' || '9e131000'::numeric::text)`, 'LIKE'],
  ['a pattern made by to_char', `fld101 like to_char(1, '${'9'.repeat(7_900)}') || '_' || fld101`, 'LIKE'],
  ['a search for many fields', `strpos(${text(40)}, ${text(20)}) > 0`, 'strpos'],
  ['a search as SQL writes it', `position(${text(9)} in ${text(9)}) > 0`, 'position'],
  ['a part after many fields', `split_part(fld101, ${text(20)}, 2) = ''`, 'split_part'],
  ['the ends off a text', `trim(${text(20)} from ${text(20)}) = ''`, 'btrim'],
  ['many texts made', `length(${tree('lower(fld101)', 400, '||')}) > 0`, 'lower or ||'],
  [
    'one text made by one function after the other',
    `${'lower('.repeat(90)}${text(30)}${')'.repeat(90)} = ''`,
    'lower',
  ],
  ['a product of huge numbers', `${tree(huge, 8, '*')} > 0`, '*'],
  ['of such as are numbers by what is beside them', `${tree("(1.5 * '9e60000' - fld102)", 8, '*')} > 0`, '*'],
  ['of such with many decimals', `${tree("(1.5 * '9e-16000' - fld102)", 60, '*')} > 0`, '*'],
  [
    'of such in other spellings',
    `${tree("(1.5 * coalesce(null, ' +9E+6_0000 ') - fld102)", 8, '*')} > 0`,
    '*',
  ],
  ['of such in a CASE', `${tree("(1.5 * case when fld104 then '9e60000' end - fld102)", 8, '*')} > 0`, '*'],
  ['of what texts of subscribers may say', `${tree('fld101::numeric', 5, '*')} > 0`, '*'],
  ['of numbers whose digits are put together', `${tree("('9e6' || '0000')::numeric", 5, '*')} > 0`, '*'],
  ['their quotients', `${tree('fld101::numeric', 5, '/')} > 0`, '/'],
  ['their remainders', `${tree('fld101::numeric', 5, '%')} > 0`, '%'],
  ['their remainders by a function', `${tree('mod(fld101::numeric, fld101::numeric)', 4, '+')} > 0`, 'mod'],
  [
    'huge numbers as texts',
    `length(${tree("'9e131000'::numeric::text", 40, '||')}) > 0`,
    'a value as numeric or a value as text or ||',
  ],
  [
    'zeros after the point',
    `length(${tree('round(fld102::numeric, 16383)::text', 150, '||')}) > 0`,
    'round or a value as text or ||',
  ],
];

describe('an expression that PostgreSQL could not stop within one subscriber is refused', () => {
  it.each(tooMuch)('%s', (_, expression, named) => {
    expect(expression.length).toBeLessThanOrEqual(8_000);
    const told = named.split(' or ').map((piece) => `${piece} may be too much work for one subscriber: `);
    expect(told).toContain(refusalOf(expression).replace(/(?<=: ).*/, ''));
  });
});

describe('what is no more than usual is read', () => {
  it.each([
    ['a text that looks like a huge number', "fld101 = '1e60000'"],
    ['many of them', `fld101 in (${list("'12e45678'", 600)})`],
    ['a huge number compared', "'9e60000'::numeric > fld102"],
    ['casts of what is written', "'x'::text = fld101 and '12'::text::int = fld102"],
    ['patterns of own values', "fld101 like '%' || fld102 || '%' and fld101 not ilike fld101 || '_'"],
    ['a share of texts as numbers', 'fld101::numeric / fld101::numeric * 100 > 12.5'],
    ['a rounded product', 'round(fld101::numeric * 1.2, 2) < fld102'],
    ['a part of a text', "split_part(lower(trim(fld101)), '@', -1) in ('a.fr', 'b.fr')"],
    ['many patterns', `fld101 like any (array[${list("'%abc%'", 800)}])`],
    ['the longest list of numbers', `fld102 in (${list('9223372036854775807', 380)})`],
    ['a function on each of many conditions', tree("lower(fld101) = 'a'", 300, 'or')],
    ['many searches', tree("strpos(fld101, 'a') > 0", 260, 'or')],
    ['a long pattern', `fld101 like '%${'a'.repeat(4_000)}b%'`],
    ['a long sum', `${tree('fld102 * 1.5', 400, '+')} > 0`],
    ['a name of parts', `${tree('fld101', 40, "|| ' ' ||")} like 'a%'`],
  ])('%s', (_, expression) => {
    expect(expression.length).toBeLessThanOrEqual(8_000);
    expect(() => print(expression)).not.toThrow();
  });
});
