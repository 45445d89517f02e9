import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Count, Id, Line, OneOf, Query, Timestamp, Type } from '../../platform/http/schema.ts';
import { listJobRecords } from '../job-list.ts';
import { campaignTypeOf, frenchCampaignTypes, readTagList, spanOf } from '../job-query.ts';
import { JobRecord } from '../job-record.ts';
import { jobSorts } from '../job-row-store.ts';

export const listJobs = siteOperation({
  id: 'listJobs',
  method: 'GET',
  path: '/statistics/jobs',
  right: 'read',
  tag: 'Statistics',
  summary: 'List generation jobs with their figures, a line for each',
  description:
    'Jobs that began (or, if they have not begun, were created) from `filters.startDate`, by default 30 days ' +
    'before the end, to `filters.endDate`, by default now; at most 6 months. `filters.search` is a part of the ' +
    'campaign’s name, `filters.author` a full name, both ignoring case and accents. `filters.tagList`: ids of ' +
    'directories, separated by `;`, of which the campaign carries one. `filters.paginationOffset` counts lines. ' +
    'Sorted by id, oldest first, by default. Test mailings have figures of their own. With `filters.idsCampaign` and ' +
    'neither date, jobs of all times are listed; with `filters.onlyLast` as well, each campaign has one line.',
  query: Query({
    'filters.startDate': Type.Optional(Timestamp('Left out: 30 days before `filters.endDate`')),
    'filters.endDate': Type.Optional(Timestamp('Left out: now; at most 6 months after `filters.startDate`')),
    'filters.search': Type.Optional(Line(255)),
    'filters.idCampType': Type.Optional(OneOf(frenchCampaignTypes)),
    'filters.tagList': Type.Optional(Line(2_000)),
    'filters.author': Type.Optional(Line(255)),
    'filters.idsCampaign': Type.Optional(
      Type.Array(Id('campaign'), {
        minItems: 1,
        maxItems: 200,
        description: 'Only jobs of these campaigns. Default: jobs of all campaigns',
      }),
    ),
    'filters.onlyLast': Type.Optional(
      Bool('true: of each campaign only the newest of these jobs that has started, by its id'),
    ),
    'filters.sortField': Type.Optional(OneOf(jobSorts)),
    'filters.sortDesc': Type.Optional(Bool()),
    'filters.hideTest': Type.Optional(Bool()),
    'filters.paginationLines': Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
    'filters.paginationOffset': Type.Optional(Count()),
  }),
  reply: Type.Array(JobRecord),
  async handle({ db, query, now }) {
    const type = query['filters.idCampType'];
    const [start, end] = [query['filters.startDate'], query['filters.endDate']];
    const idsCampaign = query['filters.idsCampaign'];
    const isOfAllTimes = idsCampaign !== undefined && start === undefined && end === undefined;
    const filter = {
      span: isOfAllTimes ? undefined : spanOf(start, end, now),
      idsCampaign,
      isLast: query['filters.onlyLast'] ?? false,
      search: query['filters.search'],
      campaignType: type && campaignTypeOf(type),
      idsDirectory: readTagList(query['filters.tagList']),
      author: query['filters.author'],
      hasTests: !query['filters.hideTest'],
    };
    return listJobRecords(db, filter, {
      sortBy: query['filters.sortField'] ?? 'id_job',
      isDescending: query['filters.sortDesc'] ?? false,
      start: query['filters.paginationOffset'] ?? 0,
      limit: query['filters.paginationLines'] ?? 20,
    });
  },
});
