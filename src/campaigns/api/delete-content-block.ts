import { ContentKey } from '../../contents/content-block.ts';
import { deleteContentBlockRow } from '../../contents/content-block-store.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { conflict } from '../../platform/http/refusal.ts';
import { Query, Type } from '../../platform/http/schema.ts';
import { placesNaming } from '../content-uses.ts';

export const deleteContentBlock = siteAction({
  id: 'deleteContentBlock',
  method: 'DELETE',
  path: '/content-blocks',
  right: 'write',
  tag: 'Content blocks',
  summary: 'Delete a content block',
  description:
    'A block that contents show is kept (409), unless `force` is true. Then the tags that name it become errors: ' +
    'campaigns that show it are not sent until a block of that key is there again. Sendings that have started ' +
    'keep the block.',
  query: Query({
    contentKey: ContentKey('The key of the block'),
    force: Type.Optional(Type.Boolean({ default: false, description: 'Delete it even if contents show it' })),
  }),
  refusals: [404, 409],
  handle: ({ db, query }) =>
    db.transaction(async (tx) => {
      await deleteContentBlockRow(tx, query.contentKey);
      const places = query.force ? '' : await placesNaming(tx, 'block', query.contentKey);
      if (places !== '')
        throw conflict(`The content block is shown by ${places}; remove it there, or set force to true`);
    }),
});
