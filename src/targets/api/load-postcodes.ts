import { join } from 'node:path';
import { SiteName } from '../../accounts/site.ts';
import { siteOf } from '../../accounts/site-administration.ts';
import { openRepository } from '../../files/open-repository.ts';
import { readTable } from '../../files/table-reader.ts';
import { adminOperation } from '../../platform/http/operation.ts';
import { Closed, Line } from '../../platform/http/schema.ts';
import { geoNamesFormat, LoadedPostcodes, loadPostcodes as load } from '../places/load-postcodes.ts';

export const loadPostcodes = adminOperation({
  id: 'loadPostcodes',
  method: 'POST',
  path: '/postcodes',
  right: 'admin',
  tag: 'Administration',
  summary: 'Load postcodes with their coordinates',
  description:
    'Loads a GeoNames file (tab-separated, one of https://download.geonames.org/export/zip/, unpacked) from a ' +
    "site's default repository. The file replaces the postcodes of its countries, for all sites.",
  body: Closed('PostcodeFile', {
    idsite: SiteName(),
    filename: Line(1024, 'Path in the default repository of that site; may contain sub-directories'),
  }),
  example: { idsite: 'demo', filename: 'geonames/FR.txt' },
  reply: LoadedPostcodes,
  refusals: [404, 422, 503],
  async handle({ app, db, body: { idsite, filename }, now }) {
    const files = await openRepository(app, await siteOf(app, idsite), null);
    try {
      const tmpDir = join(app.config.dataDir, 'tmp');
      return await load(
        db,
        { name: filename, groups: readTable(files, filename, { format: geoNamesFormat, tmpDir }) },
        now,
      );
    } finally {
      await files.close();
    }
  },
});
