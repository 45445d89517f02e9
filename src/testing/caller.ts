import { createHash } from 'node:crypto';
import type { App } from '../platform/app.ts';
import { sql } from '../platform/db/sql.ts';
import type { Right } from '../platform/http/operation.ts';
import type { ServerParts } from '../platform/http/server.ts';

const rights: Record<string, Right[]> = {
  reader: ['read'],
  editor: ['read', 'write'],
  sender: ['read', 'write', 'send'],
  admin: ['read', 'write', 'send', 'admin'],
};

/** Reads the caller of a token straight from the tables, until the accounts slice does. */
export function findTestCaller(app: App): ServerParts['findCaller'] {
  return async (token, siteName) => {
    const row = await app.control.first<{
      idToken: number;
      idUser: number;
      userName: string;
      role: string;
      reaches: boolean;
    }>(sql`
      select t.id as "idToken", u.id as "idUser", u.name as "userName", t.role,
             t.all_sites or exists (select from token_site ts join site s on s.id = ts.id_site
                                    where ts.id_token = t.id and s.name = ${siteName ?? ''}) as reaches
      from token t join app_user u on u.id = t.id_user
      where t.hash = ${createHash('sha256').update(token).digest()}`);
    if (!row) return undefined;
    return { caller: { ...row, rights: new Set(rights[row.role]) }, reachesSite: row.reaches };
  };
}
