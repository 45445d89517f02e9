import { siteOperation } from '../../platform/http/operation.ts';
import { Nullable } from '../../platform/http/schema.ts';
import { SampleData } from '../sample-data.ts';
import { findSampleData } from '../sample-data-store.ts';

export const getSampleData = siteOperation({
  id: 'getSampleData',
  method: 'GET',
  path: '/sample-data',
  right: 'read',
  tag: 'Sample data',
  summary: 'Get the sample data of the site',
  description: 'Null if the site has none.',
  reply: Nullable(SampleData),
  handle: async ({ db }) => (await findSampleData(db)) ?? null,
});
