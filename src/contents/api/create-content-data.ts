import { join } from 'node:path';
import { openRepository } from '../../files/open-repository.ts';
import { TableError } from '../../files/table.ts';
import { readTable } from '../../files/table-reader.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { refused } from '../../platform/http/refusal.ts';
import { Type } from '../../platform/http/schema.ts';
import { ContentDataInput, contentDataSource } from '../content-data.ts';
import { replaceContentData } from '../content-data-store.ts';

export const createContentData = siteOperation({
  id: 'createContentData',
  method: 'POST',
  path: '/content-data',
  right: 'write',
  tag: 'Content blocks',
  summary: 'Create or replace content data',
  description:
    'Reads a file of two columns: a value, and the content for readers who have it. The tag `[[DATA.key.fldN]]` ' +
    'shows the row whose value equals the subscriber’s field N, ignoring case. Without such a row it shows the ' +
    'text after a |, or nothing. All earlier rows are replaced at once, or none. Returns the tag.',
  body: ContentDataInput,
  example: { key: 'prices', dataFilePath: '/prices.csv' },
  // Each call holds a connection until its file is loaded.
  atOnce: 2,
  reply: Type.String({ title: 'String', description: 'The tag that shows the data' }),
  refusals: [422, 503],
  async handle({ app, db, body, now }) {
    const { key, tag, filename, format } = contentDataSource(body);
    const files = await openRepository(app, db, null);
    try {
      const tmpDir = join(app.config.dataDir, 'tmp');
      await replaceContentData(db, key, readTable(files, filename, { format, tmpDir }), now);
      return tag;
    } catch (error) {
      throw error instanceof TableError ? refused(`dataFilePath: ${error.message}`) : error;
    } finally {
      await files.close();
    }
  },
});
