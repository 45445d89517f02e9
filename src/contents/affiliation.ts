import { invalid } from '../platform/http/refusal.ts';
import { Closed, Id, Int32, Line, Maybe, type Static, Type } from '../platform/http/schema.ts';
import { isWebAddress } from './html-links.ts';

export const Affiliation = Closed('Affiliation', {
  id: Int32(),
  name: Type.String(),
  webSite: Type.String(),
});
export type Affiliation = Static<typeof Affiliation>;

const name = Type.String({ ...Line(255), minLength: 1 });
const webSite = Line(2000, 'An http or https address');

export const NewAffiliation = Closed('NewAffiliation', {
  id: Type.Optional(Type.Unknown({ description: 'Ignored: the service gives the id', readOnly: true })),
  name,
  webSite,
});

/** A change of an affiliation. Omitted and null properties keep their values. */
export const AffiliationChange = Closed('AffiliationChange', {
  id: Id('affiliation'),
  name: Maybe(name),
  webSite: Maybe(webSite),
});
export type AffiliationChange = Static<typeof AffiliationChange>;

/** @throws 400 for a web site that is not an http or https address */
export function checkWebSite(given: string | null | undefined): void {
  if (given !== null && given !== undefined && !isWebAddress(given))
    throw invalid('webSite: must be an http or https address');
}
