import { listFields } from '../../fields/field-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Count, Id, Params, Query, Type } from '../../platform/http/schema.ts';
import { Subscriber, showSubscriber } from '../../subscribers/subscriber.ts';
import { readTargetSet } from '../selection.ts';
import { pageOfSet, sortOf } from '../subscriber-page.ts';

export const getTargetSubscribers = siteOperation({
  id: 'getTargetSubscribers',
  method: 'GET',
  path: '/targets/{idTarget}/subscribers',
  right: 'read',
  tag: 'Targets',
  summary: 'Get a page of the subscribers that a target selects',
  description:
    '`property` is the field to sort by, for example `fld1` or `1`; `direction` is ASC or DESC. Empty values come ' +
    'last. `start` is the number of rows to skip; `page` is accepted for grids that send it, and has no effect. A ' +
    'target with a random limit selects again for every page.',
  params: Params({ idTarget: Id('target') }),
  query: Query({
    property: Type.String({ title: 'String', maxLength: 20 }),
    direction: Type.String({ title: 'String', maxLength: 4 }),
    start: Count(),
    page: Count(),
    limit: Type.Integer({ title: 'Int32', minimum: 1, maximum: 1000 }),
  }),
  reply: Type.Array(Subscriber),
  refusals: [409, 422, 503],
  async handle({ app, db, params: { idTarget }, query: { property, direction, start, limit }, now, signal }) {
    return readTargetSet({ app, db, idTarget, at: now, signal }, async (tx, set) => {
      const fields = await listFields(tx);
      const sort = sortOf(fields, property, direction);
      const rows = await pageOfSet(tx, { set, fields, sort, start, limit });
      return rows.map((row) => showSubscriber(row, fields));
    });
  },
});
