import { adminOperation } from '../../platform/http/operation.ts';
import { Params, Type } from '../../platform/http/schema.ts';
import { accountOf } from '../sftp-keys.ts';
import { SftpPublicKey, SiteName, showPublicKey } from '../site.ts';
import { siteNamed } from '../site-store.ts';

export const listSftpPublicKeys = adminOperation({
  id: 'listSftpPublicKeys',
  method: 'GET',
  path: '/sites/{idsite}/sftp-account/public-keys',
  right: 'admin',
  tag: 'Administration',
  summary: "List the SSH keys of a site's SFTP account",
  params: Params({ idsite: SiteName() }),
  reply: Type.Array(SftpPublicKey),
  async handle({ db, app, params }) {
    const site = await siteNamed(db, params.idsite);
    return (await accountOf(db, app.secrets, site.id)).publicKeys.map(showPublicKey);
  },
});
