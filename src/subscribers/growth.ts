/** Causes by which people join or leave, as `growth.cause` stores them. */
export const growthCauses = [
  'import',
  'api',
  // On the page of a sending, by RFC 8058, by a complaint, by a hard bounce.
  'page',
  'oneClick',
  'complaint',
  'bounce',
  // An unsubscription on the page that was undone.
  'undo',
  'deleted',
  'sample',
  // From before causes were stored.
  'unknown',
] as const;
export type GrowthCause = (typeof growthCauses)[number];

/** People who joined and left on a day by one cause and source. */
export interface GrowthRow {
  /** The Paris day, for example 2026-11-20. */
  readonly day: string;
  readonly cause: GrowthCause;
  /** The import or the sending; 0: none, or sources that are not among the largest of the day. */
  readonly idSource: number;
  readonly nbJoined: number;
  readonly nbLeft: number;
}
