import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../platform/postgres/embedded.ts';
import { makeTemplate } from './template-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: pg.ClientConfig;
  }
}

/** Starts one real PostgreSQL for the whole run, with the template that test files clone. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'facteur-test-'));
  const postgres = await startPostgres({
    dataDir,
    log: pino({ level: 'silent' }),
    // No test cuts the power; what a killed process wrote is kept by the system.
    settings: { fsync: 'off', full_page_writes: 'off' },
  });
  const connection = postgres.connection as pg.ClientConfig;
  await makeTemplate(connection);
  project.provide('postgres', connection);
  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
