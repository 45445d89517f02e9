import { CalendarDates, readCalendar } from '../../campaigns/schedule.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Bool, Id, Params } from '../../platform/http/schema.ts';
import { scheduleSending, takeScheduleBack } from '../schedule-campaign.ts';

export const scheduleCampaign = siteOperation({
  id: 'scheduleCampaign',
  method: 'POST',
  path: '/campaigns/{idCampaign}/schedule/calendar',
  right: 'send',
  tag: 'Campaigns',
  summary: 'Schedule a campaign on calendar dates',
  description:
    'The body lists the dates, up to 366. Without an offset they are wall times in Paris: one that the spring change ' +
    'skips runs at the first instant after the gap, one that occurs twice in autumn runs the first time. A campaign ' +
    'that waits for a date gets the new dates in place of the old ones; an empty list takes its schedule back. At ' +
    'each date the campaign is sent as it is then, to its audience of that moment. A date that comes while an ' +
    'earlier one is still sent waits for its end. More than an hour late (the service was down, the campaign ' +
    'was paused) a date is missed and never starts automatically; the next one does. What keeps a campaign from ' +
    'being sent refuses the schedule too (422, 503). 409 while the campaign is sent or paused, and for a date for ' +
    'which it has been begun.',
  params: Params({ idCampaign: Id('campaign') }),
  body: CalendarDates,
  example: ['2026-12-24T08:00:00', '2026-12-31T08:00:00'],
  reply: Bool(),
  refusals: [404, 409, 422, 503],
  handle: async (input) => {
    const { idCampaign } = input.params;
    const schedule = readCalendar(input.body, input.now);
    if (schedule) await scheduleSending(input, idCampaign, schedule);
    else await takeScheduleBack(input, idCampaign);
    return true;
  },
});
