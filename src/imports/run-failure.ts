import { ChangingFile } from '../files/table.ts';
import { isConnectionLost } from '../platform/db/database.ts';
import { whyRowRefused } from '../platform/db/row-refusal.ts';
import { Refusal } from '../platform/http/refusal.ts';
import type { Patience } from '../platform/retried-run.ts';
import { ImportCannotStart } from './import-plan.ts';
import { MergeUnfinished } from './merge-state-store.ts';

/** Returns why a run can never succeed as it is; undefined for an error that the next attempt may avoid. */
export function permanentReason(error: unknown): string | undefined {
  if (error instanceof ImportCannotStart) return error.message;
  // 400: parameters were checked when the import was made; the rules may have become stricter since. 422: a repository
  // that leads to an internal network.
  if (error instanceof Refusal && (error.status === 400 || error.status === 422)) return error.message;
  if ((error as { code?: string }).code === '2200H') return 'No identifiers are left for new subscribers';
  // The table's refusals are handled row by row: this is one that could not be.
  return whyRowRefused(error) === undefined
    ? undefined
    : "A value does not fit its table, which no check has found; the service's log says more";
}

/** Returns the log's fields for such an error: for a mistake in the import only the rule, not the content. */
export function whyInLog(error: unknown): { readonly reason: string } | { readonly err: unknown } {
  if (error instanceof ImportCannotStart) return { reason: error.rule };
  return error instanceof Refusal ? { reason: error.message } : { err: error };
}

/** Returns a temporary failure's text for users. The system's own messages name internals and go to the log only. */
export function reasonOf(error: unknown): string {
  if (error instanceof Refusal || error instanceof ChangingFile || error instanceof MergeUnfinished)
    return error.message;
  const { code = '' } = error as { code?: string };
  if (/^(ENOSPC|EDQUOT|53100)$/.test(code)) return 'No space is left on a disk of the service';
  if (/^(EACCES|EPERM|EROFS)$/.test(code)) return 'The service may not read or write its own files';
  // For an SFTP server this is a Refusal: see files/sftp-requests.ts.
  if (isConnectionLost(error)) return 'The connection to the database broke';
  return "An error inside the service; the service's log says more";
}

/** Patience with an import in hours. */
const patienceHours = 22;
/** Patience with an import that was interrupted while writing rows, in minutes: sendings and exports wait for it. */
const interruptedMinutes = 30;

/** How long an import is retried. */
export const patienceFor = (isInterrupted: boolean): Patience =>
  isInterrupted
    ? { ms: interruptedMinutes * 60_000, words: `${interruptedMinutes} minutes` }
    : { ms: patienceHours * 3_600_000, words: `${patienceHours} hours` };
