import type { PassThrough } from 'node:stream';
import { siteOperation } from '../../platform/http/operation.ts';
import { invalid } from '../../platform/http/refusal.ts';
import { Type } from '../../platform/http/schema.ts';
import { listenToSite } from '../event-feeds.ts';

const EventStream = Type.Unsafe<PassThrough>({
  type: 'string',
  title: 'String',
  description:
    'Events as `event: <name>`, `data: <JSON>`, and an empty line. `job`: idJob, idCampaign, isTest, state, ' +
    'scheduledDate, startDate, endDate, errorInfo, nbAddressToSend, nbAddressSent. `import`: idImport, state, ' +
    'isDeleted, progression, startDate. `export`: idExportJob, exportJobState, nbLines, lastExecutionStartDate, ' +
    'lastExecutionEndDate. `current`: an empty object; it has the id',
});

export const streamEvents = siteOperation({
  id: 'streamEvents',
  method: 'GET',
  path: '/events',
  right: 'read',
  tag: 'Events',
  summary: 'Stream changes of jobs, imports and exports',
  description:
    'Server-sent events. The stream begins with everything that is open (jobs, imports and exports that have not ' +
    'ended), then sends the present state of each that changes, at most two seconds later. An event `current` ends ' +
    'each group of changes and carries the id; it also comes every 15 seconds. A client that reconnects with ' +
    '`Last-Event-ID` first receives what has changed since, even after a restart of the service: at most the newest ' +
    '1,000 of each kind that have ended. Events show states, not steps: several changes in one second are one event. ' +
    'The stream ends at most ten seconds after the session or token. More than 100 streams of a site are rejected ' +
    '(503); read the lists every few seconds instead.',
  reply: EventStream,
  refusals: [503],
  sendsEvents: true,
  async handle({ app, db, stream }) {
    const { lastEventId, isStillAdmitted } = stream!;
    return listenToSite(app, db, { since: cursorOf(lastEventId), isStillAdmitted });
  },
});

/** @throws 400 for an id that no event has */
function cursorOf(id: string | undefined): number | undefined {
  if (id === undefined || id === '') return undefined;
  if (!/^\d{1,15}$/.test(id)) throw invalid('Last-Event-ID: must be the id of an event');
  return Number(id);
}
