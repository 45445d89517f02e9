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

/** Where an import stands: its state, or Deleted, which the document shows as `isDeleted`. */
export type ImportStanding = ImportState | 'Deleted';

/** Every move that an import can make; any other is refused. */
const moves: Readonly<Record<ImportStanding, readonly ImportStanding[]>> = {
  Scheduled: ['InProgress', 'Paused', 'PackageErrorCreation', 'Deleted'],
  // Scheduled: a recurring import waits for its next run. To be deleted, it is paused first.
  InProgress: ['Completed', 'Scheduled', 'Paused', 'PackageErrorCreation'],
  Paused: ['Scheduled', 'Deleted'],
  Completed: ['Deleted'],
  PackageErrorCreation: ['Deleted'],
  Deleted: [],
};

/** Is the move in the table? An import does not move to where it stands. */
export function mayMove(from: ImportStanding, to: ImportStanding): boolean {
  return moves[from].includes(to);
}

/** @throws 409 that names both states. */
export function checkMove(from: ImportStanding, to: ImportStanding): void {
  if (!mayMove(from, to)) throw conflict(`The import is ${from} and cannot become ${to}`);
}
