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

/** The slots and conditions of the nodes, nested ones included, in order. */
function* partsOf(nodes: readonly TagNode[]): Generator<Slot | Condition> {
  for (const node of nodes) {
    if (node.kind === 'slot') yield node.slot;
    if (node.kind !== 'condition') continue;
    yield node;
    yield* partsOf(node.whenTrue);
    yield* partsOf(node.whenFalse);
  }
}

/** The ids of all fields that nodes show or test, ascending. */
export function fieldsOf(nodes: readonly TagNode[]): number[] {
  const ids = new Set<number>();
  for (const part of partsOf(nodes)) if ('idField' in part) ids.add(part.idField);
  return [...ids].sort((a, b) => a - b);
}

/** The distinct names of a single send's data that nodes show, in lower case. */
export function dataNamesOf(nodes: readonly TagNode[]): string[] {
  const names = [...partsOf(nodes)].flatMap((part) =>
    part.kind === 'data' ? [part.name.toLowerCase()] : [],
  );
  return [...new Set(names)];
}

/** Every link slot of the nodes, conditions included, in order and with repetitions. */
export function linkSlotsOf(nodes: readonly TagNode[]): LinkSlot[] {
  return [...partsOf(nodes)].filter((part) => part.kind === 'link');
}

/** The slots of content data, one for each key and field. */
export function rowSlotsOf(nodes: readonly TagNode[]): RowSlot[] {
  const slots = new Map<string, RowSlot>();
  for (const part of partsOf(nodes))
    if (part.kind === 'dataRow') slots.set(`${part.idField} ${part.key}`, part);
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
