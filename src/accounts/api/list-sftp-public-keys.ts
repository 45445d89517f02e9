import { Type } from '../../platform/http/schema.ts';
import { accountOf } from '../sftp-keys.ts';
import { SftpPublicKey, showPublicKey } from '../site.ts';
import { siteAdministration } from '../site-administration.ts';

export const listSftpPublicKeys = siteAdministration({
  id: 'listSftpPublicKeys',
  method: 'GET',
  path: '/sftp-account/public-keys',
  summary: "List the SSH keys of a site's SFTP account",
  reply: Type.Array(SftpPublicKey),
  handle: async ({ db, app, idSite }) =>
    (await accountOf(db, app.secrets, idSite)).publicKeys.map(showPublicKey),
});
