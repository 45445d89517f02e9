import { Bool, Closed, Id, Instant, Int32, Nullable, type Static, Type } from '../platform/http/schema.ts';
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
  lastUpdateDate: Instant(),
  targetType: Words(),
  isEditable: Bool(),
  isTestTarget: Bool(),
  isAutomation: Bool(),
  isSafe: Bool(),
  pctSelect: Int32(),
  maxSelect: Nullable(Int32()),
  isRandomMode: Bool(),
  /** Names of its tags, joined by `, `. */
  directories: Words(),
});
type TargetListItem = Static<typeof TargetListItem>;

export type TargetListRow = Omit<TargetListItem, 'targetType' | 'isEditable' | 'isAutomation'>;

/** @param isEditable whether the caller may change targets. */
export function showListItem(row: TargetListRow, isEditable: boolean): TargetListItem {
  // Automations have their own targets, which are not listed here.
  return { ...row, targetType, isEditable, isAutomation: false };
}
