import { siteOperation } from '../../platform/http/operation.ts';
import { SampleData, SampleDataInput, sampleTexts } from '../sample-data.ts';
import { createSampleData as create } from '../sample-data-store.ts';

export const createSampleData = siteOperation({
  id: 'createSampleData',
  method: 'POST',
  path: '/sample-data',
  right: 'write',
  tag: 'Sample data',
  summary: 'Create sample data',
  description:
    'Creates 200 made-up people at sample.facteur.example, a target of them and a draft campaign to it, all or ' +
    'nothing. Messages to that domain are kept in the built-in mailbox and are never given to a relay.',
  body: SampleDataInput,
  example: { language: 'en' },
  reply: SampleData,
  refusals: [409],
  handle: ({ db, body, caller, now }) => create(db, sampleTexts[body.language ?? 'en'], caller, now),
});
