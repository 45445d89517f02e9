import type { FieldValue, RecipientLink } from './tag.ts';
import { escapes } from './tag-escape.ts';
import type { Slot, TagNode } from './tag-tree.ts';
import { isEmptyValue } from './tag-value.ts';

/** What tags are filled from for one recipient. */
export interface TagValues {
  /** The value of a field, as the database gives it. */
  field(id: number): FieldValue | undefined;
  /** What CONF.n stands for. */
  conf(number: number): string;
  /** The address of a page or a tracked link. */
  link(kind: RecipientLink, idLink?: number): string;
  /** A member of a single send's data. */
  data?(name: string): string | undefined;
  /** The date that conditions count days from. */
  readonly now: Date;
}

/** Fills a compiled source for one recipient. Values are written as they are: tags inside them are text. */
export function fillTags(nodes: readonly TagNode[], values: TagValues): string {
  let text = '';
  for (const node of nodes) {
    if (node.kind === 'literal') text += node.text;
    else if (node.kind === 'slot') text += escapes[node.escape](slotText(node.slot, values));
    else {
      const holds = node.test(values.field(node.idField), values.now);
      text += fillTags(holds ? node.whenTrue : node.whenFalse, values);
    }
  }
  return text;
}

/** What stands in the place of a slot, not yet escaped. */
export function slotText(slot: Slot, values: TagValues): string {
  switch (slot.kind) {
    case 'field': {
      const value = values.field(slot.idField);
      const shown = isEmptyValue(value) ? '' : slot.display(value);
      return shown === '' ? slot.byDefault : shown;
    }
    case 'conf':
      return values.conf(slot.number);
    case 'link':
      return values.link(slot.link, slot.idLink);
    case 'data':
      return values.data?.(slot.name) ?? '';
  }
}
