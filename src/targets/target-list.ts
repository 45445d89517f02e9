import { Bool, Closed, Id, Int32, Nullable, type Static, Timestamp, Type } from '../platform/http/schema.ts';
import { targetType } from './target.ts';

export const targetSorts = [
  'Name',
  'IdTarget',
  'LastUpdateDate',
  'Author',
  'IsTestTarget',
  'IsRandomMode',
  'Directories',
] as const;
export type TargetSort = (typeof targetSorts)[number];

/** Lists of targets by name; the id of a tag is a location too. */
export const targetLocations = ['All', 'MyFavorites', 'MyCreated', 'Archives', 'MyTests'] as const;
export type TargetLocation = (typeof targetLocations)[number];

const Words = () => Type.String({ title: 'String' });

/** A target in a list. */
export const TargetListItem = Closed('TargetListItem', {
  idTarget: Id('target'),
  name: Words(),
  author: Words(),
  lastUpdateDate: Timestamp(),
  targetType: Words(),
  isEditable: Bool(),
  isTestTarget: Bool(),
  isAutomation: Bool(),
  isSafe: Bool(),
  pctSelect: Int32(),
  maxSelect: Nullable(Int32()),
  isRandomMode: Bool(),
  directories: Words(),
});

export interface TargetListRow {
  readonly id: number;
  readonly name: string;
  readonly author: string;
  readonly updatedAt: Date;
  readonly isTestTarget: boolean;
  readonly pctSelect: number;
  readonly maxSelect: number | null;
  readonly isRandomMode: boolean;
  /** Names of its tags, joined by `, `. */
  readonly directories: string;
  readonly isSafe: boolean;
}

/** @param isEditable whether the caller may change targets. */
export function showListItem(row: TargetListRow, isEditable: boolean): Static<typeof TargetListItem> {
  const { id, updatedAt, ...shown } = row;
  return {
    idTarget: id,
    ...shown,
    lastUpdateDate: updatedAt.toISOString(),
    targetType,
    isEditable,
    // Automations have their own targets, which are not listed here.
    isAutomation: false,
  };
}
