import { largeBodyMegabytes, siteOperation } from '../../platform/http/operation.ts';
import {
  Advertisement,
  makeAdvertisement,
  maxAdvertisementBytes,
  maxAdvertisements,
  NewAdvertisement,
} from '../advertisement.ts';
import { insertAdvertisement } from '../advertisement-store.ts';

export const createAdvertisement = siteOperation({
  id: 'createAdvertisement',
  method: 'POST',
  path: '/advertisements',
  right: 'write',
  tag: 'Advertisements',
  summary: 'Create an advertisement',
  description:
    'Its HTML may contain tags; the campaign checklist names those that cannot be filled. A site has at ' +
    `most ${maxAdvertisements} advertisements, of ${maxAdvertisementBytes} bytes of HTML in total (422).`,
  body: NewAdvertisement,
  bodyMegabytes: largeBodyMegabytes,
  example: { name: 'Summer sale', html: '<p><a href="https://shop.example/sale">Summer sale</a></p>' },
  reply: Advertisement,
  refusals: [404, 422],
  handle: ({ db, body, caller, now }) => insertAdvertisement(db, makeAdvertisement(body), caller.idUser, now),
});
