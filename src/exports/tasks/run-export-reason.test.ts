import pg from 'pg';
import { expect, test } from 'vitest';
import { unavailable } from '../../platform/http/refusal.ts';
import { reasonOf } from './run-export.ts';

const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

test.each([
  [unavailable('The SFTP server is away'), 'The SFTP server is away'],
  [
    new pg.DatabaseError('relation "site_demo.x" does not exist', 0, 'error'),
    'The subscribers could not be read',
  ],
  [new Error('Connection terminated unexpectedly'), 'The subscribers could not be read'],
  [coded('connect ENOENT /var/lib/facteur/.s.PGSQL.5432', 'ENOENT'), 'A connection was lost (ENOENT)'],
  [coded('connect ECONNREFUSED 10.0.0.7:5432', 'ECONNREFUSED'), 'A connection was lost (ECONNREFUSED)'],
  [new Error('No space on the server'), 'The file could not be written: No space on the server'],
])('what an export says of %s names nothing of the database', (error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});
