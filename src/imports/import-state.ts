import { conflict } from '../platform/http/refusal.ts';

/** In the document's order; `idImportState` is the place in this list, from 1. */
export const importStates = [
  'Scheduled',
  'InProgress',
  'Completed',
  'Paused',
  'PackageErrorCreation',
] as const;
export type ImportState = (typeof importStates)[number];

export const idOfState = (state: ImportState): number => importStates.indexOf(state) + 1;

/** States in which an import has still something to do. */
export const openStates: readonly ImportState[] = ['Scheduled', 'InProgress', 'Paused'];

/** Status of an import: its state, or Deleted, which the document shows as `isDeleted`. */
export type ImportStatus = ImportState | 'Deleted';

/** User actions on an import, and the statuses that allow each. */
const acts = {
  paused: ['Scheduled', 'InProgress'],
  // A run that is running also goes back to Scheduled, by itself: there is nothing to resume.
  resumed: ['Paused'],
  deleted: ['Scheduled', 'Paused', 'Completed', 'PackageErrorCreation'],
  rescheduled: ['Scheduled', 'Paused'],
} as const satisfies Record<string, readonly ImportStatus[]>;
export type ImportAct = keyof typeof acts;

/** @throws 409 that names the import's status, and the one that the action needs */
export function checkAct(status: ImportStatus, act: ImportAct): void {
  const from: readonly ImportStatus[] = acts[act];
  if (from.includes(status)) return;
  const wanted = from.length === 1 ? from[0] : `${from.slice(0, -1).join(', ')} or ${from.at(-1)}`;
  throw conflict(`The import is ${status}: only one that is ${wanted} can be ${act}`);
}
