import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Paged, pageOf, Query, Type } from '../../platform/http/schema.ts';
import { showListItem, TargetListItem } from '../target-list.ts';
import { listTargetRows } from '../target-list-store.ts';

export const listAllTargets = siteOperation({
  id: 'listAllTargets',
  method: 'GET',
  path: '/targets/all',
  right: 'read',
  tag: 'Targets',
  summary: 'List all targets that are not archived',
  description: 'All targets in one page, by id. `isAutomation` is obsolete and has no effect.',
  query: Query({ isAutomation: Type.Optional(Bool()) }),
  reply: Paged(TargetListItem),
  async handle({ db, caller }) {
    const rows = await listTargetRows(db, {
      idUser: caller.idUser,
      sortBy: 'IdTarget',
      isDescending: false,
      start: 0,
      limit: null,
    });
    const items = rows.items.map((row) => showListItem(row, caller.rights.has('write')));
    return pageOf(items, rows.totalCount, 0);
  },
});
