import { openOperation } from '../../platform/http/operation.ts';
import { wrongPassword } from '../../platform/http/refusal.ts';
import { Closed, Line, Type } from '../../platform/http/schema.ts';
import { meOfUser } from '../me.ts';
import { MeSchema } from '../session.ts';
import { createSession } from '../session-store.ts';
import { entryLimits, userOfPassword } from '../sign-in.ts';

export const signIn = openOperation({
  id: 'signIn',
  method: 'POST',
  path: '/session',
  tag: 'Session',
  summary: 'Sign in',
  description:
    'Sets the cookie `facteur_session` (`__Host-facteur_session` behind https), which later requests carry instead ' +
    'of a token, and returns what getMe does. The session ends 12 hours after its last request and 30 ' +
    'days after it began, when the password changes, and when the user is disabled. A wrong password and ' +
    'an unknown address get the same response (401). After 10 wrong ' +
    'passwords for an account in five minutes, or 50 from one address, further attempts have to wait (429).',
  body: Closed('SignIn', {
    email: Line(254),
    password: Type.String({ title: 'String', minLength: 1, maxLength: 200 }),
  }),
  example: { email: 'ada@example.com', password: 'correct horse battery' },
  reply: MeSchema,
  refusals: [401],
  // Each computes a hash of 19 MiB.
  atOnce: 8,
  async handle({ app, db, body: { email, password }, address, setSessionCookie, now }) {
    const wasRight = await entryLimits(db).countPassword(email, address);
    const user = await userOfPassword(db, email, password);
    const text = user && (await createSession(db, user, now));
    if (!user || text === undefined) {
      app.log.warn({ address }, 'sign-in refused');
      throw wrongPassword();
    }
    await wasRight();
    app.log.info({ idUser: user.id, address }, 'signed in');
    setSessionCookie(text);
    return meOfUser(app, user.id);
  },
});
