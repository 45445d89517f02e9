import { siteOperation } from '../../platform/http/operation.ts';
import { notFound } from '../../platform/http/refusal.ts';
import { Id, Query, Type } from '../../platform/http/schema.ts';
import { JobEvent } from '../job-event.ts';
import { readJobEvents } from '../job-event-store.ts';

export const listJobEvents = siteOperation({
  id: 'listJobEvents',
  method: 'GET',
  path: '/statistics/job-events',
  right: 'read',
  tag: 'Statistics',
  summary: 'List what happened in a job',
  description:
    'Newest first: who requested, paused, resumed and stopped it, when it started and ended, and the first reply of ' +
    'each kind. Acts of users come from the audit log, which keeps them for 400 days and has them within a second. ' +
    'The service’s latest pause is known, and its reason until the job is resumed; earlier ones are not. The time ' +
    'grows with the ranges of 1,000 recipients, and with the changes on the site while the job runs.',
  query: Query({ idJob: Id('job') }),
  reply: Type.Array(JobEvent),
  refusals: [404],
  async handle({ db, query: { idJob }, now }) {
    const events = await readJobEvents(db, idJob, now);
    if (!events) throw notFound('Job');
    return events;
  },
});
