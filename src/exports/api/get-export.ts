import { findUser } from '../../accounts/user-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Nullable, Params } from '../../platform/http/schema.ts';
import { ExportJob } from '../export.ts';
import { exportAccount } from '../export-account.ts';
import { findExport } from '../export-store.ts';
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
