/** A field as tags need it: its id, how its value is shown, and how conditions compare it. */
export interface TagField {
  readonly id: number;
  readonly fieldType: 'Text' | 'Integer' | 'Date' | 'List' | 'Boolean';
  /** Allowed values of a List field. */
  readonly list?: readonly { readonly key: number; readonly value: string }[] | null;
}

/** A subscriber's value of one field, as in the database: a List as its key, a Date as an instant. */
export type FieldValue = string | number | bigint | boolean | Date | null;

export type ServiceLink = 'mirror' | 'unsub' | 'forward';

/** Addresses made for each recipient: a tracked link, the open pixel, the pages of the service. */
export type RecipientLink = ServiceLink | 'click' | 'open';

/**
 * The values of CONF.n, except CONF.8 (subscriber id) and CONF.9 (message id), which each recipient has. The sending
 * date (CONF.10) is an ISO 8601 date-time, shown as dd/MM/yyyy in Paris.
 */
export interface ConfValues {
  readonly idSite: string;
  readonly idCampaign: number;
  readonly campaignName: string;
  readonly idJob: number;
  readonly idSegment: number;
  readonly segmentName: string;
  readonly idSent: number;
  readonly date: string;
}

/** Why a tag cannot be filled; the last two are of HTML around tags. */
export type TagFault =
  | ('unknown_tag' | 'unknown_field' | 'unknown_block' | 'unknown_data')
  | ('no_if' | 'no_end' | 'unclosed_tag' | 'stray_tag' | 'damaged_content' | 'untracked_link');

/** A tag that cannot be filled; it fails the checklist. `position` counts UTF-16 units from 0. */
export interface TagError {
  readonly code: TagFault;
  /** The tag as written, brackets included, cut after 80 characters. */
  readonly tag: string;
  readonly position: number;
  /** One English sentence for the caller, naming the tag. */
  readonly message: string;
}
