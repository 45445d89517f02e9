import { renewSftpAccount, showSftpAccount } from '../sftp-keys.ts';
import { SftpAccountSchema } from '../site.ts';
import { siteAdministration } from '../site-administration.ts';

export const renewSftpPassword = siteAdministration({
  id: 'renewSftpPassword',
  method: 'POST',
  path: '/sftp-account/password',
  summary: "Renew a site's SFTP password",
  description: 'The old password is rejected from now on, but open sessions stay open.',
  reply: SftpAccountSchema,
  handle: async ({ db, app, idSite }) => showSftpAccount(await renewSftpAccount(db, app.secrets, idSite)),
});
