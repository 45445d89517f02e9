import { sql } from '../platform/db/sql.ts';
import type { TestApp } from './app.ts';

/** A target of the site `other`, of an id that the site `demo` has not given; its id. */
export async function foreignTarget({ otherDb }: TestApp): Promise<number> {
  const id = 5_000;
  await otherDb.run(sql`
    insert into ${otherDb.t.target} (id, id_user, author, name, created_at, updated_at) overriding system value
    values (${id}, 1, 'Eve', 'Foreign', now(), now())
    on conflict (id) do nothing`);
  return id;
}
