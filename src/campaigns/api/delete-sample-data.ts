import { siteOperation } from '../../platform/http/operation.ts';
import { RemovedSampleData } from '../sample-data.ts';
import { removeSampleData } from '../sample-data-store.ts';

export const deleteSampleData = siteOperation({
  id: 'deleteSampleData',
  method: 'DELETE',
  path: '/sample-data',
  right: 'write',
  tag: 'Sample data',
  summary: 'Remove the sample data of the site',
  description:
    'Removes exactly the people, the target and the draft that were created with it, even if they were changed, and ' +
    'says how many. The people are not archived. A draft that was sent is archived instead, because its statistics ' +
    'stay. Refused while it is scheduled or being sent, while another target excludes the sample target, and while a ' +
    'scheduled or running campaign uses it.',
  reply: RemovedSampleData,
  refusals: [404, 409],
  handle: ({ db, now }) => removeSampleData(db, now),
});
