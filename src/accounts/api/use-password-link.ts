import { openOperation } from '../../platform/http/operation.ts';
import { refused } from '../../platform/http/refusal.ts';
import { Bool, Closed, Type } from '../../platform/http/schema.ts';
import { takePasswordLink } from '../password-link-store.ts';
import { entryLimits } from '../sign-in.ts';
import { PasswordOfUser } from '../user.ts';

export const usePasswordLink = openOperation({
  id: 'usePasswordLink',
  method: 'POST',
  path: '/password-links/use',
  tag: 'Session',
  summary: 'Choose a new password by a link',
  description:
    'Sets the password of the user who received the link, and ends all their sessions. A link that is unknown, ' +
    'used or older than one hour is rejected (422).',
  body: Closed('PasswordLinkUse', {
    token: Type.String({
      title: 'String',
      minLength: 1,
      maxLength: 200,
      description: 'The token in the link',
    }),
    password: PasswordOfUser(),
  }),
  example: { token: 'MlF0bmQ2d0tGZ2xTb0p3T3hQZ1l6cVh2c0JhQ1V0RTA', password: 'another horse battery' },
  reply: Bool(),
  refusals: [422],
  async handle({ db, body: { token, password }, address, now }) {
    await entryLimits(db).countLink(undefined, address);
    if (await takePasswordLink(db, token, password, now)) return true;
    throw refused('token: the link is unknown, used or too old; request a new one');
  },
});
