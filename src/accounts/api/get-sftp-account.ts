import { accountOf, showSftpAccount } from '../sftp-keys.ts';
import { SftpAccountSchema } from '../site.ts';
import { siteAdministration } from '../site-administration.ts';

export const getSftpAccount = siteAdministration({
  id: 'getSftpAccount',
  method: 'GET',
  path: '/sftp-account',
  summary: "Get a site's SFTP account",
  reply: SftpAccountSchema,
  handle: async ({ db, app, idSite }) => showSftpAccount(await accountOf(db, app.secrets, idSite)),
});
