import { siteOperation } from '../../platform/http/operation.ts';
import { Id, Query, Type } from '../../platform/http/schema.ts';
import { describeTarget } from '../description.ts';
import { readFilterSite } from '../target-set.ts';
import { getTargetOrRefuse, readWithExcluded } from '../target-store.ts';

export const getTargetDescription = siteOperation({
  id: 'getTargetDescription',
  method: 'GET',
  path: '/targets/{idTarget}/description',
  right: 'read',
  tag: 'Targets',
  summary: 'Get a description of a target',
  description: 'French, with HTML tags; what users wrote in it is escaped.',
  params: Query({ idTarget: Id() }),
  reply: Type.String({ title: 'String' }),
  async handle({ app, db, params: { idTarget }, now }) {
    const target = await getTargetOrRefuse(db, idTarget);
    const excluded = await readWithExcluded(db, idTarget);
    const names = new Map([...excluded.values()].map(({ id, parameters }) => [id, parameters.name]));
    return describeTarget(target, names, await readFilterSite(app, db, now, target.filters));
  },
});
