import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { siteFolderPath } from '../src/files/sftp-server.ts';
import type { App } from '../src/platform/app.ts';
import type { SiteDb } from '../src/platform/db/site-db.ts';
import { sql } from '../src/platform/db/sql.ts';
import { loadPostcodeFile } from '../src/targets/places/postcode-file.ts';
import { benchNow } from './targets-data.ts';

/** Data for filters, besides subscribers and facts. */
export const centre = { code: '45000', latitude: 46.5, longitude: 2.5 };
export const listedFile = 'listed.csv';
/** The addresses of the file, one row each, for the plain formulation. */
export const plainFile = (db: SiteDb) => db.name('plain_file');

/** 6,000 French postcodes, as many as there are, strewn over the country. */
export async function loadPlaces(app: App): Promise<void> {
  const lines = Array.from({ length: 6_000 }, (_, i) => {
    const code = String(1_005 + i * 15).padStart(5, '0');
    const [latitude, longitude] =
      code === centre.code
        ? [centre.latitude, centre.longitude]
        : [43 + ((i * 7_919) % 6_000) / 857, -2 + ((i * 104_729) % 6_000) / 667];
    return `FR\t${code}\tTown ${i}\t\t\t\t\t\t\t${latitude.toFixed(4)}\t${longitude.toFixed(4)}\t4`;
  });
  const path = join(app.config.dataDir, 'places', 'FR.txt');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${lines.join('\n')}\n`);
  await loadPostcodeFile(app.control, path, benchNow);
}

/** A file of every tenth subscriber's email, in the site's repository. */
export async function writeFileOfEmails(app: App, db: SiteDb): Promise<void> {
  await db.run(sql`drop table if exists ${plainFile(db)}`);
  await db.run(
    sql`create table ${plainFile(db)} as select fld1 as email from ${db.t.subscriber} where fld0 % 10 = 3`,
  );
  await db.run(sql`analyze ${plainFile(db)}`);
  const rows = await db.rows<{ email: string }>(sql`select email from ${plainFile(db)}`);
  const folder = siteFolderPath(app.config.dataDir, db.site.id);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, listedFile), `email\n${rows.map(({ email }) => email).join('\n')}\n`);
}
