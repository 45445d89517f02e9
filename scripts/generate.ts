/**
 * Generates the committed `openapi.json`, `schema.sql` and the list of a site's tables from the operations and the
 * migrations, so that a reviewer sees what a change does to the contract and to the tables. `--check` only compares,
 * and fails on a difference.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { operations } from '../src/api.ts';
import { openApiDocument } from '../src/platform/http/openapi.ts';
import { startPostgres } from '../src/platform/postgres/embedded.ts';
import { referenceWords } from '../src/reference-words.ts';
import { readExamples } from '../src/testing/examples.ts';
import { makeTemplate, templateName } from '../src/testing/template-database.ts';
import { dumpSchema } from './schema-dump.ts';

const checking = process.argv.includes('--check');
const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };

const parts = { operations, version, words: referenceWords, examples: readExamples() };

const schema = await schemaText();
const made: Record<string, string> = {
  'openapi.json': `${JSON.stringify(openApiDocument(parts), null, 2)}\n`,
  'schema.sql': schema,
  'src/platform/db/site-tables.ts': siteTables(schema),
};

const stale: string[] = [];
for (const [file, text] of Object.entries(made)) {
  const present = await readFile(file, 'utf8').catch(() => '');
  if (present === text) continue;
  stale.push(file);
  if (!checking) await writeFile(file, text);
}
if (checking && stale.length > 0) {
  console.error(`${stale.join(' and ')}: not current; run 'npm run generate' and commit`);
  process.exitCode = 1;
} else {
  console.log(stale.length > 0 ? `wrote ${stale.join(', ')}` : `${Object.keys(made).join(', ')}: current`);
}

/** Returns the module that names the tables and views of a site, so that statements with other names do not compile. */
function siteTables(schema: string): string {
  const site = schema.slice(schema.indexOf('-- The schema of a site'));
  const names = [...site.matchAll(/^create (?:table|view) (\w+) /gm)].map(([, name]) => `  '${name}',\n`);
  return `// Made by 'npm run generate' from migrations/; do not edit it.

/** The tables and views of a site's schema. */
export const siteTableNames = [
${names.join('')}] as const;
`;
}

async function schemaText(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'facteur-schema-'));
  const postgres = await startPostgres({ dataDir, log: pino({ level: 'silent' }) });
  try {
    const connection = postgres.connection as pg.ClientConfig;
    await makeTemplate(connection);
    const client = new pg.Client({ ...connection, database: templateName });
    await client.connect();
    try {
      return `-- Made by 'npm run generate' from migrations/; read it, do not edit it.\n\n${await dumpSchema(client)}`;
    } finally {
      await client.end();
    }
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
