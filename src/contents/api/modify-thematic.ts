import { siteAction } from '../../platform/http/operation.ts';
import { ThematicChange } from '../thematic.ts';
import { updateThematic } from '../thematic-store.ts';

export const modifyThematic = siteAction({
  id: 'modifyThematic',
  method: 'PUT',
  path: '/thematics',
  right: 'write',
  tag: 'Thematics',
  summary: 'Modify a thematic',
  description:
    'Send only the properties to change; null changes nothing, except that a null parent removes it. A parent ' +
    'below the thematic itself is rejected (409).',
  body: ThematicChange,
  refusals: [404, 409],
  handle: ({ db, body }) => updateThematic(db, body),
});
