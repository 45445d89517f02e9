import type { FieldValue, TagField } from '../contents/tag.ts';
import { foldKey } from '../contents/tag-parser.ts';
import type { RowSlot } from '../contents/tag-tree.ts';

/** The recipient's own part of a message, at one instant. */
export interface Recipient {
  /** The subscriber; for a forwarded message, the subscriber who forwards it. */
  readonly id: number;
  /** For a forwarded message only. Its address is the friend's, and there are no field values. */
  readonly idForward?: number;
  /** For a single send only: its id, its request date (ISO 8601), and its data by name in lower case. */
  readonly idSingle?: number;
  readonly date?: string;
  readonly data?: ReadonlyMap<string, string>;
  /** URL prefix of the recipient's tracked links, which count there too. Absent or '' means none. */
  readonly clickTracker?: string;
  readonly email: string;
  /** The domain in lower case, as in field 37. */
  readonly domain: string;
  /** Values by field id. */
  readonly fields: ReadonlyMap<number, FieldValue>;
  /** Content data rows for the values of the fields, by `rowKey`. */
  readonly rows?: ReadonlyMap<string, string>;
}

/** The field values and content data rows that a message needs of its recipients. */
export interface RecipientNeeds {
  readonly fields: readonly TagField[];
  readonly rows: readonly RowSlot[];
}

/** The key of a content data row, by the row's key and the field whose value chose it. */
export const rowKey = (key: string, idField: number): string => `${idField} ${foldKey(key)}`;
