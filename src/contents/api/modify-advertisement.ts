import { largeBodyMegabytes, siteAction } from '../../platform/http/operation.ts';
import { AdvertisementChange, changeAdvertisement } from '../advertisement.ts';
import { updateAdvertisement } from '../advertisement-store.ts';

export const modifyAdvertisement = siteAction({
  id: 'modifyAdvertisement',
  method: 'PUT',
  path: '/advertisements',
  right: 'write',
  tag: 'Advertisements',
  summary: 'Modify an advertisement',
  description:
    'Send only the properties to change; the others keep their values. Campaigns follow the change until their ' +
    'messages are generated, except in segments with an override. Sent messages do not change.',
  body: AdvertisementChange,
  bodyMegabytes: largeBodyMegabytes,
  refusals: [404, 422],
  handle: ({ db, body, now }) =>
    updateAdvertisement(db, body.id, (before) => changeAdvertisement(before, body), now),
});
