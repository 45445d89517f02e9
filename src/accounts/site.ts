import { Closed, Count, Id, ReadOnly, type Static, Timestamp, Type } from '../platform/http/schema.ts';
import { fingerprintOf, lineOf, parsePublicKey, type SshPublicKey } from '../platform/ssh-key.ts';

/** A site's name: the `idsite` of the API. It is never changed. */
export const siteNamePattern = '^[a-z0-9][a-z0-9-]{1,30}$';

export const SiteName = () =>
  Type.String({
    title: 'String',
    pattern: siteNamePattern,
    examples: ['demo'],
    description: '2 to 31 of a-z, 0-9 and -, with no - in front',
  });

export const TypedConfirmationFrom = () =>
  Count(
    'The number of people from which a user of the console types it to confirm a sending; 0 means never. A new ' +
      'site has 10,000',
  );

/** One customer database with its settings, as the API shows it. */
export const SiteSchema = Closed('Site', {
  id: Id('site'),
  name: SiteName(),
  typedConfirmationFrom: TypedConfirmationFrom(),
  creationDate: Timestamp(),
});
export type SiteShown = Static<typeof SiteSchema>;

/** The settings of a site that its administrators change. */
export const SiteSettings = Closed('SiteSettings', {
  typedConfirmationFrom: TypedConfirmationFrom(),
  id: ReadOnly(),
  name: ReadOnly(),
  creationDate: ReadOnly(),
});
export type SiteSettings = Static<typeof SiteSettings>;

export const SftpAccountSchema = Closed('SftpAccount', {
  login: Type.String(),
  password: Type.String(),
  publicKeys: Type.Array(Type.String()),
});

/** A key that may sign in to that account instead of the password. */
export const SftpPublicKey = Closed('SftpPublicKey', {
  publicKey: Type.String(),
  type: Type.String(),
  fingerprint: Type.String(),
  comment: Type.String(),
});
export type SftpPublicKey = Static<typeof SftpPublicKey>;

/** The comment behind the key in a line of `authorized_keys`, cut to 200 characters. */
export function commentOf(line: string, key: SshPublicKey): string {
  const words = line.trim().split(/\s+/);
  return words
    .slice(words.indexOf(key.type) + 2)
    .join(' ')
    .slice(0, 200);
}

/** A line of `public_keys` as administration shows it. */
export function showPublicKey(line: string): SftpPublicKey {
  const key = parsePublicKey(line);
  if (!key) throw new Error('A public key that was kept cannot be read');
  const comment = line.split(' ').slice(2).join(' ');
  return { publicKey: lineOf(key), type: key.type, fingerprint: fingerprintOf(key), comment };
}

/** The PostgreSQL schema of a site. Only for making it: afterwards it is read from the table of sites. */
export function schemaOfNewSite(name: string): string {
  if (!new RegExp(siteNamePattern).test(name)) throw new Error('Not the name of a site');
  return `site_${name}`;
}
