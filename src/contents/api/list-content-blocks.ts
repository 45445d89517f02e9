import { siteOperation } from '../../platform/http/operation.ts';
import { Line, Paged, Paging, pageOf, pageRange, Query, Type } from '../../platform/http/schema.ts';
import { ListedContentBlock } from '../content-block.ts';
import { contentBlockSorts, listBlocks } from '../content-block-store.ts';

export const listContentBlocks = siteOperation({
  id: 'listContentBlocks',
  method: 'GET',
  path: '/content-blocks/list',
  right: 'read',
  tag: 'Content blocks',
  summary: 'List content blocks',
  description: 'The name of a block is its key. `getContentBlock` returns the text.',
  query: Query({
    'filter.name': Type.Optional(Line(255, 'Part of the key, ignoring case and accents')),
    ...Paging(contentBlockSorts),
  }),
  reply: Paged(ListedContentBlock),
  async handle({ db, query }) {
    const range = pageRange(query);
    const { items, totalCount } = await listBlocks(db, { ...range, name: query['filter.name'] });
    return pageOf(items, totalCount, range.start);
  },
});
