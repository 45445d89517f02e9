import { callerOperation } from '../../platform/http/operation.ts';
import { Closed, ReadOnly } from '../../platform/http/schema.ts';
import { meOfCaller } from '../me.ts';
import { MeSchema } from '../session.ts';
import { PreferencesChange } from '../user.ts';
import { changePreferences } from '../user-store.ts';

export const updateMe = callerOperation({
  id: 'updateMe',
  method: 'PUT',
  path: '/me',
  tag: 'Session',
  summary: 'Change your own preferences',
  description:
    'How the console looks for the user, on all of their devices. Omitted and null properties keep their values. A ' +
    'token changes the preferences of its user.',
  body: Closed('MeChange', {
    preferences: PreferencesChange,
    user: ReadOnly(),
    isAdministrator: ReadOnly(),
    sites: ReadOnly(),
    settings: ReadOnly(),
  }),
  example: { preferences: { theme: 'dark', density: 'compact' } },
  reply: MeSchema,
  async handle({ app, db, body, caller }) {
    await changePreferences(db, caller.idUser, body.preferences);
    return meOfCaller(app, caller);
  },
});
