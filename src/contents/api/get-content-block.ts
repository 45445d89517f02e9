import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Query } from '../../platform/http/schema.ts';
import { ContentBlock, ContentKey } from '../content-block.ts';
import { findContentBlock, versionOfContentBlock } from '../content-block-store.ts';

export const getContentBlock = siteOperation({
  id: 'getContentBlock',
  method: 'GET',
  path: '/content-blocks',
  right: 'read',
  tag: 'Content blocks',
  summary: 'Get a content block',
  query: Query({ contentKey: ContentKey('The key of the block') }),
  versionOf: (db, { query }, isLocked) => versionOfContentBlock(db, query.contentKey, isLocked),
  reply: ContentBlock,
  refusals: [404],
  handle: async ({ db, query: { contentKey } }) =>
    found(await findContentBlock(db, contentKey), 'Content block', 'contentKey'),
});
