import type { FieldValue, RecipientLink } from './tag.ts';
import { escapes } from './tag-escape.ts';
import type { Slot, TagNode } from './tag-tree.ts';
import { isEmptyValue } from './tag-value.ts';

/** The values that fill the tags for one recipient. */
export interface TagValues {
  field(id: number): FieldValue | undefined;
  conf(number: number): string;
  /** The address of a page or a tracked link. */
  link(kind: RecipientLink, idLink?: number): string;
  /** Returns the content data for the value of a field; undefined if there is none. */
  row?(key: string, idField: number): string | undefined;
  /** A value of a single send's data. */
  data?(name: string): string | undefined;
  /** The date that conditions count days from. */
  readonly now: Date;
}

/** Maximum bytes filled for one reader: relays take 10 to 50 MB, and ten thousand long values would fill the memory. */
export const maxFilledBytes = 25 * 1024 ** 2;

/** Thrown if tags would make a text larger than `maxFilledBytes`. */
export class FilledTooLarge extends Error {
  constructor() {
    super('The message would be larger than 25 MB');
    this.name = 'FilledTooLarge';
  }
}

/** Fills a compiled source for one recipient; tags in values are text. @throws FilledTooLarge at `maxFilledBytes` */
export function fillTags(nodes: readonly TagNode[], values: TagValues): string {
  const filled: Filled = { text: '', bytes: 0 };
  fill(nodes, values, filled);
  return filled.text;
}

interface Filled {
  text: string;
  /** The size of the text in UTF-8. */
  bytes: number;
}

function fill(nodes: readonly TagNode[], values: TagValues, into: Filled): void {
  for (const node of nodes) {
    if (node.kind === 'literal') append(node.text, into);
    else if (node.kind === 'slot') append(escapes[node.escape](slotText(node.slot, values)), into);
    else {
      const holds = node.test(values.field(node.idField), values.now);
      fill(holds ? node.whenTrue : node.whenFalse, values, into);
    }
  }
}

function append(text: string, into: Filled): void {
  into.bytes += Buffer.byteLength(text);
  if (into.bytes > maxFilledBytes) throw new FilledTooLarge();
  into.text += text;
}

/** Returns the value of a slot, not yet escaped. */
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
    case 'dataRow':
      return values.row?.(slot.key, slot.idField) ?? slot.byDefault;
    case 'data':
      return values.data?.(slot.name) ?? '';
  }
}
