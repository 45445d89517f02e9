import { readLocation } from '../../contents/directory.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { IdOf, Paged, Paging, pageOf, pageRange, Query, Text, Type } from '../../platform/http/schema.ts';
import { showListItem, TargetListItem, targetLocations, targetSorts } from '../target-list.ts';
import { listTargetRows } from '../target-list-store.ts';

export const listTargets = siteOperation({
  id: 'listTargets',
  method: 'GET',
  path: '/targets',
  right: 'read',
  tag: 'Targets',
  summary: 'List targets by filter',
  description:
    '`filter.location`: All, MyFavorites, MyCreated and MyTests return targets that are not archived, Archives ' +
    'the archived ones; a number returns the targets with the tag of that id. `filter.name` is a part of the name, ' +
    'ignoring case and accents.',
  query: Query({
    'filter.location': IdOf('directory', Type.String({ title: 'String', maxLength: 20 })),
    'filter.name': Type.Optional(Text(255)),
    ...Paging(targetSorts),
  }),
  reply: Paged(TargetListItem),
  async handle({ db, query, caller }) {
    const range = pageRange(query);
    const { totalCount, items } = await listTargetRows(db, {
      ...range,
      location: readLocation(targetLocations, query['filter.location']),
      name: query['filter.name'],
      idUser: caller.idUser,
    });
    const shown = items.map((row) => showListItem(row, caller.rights.has('write')));
    return pageOf(shown, totalCount, range.start);
  },
});
