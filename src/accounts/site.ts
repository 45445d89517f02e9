import { Closed, Id, type Static, Timestamp, Type } from '../platform/http/schema.ts';

/** A site's name: the `idsite` of the API. It is never changed. */
export const siteNamePattern = '^[a-z0-9][a-z0-9-]{1,30}$';

export const SiteName = () =>
  Type.String({
    title: 'String',
    pattern: siteNamePattern,
    examples: ['demo'],
    description: '2 to 31 of a-z, 0-9 and -, with no - in front',
  });

/** One customer database, as administration shows it. */
export const SiteSchema = Closed('Site', {
  id: Id(),
  name: SiteName(),
  creationDate: Timestamp(),
});
export type SiteShown = Static<typeof SiteSchema>;

/** The site's account on the embedded SFTP server. */
export const SftpAccountSchema = Closed('SftpAccount', {
  login: Type.String(),
  password: Type.String(),
  publicKeys: Type.Array(Type.String()),
});

/** The PostgreSQL schema of a site. Only for making it: afterwards it is read from the table of sites. */
export function schemaOfNewSite(name: string): string {
  if (!new RegExp(siteNamePattern).test(name)) throw new Error('Not the name of a site');
  return `site_${name}`;
}
