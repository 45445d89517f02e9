import type { SiteDb } from '../platform/db/site-db.ts';
import { sql } from '../platform/db/sql.ts';
import type { Field } from './field.ts';

const columns = sql`
  f.id, f.name, f.length, f.list, f.field_type as "fieldType", f.description, f.id < 100 as "isSystem",
  f.is_visible as "isVisible", f.is_editable as "isEditable", f.is_hidden_by_customer as "isHiddenByCustomer"`;

/** All fields of the site by id. Before rows of subscribers are read or written by them, see `holdFields`. */
export async function listFields(db: SiteDb): Promise<Field[]> {
  return db.rows<Field>(sql`select ${columns} from ${db.t.field} f order by f.id`);
}

/**
 * All fields, which keep their columns and types until the transaction ends. The join names the subscriber table so
 * that the statement takes its ACCESS SHARE lock, before its snapshot, in the same round trip: a change of type needs
 * the table for itself, so it is either seen whole or waits.
 */
export async function holdFields(tx: SiteDb): Promise<Field[]> {
  return tx.rows<Field>(sql`
    select ${columns} from ${tx.t.field} f left join ${tx.t.subscriber} s on false order by f.id`);
}
