import { ChangingFile } from '../files/table.ts';
import { isConnectionLost } from '../platform/db/database.ts';
import { whyRowRefused } from '../platform/db/row-refusal.ts';
import { Refusal } from '../platform/http/refusal.ts';
import { ImportCannotStart } from './import-plan.ts';
import { MergeUnfinished } from './merge-state-store.ts';

/** Why a run can never succeed as it is; undefined for what may be over at the next try. */
export function whyNever(error: unknown): string | undefined {
  if (error instanceof ImportCannotStart) return error.message;
  // 400: parameters were checked when the import was made; the rules may have become stricter since. 422: a repository
  // that leads to an internal network.
  if (error instanceof Refusal && (error.status === 400 || error.status === 422)) return error.message;
  if ((error as { code?: string }).code === '2200H') return 'No identifiers are left for new subscribers';
  // Rows that the table does not take are refused one by one: here are those for which that was given up.
  return whyRowRefused(error) === undefined
    ? undefined
    : "A value does not fit its table, which no check has found; the service's log says more";
}

/**
 * The same for the log: of a mistake in the import or its file the reason alone, without what is in the file; of
 * anything else the error.
 */
export function whyInLog(error: unknown): { readonly reason: string } | { readonly err: unknown } {
  if (error instanceof ImportCannotStart) return { reason: error.rule };
  return error instanceof Refusal ? { reason: error.message } : { err: error };
}

/**
 * Returns the text that users see about a failure that may pass until the next attempt. Messages of the system and of
 * PostgreSQL name paths and tables of this machine, so they go to the service's log only.
 */
export function troubleOf(error: unknown): string {
  if (error instanceof Refusal || error instanceof ChangingFile || error instanceof MergeUnfinished)
    return error.message;
  const { code = '' } = error as { code?: string };
  if (/^(ENOSPC|EDQUOT|53100)$/.test(code)) return 'No space is left on a disk of the service';
  if (/^(EACCES|EPERM|EROFS)$/.test(code)) return 'The service may not read or write its own files';
  // Of an SFTP server that is a Refusal: see files/sftp-requests.ts.
  if (isConnectionLost(error)) return 'The connection to the database broke';
  return "An error inside the service; the service's log says more";
}
