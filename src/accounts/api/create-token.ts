import { adminOperation } from '../../platform/http/operation.ts';
import { conflict, found, invalid } from '../../platform/http/refusal.ts';
import { Closed, Id, Line, Maybe, Nullable, Timestamp, Type } from '../../platform/http/schema.ts';
import { RoleSchema } from '../role.ts';
import { SiteName } from '../site.ts';
import { siteNamed } from '../site-store.ts';
import { TokenSchema } from '../token.ts';
import { findToken, createToken as makeToken } from '../token-store.ts';
import { findUser } from '../user-store.ts';

export const createToken = adminOperation({
  id: 'createToken',
  method: 'POST',
  path: '/tokens',
  right: 'admin',
  tag: 'Administration',
  summary: 'Create a token',
  description:
    'Only this response shows the token. `sites: null` means all sites; an `admin` token for ' +
    'all sites also administers the installation.',
  body: Closed('TokenInput', {
    idUser: Id('user'),
    label: Type.Optional(Line(255)),
    role: RoleSchema,
    sites: Nullable(Type.Array(SiteName(), { minItems: 1, maxItems: 1000 })),
    expirationDate: Maybe(Timestamp()),
  }),
  example: { idUser: 1, label: 'shop website', role: 'editor', sites: ['demo'] },
  reply: Closed('NewToken', { token: Type.String(), details: TokenSchema }),
  refusals: [404, 409],
  handle: async ({ db, body, now }) => {
    const user = found(await findUser(db, body.idUser), 'User', 'idUser');
    if (user.isDisabled) throw conflict('idUser: the user is disabled; enable them first');
    const expiresAt = body.expirationDate ? new Date(body.expirationDate) : null;
    if (expiresAt && expiresAt <= now) throw invalid('expirationDate: must be in the future');
    return db.transaction(async (tx) => {
      const idsSite: number[] = [];
      for (const name of new Set(body.sites)) idsSite.push((await siteNamed(tx, name, 'sites')).id);
      const token = {
        idUser: body.idUser,
        label: body.label ?? '',
        role: body.role,
        idsSite: body.sites && idsSite,
        expiresAt,
      };
      const { id, text } = await makeToken(tx, token, now);
      return { token: text, details: (await findToken(tx, id))! };
    });
  },
});
