import { task } from '../../platform/tasks.ts';
import { buildSearchIndexes, buildSearchIndexesName, type SearchIndexesPayload } from '../search-store.ts';

/** Builds the indexes for searches of a site that has begun to search. */
export const buildSearchIndexesTask = task<SearchIndexesPayload>({
  name: buildSearchIndexesName,
  async run(app, { idSite }) {
    const db = await app.siteById(idSite);
    if (db) await buildSearchIndexes(db);
  },
});
