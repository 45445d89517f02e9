import { adminOperation } from '../../platform/http/operation.ts';
import { Bool, Line, Params, Query } from '../../platform/http/schema.ts';
import { forbidPublicKey } from '../sftp-keys.ts';
import { SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';

export const removeSftpPublicKey = adminOperation({
  id: 'removeSftpPublicKey',
  method: 'DELETE',
  path: '/sites/{idsite}/sftp-account/public-keys',
  right: 'admin',
  tag: 'Administration',
  summary: 'Remove an SSH key',
  description: 'Open sessions that signed in with it stay open.',
  params: Params({ idsite: SiteName() }),
  query: Query({ fingerprint: Line(200, "The key's fingerprint, SHA256:…") }),
  reply: Bool(),
  async handle({ db, app, params, query }) {
    const site = await siteNamed(db, params.idsite);
    await forbidPublicKey(db, app.secrets, site.id, query.fingerprint);
    return true;
  },
});
