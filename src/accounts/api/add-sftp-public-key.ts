import { Closed, Line } from '../../platform/http/schema.ts';
import { allowPublicKey } from '../sftp-keys.ts';
import { SftpPublicKey } from '../site.ts';
import { siteAdministration } from '../site-administration.ts';

export const addSftpPublicKey = siteAdministration({
  id: 'addSftpPublicKey',
  method: 'POST',
  path: '/sftp-account/public-keys',
  summary: "Add an SSH key to a site's SFTP account",
  description: 'Accepts Ed25519, ECDSA and RSA keys. Adding a key again changes nothing.',
  body: Closed('NewSftpPublicKey', {
    publicKey: Line(20_000, 'As in authorized_keys: ssh-ed25519 AAAA… comment'),
  }),
  example: {
    publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@laptop',
  },
  reply: SftpPublicKey,
  refusals: [409],
  handle: ({ db, idSite, body }) => allowPublicKey(db, idSite, body.publicKey),
});
