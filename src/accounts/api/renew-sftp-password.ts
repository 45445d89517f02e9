import { adminOperation } from '../../platform/http/operation.ts';
import { Params } from '../../platform/http/schema.ts';
import { renewSftpAccount, showSftpAccount } from '../sftp-keys.ts';
import { SftpAccountSchema, SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';

export const renewSftpPassword = adminOperation({
  id: 'renewSftpPassword',
  method: 'POST',
  path: '/sites/{idsite}/sftp-account/password',
  right: 'admin',
  tag: 'Administration',
  summary: "Renew a site's SFTP password",
  description: 'The old password is rejected from now on, but open sessions stay open.',
  params: Params({ idsite: SiteName() }),
  reply: SftpAccountSchema,
  async handle({ db, app, params }) {
    const site = await siteNamed(db, params.idsite);
    return showSftpAccount(await renewSftpAccount(db, app.secrets, site.id));
  },
});
