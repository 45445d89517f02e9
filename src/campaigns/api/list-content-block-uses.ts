import { ContentKey } from '../../contents/content-block.ts';
import { findContentBlock } from '../../contents/content-block-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Query } from '../../platform/http/schema.ts';
import { ContentUses, findContentUses } from '../content-uses.ts';

export const listContentBlockUses = siteOperation({
  id: 'listContentBlockUses',
  method: 'GET',
  path: '/content-blocks/uses',
  right: 'read',
  tag: 'Content blocks',
  summary: 'List where a content block is used',
  description:
    'Contents that have a tag of the key themselves. A campaign whose content block has the tag is not listed; the ' +
    'block is.',
  query: Query({ contentKey: ContentKey('The key of the block') }),
  reply: ContentUses,
  refusals: [404],
  async handle({ db, query }) {
    found(await findContentBlock(db, query.contentKey), 'Content block', 'contentKey');
    return findContentUses(db, 'block', query.contentKey);
  },
});
