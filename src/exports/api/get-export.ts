import { sftpAccountOf } from '../../accounts/sftp-account-store.ts';
import { findUser } from '../../accounts/user-store.ts';
import { embeddedRepository } from '../../files/repository.ts';
import { findRepository } from '../../files/repository-store.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Nullable, Params } from '../../platform/http/schema.ts';
import { ExportJob, type ExportJobFtp } from '../export.ts';
import { fileNameOf, settingsOf } from '../export-settings.ts';
import { findExport, openExports } from '../export-store.ts';
import { exportJob } from '../export-view.ts';

export const getExport = siteOperation({
  id: 'getExport',
  method: 'GET',
  path: '/exports/{idExport}',
  right: 'read',
  tag: 'Exports',
  summary: 'Get an export',
  description: 'null for an unknown id. The password of the account is shown to admin tokens only.',
  params: Params({ idExport: Id('export') }),
  reply: Nullable(ExportJob),
  answersUnknown: true,
  async handle({ app, db, params, caller }) {
    const found = await findExport(db, params.idExport);
    if (!found) return null;
    const user = await findUser(app.control, found.idUser);
    return exportJob(found, {
      site: db.site.name,
      email: user?.email ?? '',
      ftp: await exportAccount(app, db, found.idRepository, caller.rights.has('admin')),
    });
  },
});

const masked = '********';

/**
 * The SFTP account that an export writes to, with the exports that have not ended there. A repository that was deleted
 * is named as well, without its password. Null only for a site without an account.
 * @param showsPassword only to an administrator's token
 */
async function exportAccount(
  app: App,
  db: SiteDb,
  idRepository: number,
  showsPassword: boolean,
): Promise<ExportJobFtp | null> {
  const account =
    idRepository === embeddedRepository
      ? await embeddedAccount(app, db)
      : await findRepository(db, app.secrets, idRepository, { evenDeleted: true });
  if (!account) return null;
  const { host, subfolder, port, login, password } = account;
  const open = (await openExports(db)).filter((one) => one.idRepository === idRepository);
  return {
    idExportJobFtp: idRepository,
    host,
    subfolder,
    port,
    login,
    // An account that signs in with a key has none.
    password: showsPassword ? (password ?? '') : masked,
    idPrimaryKey: { idExportJobFtp: idRepository },
    exportJobs: Object.fromEntries(
      open.map((one) => [String(one.id), fileNameOf(settingsOf(one.request), db.site.name, one)]),
    ),
  };
}

/** The site's own account on the embedded server. */
async function embeddedAccount({ config, control, secrets, publicUrl }: App, db: SiteDb) {
  const account = await sftpAccountOf(control, secrets, db.site.id);
  if (!account) return undefined;
  const { login, password } = account;
  return { host: new URL(publicUrl).hostname, port: config.sftpPort, subfolder: '', login, password };
}
