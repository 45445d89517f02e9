import { sendSiteNotice } from '../../accounts/site-notice.ts';
import { findUser } from '../../accounts/user-store.ts';
import { embeddedRepository } from '../../files/repository.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import type { Notice } from '../../platform/notice.ts';
import { task } from '../../platform/tasks.ts';
import type { StoredExport } from '../export.ts';
import { filePathOf, settingsOf } from '../export-settings.ts';
import { findExport } from '../export-store.ts';

/** Notifies the creator of an export of its end; twice, if killed between the relay's reply and the job's end. */
export const finishExport = task<{ idSite: number; idExport: number }>({
  name: 'finishExport',
  async run(app, { idSite, idExport }) {
    const db = await app.siteById(idSite);
    if (!db) return;
    const found = await findExport(db, idExport);
    if (!found?.endedAt) return;
    const user = await findUser(app.control, found.idUser);
    // Gone since.
    if (!user || user.isDisabled) return;
    await sendSiteNotice(app, idSite, { to: [user.email], ...noticeOf(app, db, found) });
  },
});

function noticeOf(app: App, db: SiteDb, found: StoredExport): Omit<Notice, 'to'> {
  const { site } = db;
  const settings = settingsOf(found.request);
  const path = filePathOf(settings, site.name, found);
  const times = `Asked for ${found.createdAt.toISOString()}, ended ${found.endedAt!.toISOString()}`;
  const where =
    found.idRepository === embeddedRepository
      ? "the site's SFTP account"
      : `repository ${found.idRepository}`;
  if (found.state !== 'COMPLETED') {
    return {
      subject: `Error concerning the export... ${path} (${site.name})`,
      text: [
        `Export ${found.id} of ${site.name} to ${where} has failed; there is no new file.`,
        found.message,
        '',
        `${times}\n`,
      ].join('\n'),
    };
  }
  const replaced = found.nbReplaced ?? 0;
  const lines = [
    `Export ${found.id} of ${site.name}: the file ${path} is in ${where}.`,
    '',
    `${'statType' in found.request ? 'Lines' : 'Subscribers'}: ${found.nbLines}`,
    ...(replaced > 0
      ? [`Characters that code page ${settings.codePage} does not have, written as ?: ${replaced}`]
      : []),
    times,
    `${app.publicUrl}`,
  ];
  return { subject: `Export of the file... ${path} (${site.name})`, text: `${lines.join('\n')}\n` };
}
