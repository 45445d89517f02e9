import { changesOfRecord } from '../../accounts/audit-entry-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Closed, Count, IdOf, Nullable, Query, Timestamp, Type } from '../../platform/http/schema.ts';
import { filterOperations } from '../../targets/filter-operations.ts';
import { getTargetOrRefuse } from '../../targets/target-store.ts';
import { getCampaign } from '../campaign-store.ts';

/** The operations that change a campaign's or a target's date of the last change. */
export const changingOperations = {
  idCampaign: [
    ...[
      'createCampaign',
      'modifyCampaign',
      'modifyCampaignFields',
      'setCampaignMjml',
      'addPictureFromHtmlBuilder',
    ],
    ...['createSegment', 'updateSegment', 'deleteSegment', 'reorderSegments', 'assignAdvertisement'],
  ],
  idTarget: [
    ...['createTarget', 'createTargetWithFilters', 'updateTarget'],
    ...filterOperations.filter(({ method }) => method === 'PUT').map(({ id }) => id),
  ],
} as const;
/** A request is logged at its end, which is later than the date of its change. */
const longestRequestMs = 60_000;

export const getLastChange = siteOperation({
  id: 'getLastChange',
  method: 'GET',
  path: '/last-change',
  right: 'read',
  tag: 'Campaigns',
  summary: 'Get the last change of a campaign or target',
  description:
    'Give one id. The name comes from the audit log, which is written within a second of the change. It is null if ' +
    'the log has no entry, because the change is older than the log or was made by the service, and if several ' +
    'people changed the record within a minute.',
  query: Query({
    idCampaign: Type.Optional(IdOf('campaign', Count('The campaign'))),
    idTarget: Type.Optional(IdOf('target', Count('The target'))),
  }),
  reply: Closed('LastChange', {
    date: Timestamp(),
    userName: Nullable(Type.String({ title: 'String', description: 'The name that the user has now' })),
  }),
  refusals: [404],
  async handle({ app, db, query: { idCampaign = 0, idTarget = 0 } }) {
    if (idCampaign > 0 === idTarget > 0) throw invalid('idCampaign, idTarget: give exactly one of them');
    const name = idCampaign > 0 ? 'idCampaign' : 'idTarget';
    const record = await (idCampaign > 0 ? getCampaign(db, idCampaign) : getTargetOrRefuse(db, idTarget));
    const date = new Date(record.lastUpdateDate);
    const found = await changesOfRecord(
      app.control,
      db.site.id,
      { name, id: record.id },
      { operations: changingOperations[name], from: date, to: new Date(date.getTime() + longestRequestMs) },
    );
    const names = new Set(found.map(({ userName }) => userName));
    // Several people within a minute: the entries, which have the end of a request, do not tell whose change was last.
    return { date: date.toISOString(), userName: names.size === 1 ? [...names][0]! : null };
  },
});
