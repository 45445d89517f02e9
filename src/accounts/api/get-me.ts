import { callerOperation } from '../../platform/http/operation.ts';
import { meOfCaller } from '../me.ts';
import { MeSchema } from '../session.ts';

export const getMe = callerOperation({
  id: 'getMe',
  method: 'GET',
  path: '/me',
  tag: 'Session',
  summary: 'Get the caller',
  description:
    'The user of the session or token, the sites that it has access to with the role on each, and the settings that ' +
    'a client needs.',
  reply: MeSchema,
  handle: ({ app, caller }) => meOfCaller(app, caller),
});
