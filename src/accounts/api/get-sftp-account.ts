import { adminOperation } from '../../platform/http/operation.ts';
import { Params } from '../../platform/http/schema.ts';
import { accountOf, showSftpAccount } from '../sftp-keys.ts';
import { SftpAccountSchema, SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';

export const getSftpAccount = adminOperation({
  id: 'getSftpAccount',
  method: 'GET',
  path: '/sites/{idsite}/sftp-account',
  right: 'admin',
  tag: 'Administration',
  summary: "Get a site's SFTP account",
  params: Params({ idsite: SiteName() }),
  reply: SftpAccountSchema,
  handle: async ({ db, app, params }) => {
    const site = await siteNamed(db, params.idsite);
    return showSftpAccount(await accountOf(db, app.secrets, site.id));
  },
});
