import { ContentKey } from '../../contents/content-block.ts';
import { deleteContentDataRows, findContentData } from '../../contents/content-data-store.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { conflict, found } from '../../platform/http/refusal.ts';
import { Query, Type } from '../../platform/http/schema.ts';
import { placesNaming } from '../content-uses.ts';

export const deleteContentData = siteAction({
  id: 'deleteContentData',
  method: 'DELETE',
  path: '/content-data',
  right: 'write',
  tag: 'Content blocks',
  summary: 'Delete content data',
  description:
    'Data that contents show are kept (409), unless `force` is true. Then the tags that name them become errors: ' +
    'campaigns that show them are not sent until there are data of that key again. Messages of a sending that has ' +
    'started show the default of the tag, or nothing.',
  query: Query({
    key: ContentKey('The key of the data'),
    force: Type.Optional(
      Type.Boolean({ default: false, description: 'Delete them even if contents show them' }),
    ),
  }),
  refusals: [404, 409],
  handle: ({ db, query }) =>
    db.transaction(async (tx) => {
      found(await findContentData(tx, query.key), 'Content data', 'key');
      const places = query.force ? '' : await placesNaming(tx, 'data', query.key);
      if (places !== '')
        throw conflict(`The content data are shown by ${places}; remove them there, or set force to true`);
      await deleteContentDataRows(tx, query.key);
    }),
});
