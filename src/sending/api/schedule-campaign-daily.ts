import { DailyScheduleInput, readDaily } from '../../campaigns/schedule.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { scheduleSending } from '../control-jobs.ts';

export const scheduleCampaignDaily = siteAction({
  id: 'scheduleCampaignDaily',
  method: 'POST',
  path: '/campaigns/{idCampaign}/schedule/daily',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Schedule a campaign every day, or every few days',
  description:
    'The first sending is at the first `sendingTime` in Paris that is not before `startDate`; the next ones follow ' +
    'every `frequency` days until `endDate`. The days count from a start in the past as well. As with calendar ' +
    'dates, a date more than an hour late is missed, and the new schedule replaces the old one of a campaign that ' +
    'waits for a date. `schedulingInfos.calendarDates` shows the next date.',
  params: Params({ idCampaign: Id('campaign') }),
  body: DailyScheduleInput,
  example: {
    startDate: '2026-12-01T00:00:00',
    endDate: '2026-12-24T23:59:59',
    sendingTime: '08:00:00',
    frequency: 1,
  },
  refusals: [404, 409, 422, 503],
  handle: async (input) => {
    const schedule = readDaily(input.body, input.now);
    await scheduleSending(input, input.params.idCampaign, schedule);
  },
});
