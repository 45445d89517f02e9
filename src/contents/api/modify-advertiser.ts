import { siteOperation } from '../../platform/http/operation.ts';
import { Bool } from '../../platform/http/schema.ts';
import { AdvertiserChange } from '../advertiser.ts';
import { updateAdvertiser } from '../advertiser-store.ts';

export const modifyAdvertiser = siteOperation({
  id: 'modifyAdvertiser',
  method: 'PUT',
  path: '/advertisers',
  right: 'write',
  tag: 'Advertisements',
  summary: 'Modify an advertiser',
  description: 'Send only the properties to change; the others keep their values.',
  deprecated: true,
  body: AdvertiserChange,
  reply: Bool(),
  refusals: [404],
  async handle({ db, body }) {
    await updateAdvertiser(db, body);
    return true;
  },
});
