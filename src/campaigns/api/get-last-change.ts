import { changesOfRecord, type RecordedChange } from '../../accounts/audit-entry-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Closed, Count, IdOf, Nullable, Query, Timestamp, Type } from '../../platform/http/schema.ts';
import { getTargetOrRefuse } from '../../targets/target-store.ts';
import { getCampaign } from '../campaign-store.ts';

/** The operations that change a campaign's or a target's date of the last change. */
export const changing = {
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
    ...[
      'createTarget',
      'updateTarget',
      'setFieldFilter',
      'setBehaviourFilter',
      'setThematicFilter',
      'setSendingFilter',
    ],
    ...['setEmailPressureFilter', 'setGeolocationFilter', 'setFileFilter', 'setSqlFilter'],
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
  summary: 'Get who last changed a campaign or a target',
  description:
    'Give one id. The name comes from the audit log, which is written within a second of the change. It is null if ' +
    'the log has no entry: the change is older than the log, or was made by the service.',
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
    if (idCampaign > 0 === idTarget > 0) throw invalid('idCampaign, idTarget: one of them is required');
    const name = idCampaign > 0 ? 'idCampaign' : 'idTarget';
    const record = await (idCampaign > 0 ? getCampaign(db, idCampaign) : getTargetOrRefuse(db, idTarget));
    const date = new Date(record.lastUpdateDate);
    const found: RecordedChange | undefined = (
      await changesOfRecord(
        app.control,
        db.site.id,
        { name, id: record.id },
        { operations: changing[name], from: date, to: new Date(date.getTime() + longestRequestMs) },
      )
    )[0];
    return { date: date.toISOString(), userName: found?.userName ?? null };
  },
});
