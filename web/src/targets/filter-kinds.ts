import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { ifMatch, type Versioned, versionedOf } from '../api/versions.ts';
import type { Target } from './target.ts';

type Schemas = components['schemas'];

/** The filters besides the one on fields, as the API stores them. */
interface Stored {
  readonly behaviour: Schemas['BehaviourFilter'];
  readonly thematic: Schemas['ThematicFilter'];
  readonly sending: Schemas['SendingFilter'];
  readonly emailPressure: Schemas['EmailPressureFilter'];
  readonly geolocation: Schemas['GeolocationFilter'];
  readonly file: Schemas['FileFilter'];
  readonly sql: Schemas['SqlFilter'];
}
export type Kind = keyof Stored;

/** A filter while it is edited. */
export type Filter<K extends Kind = Kind> = Omit<Stored[K], 'idTarget'>;
/** The filters of a target while they are edited. */
export type Filters = { readonly [K in Kind]?: Filter<K> };
/** A property of a filter, as errors of the API name it. */
export type Member<K extends Kind> = keyof Filter<K> & string;

interface At {
  readonly idsite: string;
  readonly idTarget: number;
}

/** A target in the version that a change begins from. */
export interface AtVersion extends At {
  readonly etag: string;
}

interface KindOf<K extends Kind> {
  /** The target's property that shows whether it has this filter. */
  readonly flag: keyof Target;
  readonly enabled: 'isEnabled' | 'isFilterEnabled';
  /** The filter as it begins. */
  start(now: Date): Filter<K>;
  /** The body that removes the filter. */
  readonly none: Filter<K>;
  /** Whether it has a condition, so that it can be saved. */
  isComplete(filter: Filter<K>): boolean;
  read(at: At): Promise<Stored[K]>;
  /** Stores it. @throws 412 if the target has another version than `at` */
  write(at: AtVersion, filter: Filter<K>): Promise<Versioned<unknown>>;
}

const site = ({ idsite, etag }: AtVersion) => ({ path: { idsite }, header: ifMatch(etag) });
const idOf = ({ idTarget }: At) => ({ idTarget });

const acts = { didAnAction: true, nbTime: '1', nbTimeAndDayOperator: 'AtLeast', filterMpp: true } as const;
const aYearMs = 365 * 86_400_000;

/** Every kind of filter besides the one on fields, in the order of the screen. */
export const kindsOf: { readonly [K in Kind]: KindOf<K> } = {
  behaviour: {
    flag: 'hasBehaviourFilter',
    enabled: 'isEnabled',
    start: () => ({ isEnabled: true, ...acts, action: 'Open', behaviourType: 'NbDays', nbDaysAgo: 90 }),
    none: { isEnabled: false },
    isComplete: ({ behaviourType, idSentList, idCampaign }) =>
      behaviourType === 'NbDays' || Boolean(behaviourType === 'Sent' ? idSentList : idCampaign),
    read: (at) =>
      dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/filters/behaviour', { params: { path: at } })),
    write: (at, filter) =>
      versionedOf(
        api.PUT('/v1/{idsite}/targets/filters/behaviour', {
          params: site(at),
          body: { ...filter, ...idOf(at) },
        }),
      ),
  },
  thematic: {
    flag: 'hasThematicFilter',
    enabled: 'isFilterEnabled',
    start: () => ({ isFilterEnabled: true, ...acts, action: 'Click', fromNbDays: 90, idsThematics: [] }),
    none: { isFilterEnabled: false, fromNbDays: 0 },
    isComplete: ({ idsThematics }) => (idsThematics ?? []).length > 0,
    read: (at) =>
      dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/filters/thematic', { params: { path: at } })),
    write: (at, filter) =>
      versionedOf(
        api.PUT('/v1/{idsite}/targets/filters/thematic', {
          params: site(at),
          body: { ...filter, ...idOf(at) },
        }),
      ),
  },
  sending: {
    flag: 'hasSendingFilter',
    enabled: 'isFilterEnabled',
    start: () => ({ isFilterEnabled: true, hasReceived: true, combinaisonMode: 'Union', idsCampaigns: '' }),
    none: { isFilterEnabled: false, hasReceived: false },
    isComplete: ({ idSentList, idsCampaigns }) => Boolean(idSentList || idsCampaigns),
    read: (at) =>
      dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/filters/sending', { params: { path: at } })),
    write: (at, filter) =>
      versionedOf(
        api.PUT('/v1/{idsite}/targets/filters/sending', {
          params: site(at),
          body: { ...filter, ...idOf(at) },
        }),
      ),
  },
  emailPressure: {
    flag: 'hasEmailPressureFilter',
    enabled: 'isFilterEnabled',
    start: () => ({
      isFilterEnabled: true,
      operatorRequest: 'LOWER',
      nbRequest: 4,
      type: 'Since',
      fromTime: 30,
      timeType: 2,
    }),
    none: { isFilterEnabled: false },
    isComplete: () => true,
    read: (at) =>
      dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/filters/email-pressure', { params: { path: at } })),
    write: (at, filter) =>
      versionedOf(
        api.PUT('/v1/{idsite}/targets/filters/email-pressure', {
          params: site(at),
          body: { ...filter, ...idOf(at) },
        }),
      ),
  },
  geolocation: {
    flag: 'hasGeolocFilter',
    enabled: 'isFilterEnabled',
    start: () => ({ isFilterEnabled: true, country: 'FRANCE' }),
    none: { isFilterEnabled: false },
    isComplete: ({ country, postcode, excludePostCodes, departmentIds }) =>
      Boolean((country && country !== '_NBCountry') || postcode || excludePostCodes || departmentIds),
    read: (at) =>
      dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/filters/geolocation', { params: { path: at } })),
    write: (at, filter) =>
      versionedOf(
        api.PUT('/v1/{idsite}/targets/filters/geolocation', {
          params: site(at),
          body: { ...filter, ...idOf(at) },
        }),
      ),
  },
  file: {
    flag: 'hasFileFilter',
    enabled: 'isEnabled',
    start: (now) => ({
      isEnabled: true,
      filename: '',
      dbFieldName: 'fld1',
      fileAutomaticDeletionDate: new Date(now.getTime() + aYearMs).toISOString(),
    }),
    none: { isEnabled: false },
    isComplete: ({ filename }) => Boolean(filename?.trim()),
    read: (at) => dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/filters/file', { params: { path: at } })),
    write: (at, filter) =>
      versionedOf(
        api.PUT('/v1/{idsite}/targets/filters/file', { params: site(at), body: { ...filter, ...idOf(at) } }),
      ),
  },
  sql: {
    flag: 'hasSqlFilter',
    enabled: 'isEnabled',
    start: () => ({ isEnabled: true, sql: '' }),
    none: { isEnabled: false },
    isComplete: ({ sql }) => Boolean(sql?.trim()),
    read: (at) => dataOf(api.GET('/v1/{idsite}/targets/{idTarget}/filters/sql', { params: { path: at } })),
    write: (at, filter) =>
      versionedOf(
        api.PUT('/v1/{idsite}/targets/filters/sql', { params: site(at), body: { ...filter, ...idOf(at) } }),
      ),
  },
};

// Object.keys forgets the keys' type; `kindsOf` is a literal of this file.
export const kinds = Object.keys(kindsOf) as Kind[];

/** Reads the filters that a target has besides the one on fields. */
export async function readFilters(idsite: string, target: Target): Promise<Filters> {
  const read = async <K extends Kind>(kind: K) => {
    const { idTarget: _, ...filter } = await kindsOf[kind].read({ idsite, idTarget: target.id });
    return [kind, filter] as const;
  };
  return Object.fromEntries(await Promise.all(kinds.filter((kind) => target[kindsOf[kind].flag]).map(read)));
}

/** Whether the target applies a filter that it has. */
export function isOn<K extends Kind>(kind: K, filter: Filter<K>): boolean {
  return (filter as { isEnabled?: boolean; isFilterEnabled?: boolean })[kindsOf[kind].enabled] !== false;
}
