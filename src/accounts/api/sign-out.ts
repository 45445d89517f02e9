import { callerOperation } from '../../platform/http/operation.ts';
import { Bool } from '../../platform/http/schema.ts';
import { endSession } from '../session-store.ts';

export const signOut = callerOperation({
  id: 'signOut',
  method: 'DELETE',
  path: '/session',
  tag: 'Session',
  summary: 'Sign out',
  description:
    'Ends the session of the request and removes its cookie. Returns false for a request with a token, which ends ' +
    'nothing.',
  reply: Bool(),
  async handle({ db, caller, setSessionCookie }) {
    if (caller.idSession === null) return false;
    setSessionCookie(null);
    return endSession(db, caller.idSession);
  },
});
