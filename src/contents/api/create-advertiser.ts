import { siteOperation } from '../../platform/http/operation.ts';
import { Advertiser, NewAdvertiser } from '../advertiser.ts';
import { advertisers } from '../advertiser-store.ts';

export const createAdvertiser = siteOperation({
  id: 'createAdvertiser',
  method: 'POST',
  path: '/advertisers',
  right: 'write',
  tag: 'Advertisements',
  summary: 'Create an advertiser',
  deprecated: true,
  body: NewAdvertiser,
  example: { name: 'The shop', sector: 'Fashion' },
  reply: Advertiser,
  handle: ({ db, body }) => advertisers.insert(db, { name: body.name, sector: body.sector ?? 'NoSector' }),
});
