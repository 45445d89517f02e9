import type { Node } from 'libpg-query';

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

/** The name without its schema. */
export function lastName(names: readonly Node[] | undefined): string {
  const last = names?.at(-1);
  return last && 'String' in last ? (last.String.sval ?? '') : '';
}
