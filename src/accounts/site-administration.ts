import type { TObject, TSchema } from 'typebox';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import {
  type AdminInput,
  adminOperation,
  type Declared,
  type Operation,
} from '../platform/http/operation.ts';
import { found } from '../platform/http/refusal.ts';
import { Params, type Static } from '../platform/http/schema.ts';
import { SiteName } from './site.ts';

type Members = Record<string, TSchema>;
type Nothing = Record<never, never>;

interface SiteAdministration<P extends Members, Q extends TObject, B extends TSchema, R extends TSchema>
  extends Pick<
    Declared<TObject, Q, B, R>,
    | 'id'
    | 'method'
    | 'path'
    | 'summary'
    | 'description'
    | 'query'
    | 'body'
    | 'example'
    | 'reply'
    | 'refusals'
    | 'atOnce'
  > {
  /** Parameters of the path besides the site. */
  readonly params?: P;
  handle(
    input: AdminInput<TObject<P>, Q, B> & { readonly site: SiteDb; readonly idSite: number },
  ): Promise<Static<R>>;
}

/** Declares an operation of an administrator on one site, below `/admin/v1/sites/{idsite}`. */
export function siteAdministration<
  R extends TSchema,
  P extends Members = Nothing,
  Q extends TObject = TObject<Nothing>,
  B extends TSchema = TSchema,
>({ params, handle, ...declared }: SiteAdministration<P, Q, B, R>): Operation {
  return adminOperation<R, TObject, Q, B>({
    ...declared,
    path: `/sites/{idsite}${declared.path}`,
    right: 'admin',
    tag: 'Administration',
    params: Params({ idsite: SiteName(), ...params }),
    async handle(input) {
      const given = input.params as AdminInput<TObject<P>, Q, B>['params'] & { readonly idsite: string };
      const site = await siteOf(input.app, given.idsite);
      return handle({ ...input, params: given, site, idSite: site.site.id });
    },
  });
}

/** The handle on the site that an administrator names. @throws 404 when there is none. */
export async function siteOf(app: App, name: string): Promise<SiteDb> {
  return found(await app.site(name), 'Site');
}
