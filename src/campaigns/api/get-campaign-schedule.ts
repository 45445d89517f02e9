import { siteOperation } from '../../platform/http/operation.ts';
import { Closed, Id, Nullable, OneOf, Params, Timestamp, Type } from '../../platform/http/schema.ts';
import { scheduleOf } from '../campaign-store.ts';
import { DailyScheduleInput } from '../schedule.ts';
import { scheduleStates, scheduleTypes } from '../schedule-state.ts';

const CampaignSchedule = Closed('CampaignSchedule', {
  type: OneOf(scheduleTypes),
  state: OneOf(scheduleStates),
  dates: Type.Array(Timestamp(), {
    description: 'The current and future dates, in order. For a daily schedule, the next one',
  }),
  daily: Nullable(DailyScheduleInput),
});

export const getCampaignSchedule = siteOperation({
  id: 'getCampaignSchedule',
  method: 'GET',
  path: '/campaigns/{idCampaign}/schedule',
  right: 'read',
  tag: 'Campaigns',
  summary: 'Get the schedule of a campaign',
  description:
    '`dates` is empty and `daily` is null if nothing is planned. `daily` is the rule of a daily schedule, as ' +
    '`scheduleCampaignDaily` accepts it; `endDate` is null if the schedule has no end.',
  params: Params({ idCampaign: Id('campaign') }),
  reply: CampaignSchedule,
  async handle({ db, params }) {
    const { type, state, dates, daily } = await scheduleOf(db, params.idCampaign);
    return { type, state, dates: dates.map((date) => date.toISOString()), daily };
  },
});
