import { siteOperation } from '../../platform/http/operation.ts';
import { Paged } from '../../platform/http/schema.ts';
import { ListedContentData } from '../content-data.ts';
import { contentDataList } from '../content-data-store.ts';
import { KeyListQuery } from '../key-list-store.ts';

export const listContentData = siteOperation({
  id: 'listContentData',
  method: 'GET',
  path: '/content-data',
  right: 'read',
  tag: 'Content blocks',
  summary: 'List content data',
  description:
    'The name of content data is their key. Data whose file is still being loaded keep their earlier rows.',
  query: KeyListQuery(contentDataList),
  reply: Paged(ListedContentData),
  handle: ({ db, query }) => contentDataList.page(db, query),
});
