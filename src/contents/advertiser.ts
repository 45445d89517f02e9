import { Closed, Id, Int32, Line, Maybe, OneOf, type Static, Type } from '../platform/http/schema.ts';
import { sectors } from './sector.ts';

/** A company that pays for advertisements. */
export const Advertiser = Closed('Advertiser', {
  id: Int32(),
  name: Type.String(),
  sector: OneOf(sectors),
});
export type Advertiser = Static<typeof Advertiser>;

const name = Type.String({ ...Line(255), minLength: 1 });

export const NewAdvertiser = Closed('NewAdvertiser', {
  id: Type.Optional(Type.Unknown({ description: 'Ignored: the service gives the id', readOnly: true })),
  name,
  sector: Maybe(OneOf(sectors, 'Default: NoSector')),
});

/** A change of an advertiser. Omitted and null properties keep their values. */
export const AdvertiserChange = Closed('AdvertiserChange', {
  id: Id('advertiser'),
  name: Maybe(name),
  sector: Maybe(OneOf(sectors)),
});
export type AdvertiserChange = Static<typeof AdvertiserChange>;
