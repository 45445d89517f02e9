import { adminOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Query } from '../../platform/http/schema.ts';
import { sftpAccountOf } from '../sftp-account-store.ts';
import { SftpAccountSchema, SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';

export const getSftpAccount = adminOperation({
  id: 'getSftpAccount',
  method: 'GET',
  path: '/sites/{idsite}/sftp-account',
  right: 'admin',
  tag: 'Administration',
  summary: "Get a site's account on the embedded SFTP server",
  params: Query({ idsite: SiteName() }),
  reply: SftpAccountSchema,
  handle: async ({ db, app, params }) => {
    const site = await siteNamed(db, params.idsite);
    const account = await sftpAccountOf(db, app.secrets, site.id);
    if (!account) throw notFound('SFTP account');
    return {
      login: account.login,
      password: account.password,
      publicKeys: [...account.publicKeys],
    };
  },
});
