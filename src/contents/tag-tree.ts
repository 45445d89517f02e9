import type { FieldValue, RecipientLink } from './tag.ts';
import type { Test } from './tag-condition.ts';
import type { Escape } from './tag-escape.ts';

/** A part of a message that differs for each recipient. */
export type Slot =
  | {
      readonly kind: 'field';
      readonly idField: number;
      readonly byDefault: string;
      readonly display: (value: FieldValue | undefined) => string;
    }
  | { readonly kind: 'conf'; readonly number: number }
  | { readonly kind: 'data'; readonly name: string }
  | RowSlot
  | LinkSlot;

/** A row of content data, found by the value of the reader's field. */
export interface RowSlot {
  readonly kind: 'dataRow';
  readonly key: string;
  readonly idField: number;
  readonly byDefault: string;
  /** The text by which the value is found. */
  readonly display: (value: FieldValue | undefined) => string;
}

export interface LinkSlot {
  readonly kind: 'link';
  readonly link: RecipientLink;
  /** The tracked link, if `link` is `click`. */
  readonly idLink?: number;
}

export interface Condition {
  readonly kind: 'condition';
  readonly idField: number;
  readonly test: Test;
  readonly whenTrue: readonly TagNode[];
  readonly whenFalse: readonly TagNode[];
}

export type TagNode =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'slot'; readonly slot: Slot; readonly escape: Escape }
  | Condition;

/** The ids of all fields that nodes show or test, ascending. */
export function fieldsOf(nodes: readonly TagNode[]): number[] {
  const ids = new Set<number>();
  const visit = (list: readonly TagNode[]): void => {
    for (const node of list) {
      if (node.kind === 'slot' && 'idField' in node.slot) ids.add(node.slot.idField);
      if (node.kind !== 'condition') continue;
      ids.add(node.idField);
      visit(node.whenTrue);
      visit(node.whenFalse);
    }
  };
  visit(nodes);
  return [...ids].sort((a, b) => a - b);
}

/** The distinct names of a single send's data that nodes show, in lower case. */
export function dataNamesOf(nodes: readonly TagNode[]): string[] {
  const names = nodes.flatMap((node) => {
    if (node.kind === 'condition') return [...dataNamesOf(node.whenTrue), ...dataNamesOf(node.whenFalse)];
    return node.kind === 'slot' && node.slot.kind === 'data' ? [node.slot.name.toLowerCase()] : [];
  });
  return [...new Set(names)];
}

/** Every link slot of the nodes, conditions included, in order and with repetitions. */
export function linkSlotsOf(nodes: readonly TagNode[]): LinkSlot[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'condition') return [...linkSlotsOf(node.whenTrue), ...linkSlotsOf(node.whenFalse)];
    return node.kind === 'slot' && node.slot.kind === 'link' ? [node.slot] : [];
  });
}

/** The slots of content data, one for each key and field. */
export function rowSlotsOf(nodes: readonly TagNode[]): RowSlot[] {
  const slots = new Map<string, RowSlot>();
  const visit = (list: readonly TagNode[]): void => {
    for (const node of list) {
      if (node.kind === 'slot' && node.slot.kind === 'dataRow')
        slots.set(`${node.slot.idField} ${node.slot.key}`, node.slot);
      if (node.kind !== 'condition') continue;
      visit(node.whenTrue);
      visit(node.whenFalse);
    }
  };
  visit(nodes);
  return [...slots.values()];
}

/** The links that every recipient gets: a link inside a condition counts if both branches have it. */
export function linksForAll(nodes: readonly TagNode[]): ReadonlySet<RecipientLink> {
  const links = new Set<RecipientLink>();
  for (const node of nodes) {
    if (node.kind === 'slot' && node.slot.kind === 'link') links.add(node.slot.link);
    if (node.kind !== 'condition') continue;
    const whenFalse = linksForAll(node.whenFalse);
    for (const link of linksForAll(node.whenTrue)) if (whenFalse.has(link)) links.add(link);
  }
  return links;
}
