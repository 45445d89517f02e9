import type { Field } from '../fields/field.ts';
import type { Row } from './field-filter-model.ts';

/** A site as plain data: what filters look at, written down before it is stored, for models that know no SQL. */
export interface ModelSite {
  readonly fields: ReadonlyMap<number, Field>;
  readonly subscribers: readonly ModelSubscriber[];
  readonly thematics: readonly number[];
  readonly campaigns: readonly ModelCampaign[];
  readonly sents: readonly ModelSent[];
  readonly links: readonly ModelLink[];
  readonly hits: readonly ModelHit[];
  readonly receptions: readonly ModelReception[];
}

export interface ModelSubscriber {
  readonly id: number;
  /** Values by field id. */
  readonly row: Row;
}

export interface ModelCampaign {
  readonly idCampaign: number;
  readonly type: string;
  readonly idThematic: number | null;
}

export interface ModelSent {
  readonly idSent: number;
  readonly idJob: number;
  readonly idCampaign: number;
  readonly isTest: boolean;
}

export interface ModelLink {
  readonly idLink: number;
  readonly idThematic: number | null;
}

export interface ModelHit {
  readonly idSent: number;
  readonly idSubscriber: number;
  /** A fetch of the pixel; any other hit is a click. */
  readonly isPixel: boolean;
  /** Whether mail privacy protection made it. */
  readonly isMpp: boolean;
  readonly idLink: number | null;
  readonly at: Date;
}

/** A final state of a recipient, in a range that is done or not. */
export interface ModelReception {
  readonly idSent: number;
  readonly idSubscriber: number;
  readonly isAccepted: boolean;
  readonly at: Date;
}
