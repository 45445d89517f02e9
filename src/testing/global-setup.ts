import { appendFile, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../platform/postgres/embedded.ts';
import { livePostmaster, stopPostmaster } from '../platform/postgres/postmaster.ts';
import { startOfProcess } from '../platform/process-lock.ts';
import { checkReplies } from './check-replies.ts';
import { recordExamples } from './examples.ts';
import type { TestPart } from './long-tests.ts';
import { compilePrograms } from './programs.ts';
import { makeTemplate } from './template-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: pg.ClientConfig;
    /** The file of what operations answered (reply-notes.ts). */
    replyNotes: string;
    /** Whether this run records examples of the reference (examples.ts), and the file of what it saw. */
    recordsExamples: boolean;
    exchangeNotes: string;
    /** The parts of the tests that this run covers, unless it is limited to some files. */
    testParts: readonly TestPart[];
  }
}

/** Ends what killed runs have left behind: each a PostgreSQL of 100 MB that no process uses. */
async function clearLeftovers(base: string): Promise<void> {
  for (const name of await readdir(base)) {
    const [, pid, start] = /^facteur-test-(\d+)-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || startOfProcess(Number(pid)) === start) continue;
    const folder = join(base, name);
    const data = join(folder, 'postgres', 'data');
    const left = livePostmaster(data);
    if (left) await stopPostmaster(data, left);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts one real PostgreSQL for the whole run, with the template that test files clone. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Another user's leftovers, for instance: they must not keep the tests from running.
  const stay = (error: Error) => process.stderr.write(`Leftovers stay: ${error.message}\n`);
  for (const base of ['/dev/shm', tmpdir()]) await clearLeftovers(base).catch(stay);
  // In memory, if it has 6 GB now: a test file copies a database three times as fast there.
  const free = await statfs('/dev/shm').catch(() => undefined);
  const base = free && free.bavail * free.bsize > 6e9 ? '/dev/shm' : tmpdir();
  const dataDir = await mkdtemp(join(base, `facteur-test-${process.pid}-${startOfProcess(process.pid)}-`));
  const postgres = await startPostgres({
    dataDir,
    log: pino({ level: 'silent' }),
    settings: {
      // No test cuts the power; what a killed process wrote is kept by the system.
      fsync: 'off',
      full_page_writes: 'off',
      shared_buffers: '256MB',
      // How long a lock is waited for before a deadlock is looked for: it decides when one ends, not how.
      deadlock_timeout: '100ms',
    },
  });
  const connection = postgres.connection as pg.ClientConfig;
  // Where sources are watched they are run as they are: what is compiled now would grow old.
  const compiling = project.config.watch ? undefined : compilePrograms(join(dataDir, 'program'));
  await Promise.all([makeTemplate(connection), compiling]);
  project.provide('postgres', connection);
  // CI runs the tests in two parts, which add to one file.
  const replyNotes = process.env.REPLY_NOTES ?? join(dataDir, 'reply-notes');
  await appendFile(replyNotes, '');
  project.provide('replyNotes', replyNotes);
  const exchangeNotes = join(dataDir, 'exchange-notes');
  await writeFile(exchangeNotes, '');
  project.provide('exchangeNotes', exchangeNotes);
  return async () => {
    try {
      await checkReplies(project, replyNotes);
      if (project.getProvidedContext().recordsExamples) await recordExamples(exchangeNotes);
    } finally {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  };
}
