import { task } from '../../platform/tasks.ts';
import { buildHashIndex, buildHashIndexName, type HashIndexPayload } from '../hash-index.ts';

/** Builds the index for a hash that a site has started to use. */
export const buildHashIndexTask = task<HashIndexPayload>({
  name: buildHashIndexName,
  async run(app, { idSite, hash }) {
    const db = await app.siteById(idSite);
    if (db) await buildHashIndex(db, hash);
  },
});
