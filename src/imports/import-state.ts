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

/** Every move that an import can make; any other is refused. */
const moves: Readonly<Record<ImportStatus, readonly ImportStatus[]>> = {
  Scheduled: ['InProgress', 'Paused', 'PackageErrorCreation', 'Deleted'],
  // Scheduled: a recurring import waits for its next run. To be deleted, it is paused first.
  InProgress: ['Completed', 'Scheduled', 'Paused', 'PackageErrorCreation'],
  Paused: ['Scheduled', 'Deleted'],
  Completed: ['Deleted'],
  PackageErrorCreation: ['Deleted'],
  Deleted: [],
};

/** Whether an import may move from one status to another; never to the same one. */
export function mayMove(from: ImportStatus, to: ImportStatus): boolean {
  return moves[from].includes(to);
}

/** User actions on an import: the statuses that allow each, and the one that it leads to. */
const acts = {
  paused: { from: ['Scheduled', 'InProgress'], to: 'Paused' },
  // A run that is running also goes back to Scheduled, by itself: there is nothing to resume.
  resumed: { from: ['Paused'], to: 'Scheduled' },
  deleted: { from: ['Scheduled', 'Paused', 'Completed', 'PackageErrorCreation'], to: 'Deleted' },
} as const satisfies Record<string, { from: readonly ImportStatus[]; to: ImportStatus }>;
export type ImportAct = keyof typeof acts;

export const importActs = Object.keys(acts) as ImportAct[];
export const statusAfter = (act: ImportAct): ImportStatus => acts[act].to;

/** @throws 409 that names the import's status, and the one that the action needs */
export function checkAct(status: ImportStatus, act: ImportAct): void {
  const from: readonly ImportStatus[] = acts[act].from;
  if (from.includes(status)) return;
  const wanted = from.length === 1 ? from[0] : `${from.slice(0, -1).join(', ')} or ${from.at(-1)}`;
  throw conflict(`The import is ${status}: only one that is ${wanted} can be ${act}`);
}
