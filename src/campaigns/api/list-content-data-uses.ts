import { ContentKey } from '../../contents/content-block.ts';
import { findContentData } from '../../contents/content-data-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Query } from '../../platform/http/schema.ts';
import { ContentUses, findContentUses } from '../content-uses.ts';

export const listContentDataUses = siteOperation({
  id: 'listContentDataUses',
  method: 'GET',
  path: '/content-data/uses',
  right: 'read',
  tag: 'Content blocks',
  summary: 'List where content data are used',
  description:
    'Contents that have a tag of the key themselves. A campaign whose content block has the tag is not listed; the ' +
    'block is.',
  query: Query({ key: ContentKey('The key of the data') }),
  reply: ContentUses,
  refusals: [404],
  async handle({ db, query }) {
    found(await findContentData(db, query.key), 'Content data', 'key');
    return findContentUses(db, 'data', query.key);
  },
});
