import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Bool, Closed, Count, Id, Nullable, OneOf, Params, Query, Type } from '../../platform/http/schema.ts';
import { PageOfPeople, Person, usualPeople } from '../../subscribers/person.ts';
import { textSearch } from '../../subscribers/search-store.ts';
import { findLog } from '../import-log-store.ts';
import { isRecorded, keptDays, peopleKinds, peopleOfRun } from '../import-people-store.ts';
import { findImport } from '../import-store.ts';

export const listImportPeople = siteOperation({
  id: 'listImportPeople',
  method: 'GET',
  path: '/imports/{idImport}/people',
  right: 'read',
  tag: 'Imports',
  summary: 'List the people behind a figure of an import',
  description:
    'The people of one run by id, a page at a time. `new` are those that nbInserts counts, `changed` those of ' +
    'nbUpdates, `unchanged` are those in totalUpdates but not in nbUpdates. People deleted since then are ' +
    'omitted. A page can be shorter than `limit`, or empty, although others follow: `next` says where the next ' +
    `page begins, and is null on the last one. They are recorded for ${keptDays} days, of the newest runs up to ` +
    '1 GB a site; those of a deleted import are not kept.',
  params: Params({ idImport: Id('import') }),
  query: Query({
    kind: OneOf(peopleKinds, 'What the run did with them'),
    log: Type.Optional(Count('The `id` of the log of the run. Default: 0, the last run that has ended')),
    ...PageOfPeople,
  }),
  reply: Closed('ImportPeople', {
    isRecorded: Bool(
      'false: they were not recorded, because the import ran in an older version, has not ended yet, ended too long ' +
        'ago, was deleted or wrote no row. The list is empty then',
    ),
    people: Type.Array(Person),
    next: Nullable(Count('`after` of the next page; null on the last one')),
  }),
  async handle({ db, params: { idImport }, query, signal }) {
    const { kind, log = 0, after = 0, limit: most = usualPeople } = query;
    if (!(await findImport(db, idImport))) throw notFound('Import');
    const ended = await findLog(db, idImport, log === 0 ? undefined : log);
    if (!ended && log !== 0) throw notFound('Log', 'log');
    const of = ended && { idImport, run: ended.run };
    if (!of || !(await isRecorded(db, of))) return { isRecorded: false, people: [], next: null };
    const search = textSearch(db, query.search, signal);
    return { isRecorded: true, ...(await peopleOfRun(db, { ...of, kind, search, after, most })) };
  },
});
