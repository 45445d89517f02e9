import { adminOperation } from '../../platform/http/operation.ts';
import { Closed, Line, Params } from '../../platform/http/schema.ts';
import { allowPublicKey } from '../sftp-keys.ts';
import { SftpPublicKey, SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';

export const addSftpPublicKey = adminOperation({
  id: 'addSftpPublicKey',
  method: 'POST',
  path: '/sites/{idsite}/sftp-account/public-keys',
  right: 'admin',
  tag: 'Administration',
  summary: "Add an SSH key to a site's SFTP account",
  description: 'Accepts Ed25519, ECDSA and RSA keys. Adding a key again changes nothing.',
  params: Params({ idsite: SiteName() }),
  body: Closed('NewSftpPublicKey', {
    publicKey: Line(20_000, 'As in authorized_keys: ssh-ed25519 AAAA… comment'),
  }),
  example: {
    publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@laptop',
  },
  reply: SftpPublicKey,
  refusals: [409],
  async handle({ db, params, body }) {
    const site = await siteNamed(db, params.idsite);
    return allowPublicKey(db, site.id, body.publicKey);
  },
});
