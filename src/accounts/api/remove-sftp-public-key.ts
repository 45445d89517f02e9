import { Bool, Line, Query } from '../../platform/http/schema.ts';
import { forbidPublicKey } from '../sftp-keys.ts';
import { siteAdministration } from '../site-administration.ts';

export const removeSftpPublicKey = siteAdministration({
  id: 'removeSftpPublicKey',
  method: 'DELETE',
  path: '/sftp-account/public-keys',
  summary: 'Remove an SSH key',
  description: 'Open sessions that signed in with it stay open.',
  query: Query({ fingerprint: Line(200, "The key's fingerprint, SHA256:…") }),
  reply: Bool(),
  async handle({ db, app, idSite, query }) {
    await forbidPublicKey(db, app.secrets, idSite, query.fingerprint);
    return true;
  },
});
