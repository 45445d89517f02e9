import { renewPassword } from '../sftp-account-store.ts';
import { accountOf, showSftpAccount } from '../sftp-keys.ts';
import { SftpAccountSchema } from '../site.ts';
import { siteAdministration } from '../site-administration.ts';

export const renewSftpPassword = siteAdministration({
  id: 'renewSftpPassword',
  method: 'POST',
  path: '/sftp-account/password',
  summary: "Renew a site's SFTP password",
  description: 'The old password is rejected from now on, but open sessions stay open.',
  reply: SftpAccountSchema,
  async handle({ db, app, idSite }) {
    await renewPassword(db, app.secrets, idSite);
    return showSftpAccount(await accountOf(db, app.secrets, idSite));
  },
});
