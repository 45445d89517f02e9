import { siteOperation } from '../../platform/http/operation.ts';
import { visibleName } from '../../platform/http/visible-name.ts';
import { NewThematic, Thematic } from '../thematic.ts';
import { insertThematic } from '../thematic-store.ts';

export const createThematic = siteOperation({
  id: 'createThematic',
  method: 'POST',
  path: '/thematics',
  right: 'write',
  tag: 'Thematics',
  summary: 'Create a thematic',
  description: 'A new thematic is enabled by default.',
  body: NewThematic,
  reply: Thematic,
  refusals: [404],
  async handle({ db, body }) {
    const thematic = {
      idParentThematic: body.idParentThematic ?? null,
      name: visibleName(body.name),
      description: body.description ?? '',
      isEnabled: body.isEnabled ?? true,
    };
    return { idThematic: await insertThematic(db, thematic), ...thematic };
  },
});
