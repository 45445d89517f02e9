import type pg from 'pg';

/** The control schema and one site's schema as SQL text, from PostgreSQL's own catalogue, in a stable order. */
export async function dumpSchema(client: pg.Client): Promise<string> {
  const parts: string[] = [];
  for (const [schema, title] of [
    ['facteur', 'The control schema'],
    ['site_demo', 'The schema of a site (here: demo)'],
  ] as const) {
    // With the schema on the path its own names are printed bare.
    await client.query(`set search_path = ${schema}`);
    parts.push(`-- ${title}\n`, ...(await functions(client, schema)), ...(await tables(client, schema)));
  }
  return `${parts.join('\n')}\n`;
}

async function functions(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select case when p.prokind = 'a' then
         format('create aggregate %s(%s) (sfunc = %s, stype = %s%s)', p.oid::regproc,
           pg_get_function_identity_arguments(p.oid), a.aggtransfn, format_type(a.aggtranstype, null),
           case when length(a.agginitval) > 100 then format(', initcond = repeat(''0'', %s)', length(a.agginitval)) else '' end)
       else pg_get_functiondef(p.oid) end as text
     from pg_proc p left join pg_aggregate a on a.aggfnoid = p.oid
     where p.pronamespace = $1::regnamespace
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
     order by p.proname`,
    [schema],
  );
  return rows.map((row) => `${row.text.trimEnd()};\n`);
}

async function tables(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{
    oid: number;
    name: string;
    by: string | null;
    bounds: string | null;
  }>(
    `select c.oid, c.relname as name, pg_get_partkeydef(c.oid) as by,
       (select i.inhparent::regclass || ' ' || pg_get_expr(c.relpartbound, c.oid) from pg_inherits i
        where i.inhrelid = c.oid and c.relispartition) as bounds
     from pg_class c
     where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') order by c.relname`,
    [schema],
  );
  const made: string[] = [];
  for (const row of rows) made.push(await table(client, row));
  return [...made, ...(await views(client, schema))];
}

async function views(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(
    `select format(E'create view %I as\n%s', c.relname, pg_get_viewdef(c.oid)) as text from pg_class c
     where c.relnamespace = $1::regnamespace and c.relkind = 'v' order by c.relname`,
    [schema],
  );
  return rows.map((row) => `${row.text}\n`);
}

async function table(
  client: pg.Client,
  of: { oid: number; name: string; by: string | null; bounds: string | null },
): Promise<string> {
  const columns = await client.query<{ text: string }>(
    `select format('%I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
              case when a.attnotnull then ' not null' else '' end,
              case when a.attidentity <> '' then ' generated ' || case a.attidentity when 'a' then 'always' else 'by default' end
                     || ' as identity'
                   when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end) as text
     from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [of.oid],
  );
  const constraints = await client.query<{ text: string }>(
    `select format('constraint %I %s', conname, pg_get_constraintdef(oid)) as text from pg_constraint
     where conrelid = $1 and contype <> 'n' order by contype desc, conname`,
    [of.oid],
  );
  const indexes = await client.query<{ text: string }>(
    `select pg_get_indexdef(i.indexrelid) as text from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = $1 and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
     order by c.relname`,
    [of.oid],
  );
  const lines = [...columns.rows, ...constraints.rows].map((row) => `  ${row.text}`);
  const within = of.bounds ? ` partition of ${of.bounds}` : '';
  const after = of.by ? ` partition by ${of.by}` : '';
  const made = `create table ${of.name}${within} (\n${lines.join(',\n')}\n)${after};`;
  return `${[made, ...indexes.rows.map((row) => `${row.text};`)].join('\n')}\n`;
}
