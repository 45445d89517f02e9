import { siteOperation } from '../../platform/http/operation.ts';
import { Bool } from '../../platform/http/schema.ts';
import { ThematicChange } from '../thematic.ts';
import { updateThematic } from '../thematic-store.ts';

export const modifyThematic = siteOperation({
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
  reply: Bool(),
  refusals: [404, 409],
  async handle({ db, body }) {
    await updateThematic(db, body);
    return true;
  },
});
