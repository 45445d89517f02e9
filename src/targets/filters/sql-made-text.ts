import type { Node } from 'libpg-query';

type NamesOf<Union> = Union extends unknown ? keyof Union & string : never;
/** The kinds of nodes of PostgreSQL's parser. */
export type NodeKind = NamesOf<Node>;
/** The body of a kind of node. */
export type BodyOf<Kind extends NodeKind> = Extract<Node, Readonly<Record<Kind, unknown>>>[Kind];

/** Functions of the grammar that return no text; all others may return text. */
const withoutText: ReadonlySet<string> = new Set([
  ...['length', 'char_length', 'strpos', 'position', 'starts_with'],
  ...['abs', 'sign', 'ceil', 'ceiling', 'floor', 'round', 'trunc', 'mod'],
  ...['now', 'age', 'date_trunc', 'date_part', 'extract', 'timezone', 'to_date'],
]);

/** Whether a node can be a text that differs between subscribers. A constant cannot, nor can a choice of constants. */
export function isMadeText(node: Node | undefined, isTextColumn: (name: string) => boolean): boolean {
  const inside = (one: Node | undefined) => isMadeText(one, isTextColumn);
  if (!node) return false;
  if ('ColumnRef' in node) return isTextColumn(lastName(node.ColumnRef.fields));
  if ('FuncCall' in node) return !withoutText.has(lastName(node.FuncCall.funcname));
  if ('TypeCast' in node) {
    const { arg, typeName } = node.TypeCast;
    return /^(text|varchar)$/.test(lastName(typeName?.names)) && !(arg && 'A_Const' in arg);
  }
  if ('A_Expr' in node) {
    const { kind, name, lexpr } = node.A_Expr;
    return kind === 'AEXPR_NULLIF' ? inside(lexpr) : lastName(name) === '||';
  }
  if ('CaseExpr' in node) return [...(node.CaseExpr.args ?? []), node.CaseExpr.defresult].some(inside);
  if ('CaseWhen' in node) return inside(node.CaseWhen.result);
  if ('CoalesceExpr' in node) return (node.CoalesceExpr.args ?? []).some(inside);
  if ('MinMaxExpr' in node) return (node.MinMaxExpr.args ?? []).some(inside);
  return false;
}

/** The members of a list or an array; undefined for any other node. */
export function membersOf(node: Node | undefined): readonly Node[] | undefined {
  if (!node) return undefined;
  if ('List' in node) return node.List.items;
  return 'A_ArrayExpr' in node ? node.A_ArrayExpr.elements : undefined;
}

/** The name without its schema. */
export function lastName(names: readonly Node[] | undefined): string {
  const last = names?.at(-1);
  return last && 'String' in last ? (last.String.sval ?? '') : '';
}
