import { siteOperation } from '../../platform/http/operation.ts';
import { found } from '../../platform/http/refusal.ts';
import { Id, Query, Type } from '../../platform/http/schema.ts';
import { deviceOf, Mode, SendingStatistics, showSending } from '../sending-statistics.ts';
import { sendingStatistics } from '../sending-statistics-store.ts';

export const getSendingStatistics = siteOperation({
  id: 'getSendingStatistics',
  method: 'GET',
  path: '/statistics/sending',
  right: 'read',
  tag: 'Statistics',
  summary: 'Get the statistics of a sending',
  description:
    'The list holds one record. Test mailings have statistics too. `mode` limits opens and clicks, and their rates, ' +
    'to one device; all other figures are the same in each mode. A recipient who uses both devices counts ' +
    'in the readers of each.',
  query: Query({ idSent: Id('sent'), mode: Mode }),
  reply: Type.Array(SendingStatistics),
  refusals: [404],
  async handle({ db, query: { idSent, mode } }) {
    const record = found(await sendingStatistics(db, idSent, deviceOf(mode)), 'Sending');
    return [showSending(record)];
  },
});
