import { invalid } from '../platform/http/refusal.ts';
import {
  Closed,
  Count,
  IdOf,
  Int32,
  Line,
  Nullable,
  type Static,
  Timestamp,
  Type,
} from '../platform/http/schema.ts';
import { SiteName } from './site.ts';

/** Days that an entry is kept: a year, and time to look at its end. */
export const auditDays = 400;
export const auditPage = 100;

export const auditedRequests =
  'An entry is a request that was to change something, refused or not, except with 401, 412 or 429; newest ' +
  'first, 100 on a page. It has ids, and no other value of the request. Changes of subscribers by the API, and ' +
  'requests that only read, ' +
  `leave none. An entry is listed within a second, and kept for ${auditDays} days.`;

/** A change, or the attempt of one: who requested it, and with what result. */
export const AuditEntrySchema = Closed('AuditEntry', {
  id: Type.Integer({ title: 'Int64' }),
  date: Timestamp(),
  idUser: Type.Integer({ title: 'Int32', description: 'The user' }),
  userName: Nullable(Type.String({ title: 'String', description: 'The name that the user has now' })),
  idToken: Nullable(Type.Integer({ title: 'Int32', description: 'The token; null for a session' })),
  site: Nullable(Type.String({ title: 'String', description: 'The name of the site; null for none' })),
  operation: Type.String({ title: 'String', description: 'The operation’s id in this reference' }),
  status: Int32('The HTTP status of the response'),
  address: Nullable(Type.String({ title: 'String', description: 'The client’s IP address' })),
  ids: Type.Record(
    Type.String(),
    Type.Union([Type.Integer({ title: 'Int64' }), Type.String({ title: 'String' })]),
    {
      title: 'AuditedIds',
      description:
        'Ids by name, as the path, the query and the properties of the body name them; `id`: that of the record in ' +
        'the response. A body that is an id has the name of its record, for example `idCampaign`',
    },
  ),
});
export type AuditEntryShown = Static<typeof AuditEntrySchema>;

export const AuditEntryPage = Closed('AuditEntryPage', {
  entries: Type.Array(AuditEntrySchema),
  next: Nullable(Line(40, 'For `before`; null on the last page')),
});
export type AuditEntryPage = Static<typeof AuditEntryPage>;

/** The filters that both lists of entries have. */
export const auditFilters = {
  idUser: Type.Optional(IdOf('user', Count('Only entries of this user; 0 means all'))),
  operation: Type.Optional(Line(100, 'Only entries of this operation, by its id in this reference')),
  from: Type.Optional(Timestamp('Only entries at or after this time')),
  to: Type.Optional(Timestamp('Only entries before this time')),
  before: Type.Optional(Line(40, 'The `next` of the previous page. Default: from the newest entry')),
};
export const SiteOfEntries = () =>
  Type.Optional(Type.String({ ...SiteName(), description: 'Only entries of this site, by its name' }));

/** The entries to list: those that match every given property. */
export interface AuditFilter {
  readonly idUser?: number;
  readonly idSite?: number;
  readonly operation?: string;
  readonly from?: string;
  readonly to?: string;
  readonly before?: string;
}

export interface AuditPlace {
  readonly date: string;
  readonly id: number;
}

export const cursorOf = ({ date, id }: AuditPlace): string => `${date}_${id}`;

/** @throws 400 for a text that is no cursor */
export function placeOf(cursor: string): AuditPlace {
  const found = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_(\d{1,15})$/.exec(cursor);
  if (!found || Number.isNaN(Date.parse(found[1]!)))
    throw invalid('before: must be the `next` of another page');
  return { date: found[1]!, id: Number(found[2]) };
}
