import { CalendarDates, readCalendar } from '../../campaigns/schedule.ts';
import { siteAction } from '../../platform/http/operation.ts';
import { Id, Params } from '../../platform/http/schema.ts';
import { removeSchedule, scheduleSending } from '../control-jobs.ts';

export const scheduleCampaign = siteAction({
  id: 'scheduleCampaign',
  method: 'POST',
  path: '/campaigns/{idCampaign}/schedule/calendar',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Schedule a campaign on calendar dates',
  description:
    'The body lists up to 366 dates. Dates without an offset are wall times in Paris: a time that the spring change ' +
    'skips means the first instant after the gap, a time that occurs twice in autumn means the first one. The dates ' +
    'replace those of a campaign that waits for a date; an empty list removes its schedule. At each date the ' +
    'campaign is sent as it is then, to its audience of that moment. A date that comes while an earlier one is ' +
    'being sent waits for its end. If the service was down or the campaign was paused, a date more than an hour ' +
    'late is missed and never starts automatically; the next one does. Whatever keeps a campaign from being sent ' +
    'rejects the schedule as well (422, 503). Returns 409 while the campaign is being sent or paused, and for a ' +
    'date for which it has already been begun.',
  params: Params({ idCampaign: Id('campaign') }),
  body: CalendarDates,
  example: ['2026-12-24T08:00:00', '2026-12-31T08:00:00'],
  refusals: [404, 409, 422, 503],
  handle: async (input) => {
    const { idCampaign } = input.params;
    const schedule = readCalendar(input.body, input.now);
    if (schedule) await scheduleSending(input, idCampaign, schedule);
    else await removeSchedule(input, idCampaign);
  },
});
