import { siteOperation } from '../../platform/http/operation.ts';
import { Paged } from '../../platform/http/schema.ts';
import { ListedContentBlock } from '../content-block.ts';
import { contentBlockList } from '../content-block-store.ts';
import { KeyListQuery } from '../key-list-store.ts';

export const listContentBlocks = siteOperation({
  id: 'listContentBlocks',
  method: 'GET',
  path: '/content-blocks/list',
  right: 'read',
  tag: 'Content blocks',
  summary: 'List content blocks',
  description: 'The name of a block is its key. `getContentBlock` returns the text.',
  query: KeyListQuery(contentBlockList),
  reply: Paged(ListedContentBlock),
  handle: ({ db, query }) => contentBlockList.page(db, query),
});
