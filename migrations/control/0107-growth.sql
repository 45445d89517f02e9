-- Triggers of a site's table of subscribers. They count who comes to be eligible for mail and who ceases to be
-- (subscribers/eligibility.ts) in the site's own table `growth`, in the transaction of the change. No writer of
-- subscribers can forget them.

-- Adds a row to a site's `growth`. A transaction says the cause and the record that it comes from by the setting
-- facteur.growth_cause, for example 'import 12' (subscribers/growth-store.ts); without it the cause is 'api'.
create function note_growth(site_schema name, nb_joined int, nb_left int) returns void language plpgsql as $$
declare
  said text[] := string_to_array(nullif(current_setting('facteur.growth_cause', true), ''), ' ');
begin
  if nb_joined = 0 and nb_left = 0 then return; end if;
  execute format(
    'insert into %I.growth (day, cause, id_source, nb_joined, nb_left) values ($1, $2, $3, $4, $5)', site_schema)
    using (now() at time zone 'Europe/Paris')::date, coalesce(said[1], 'api'), coalesce(said[2]::int, 0),
      nb_joined, nb_left;
end $$;

-- After an insert, once for each statement.
create function count_added() returns trigger language plpgsql as $$
begin
  perform facteur.note_growth(tg_table_schema,
    (select count(*)::int from changed where fld7 = 0 and fld44 in (0, 1)), 0);
  return null;
end $$;

-- After a delete, once for each statement.
create function count_removed() returns trigger language plpgsql as $$
begin
  perform facteur.note_growth(tg_table_schema,
    0, (select count(*)::int from changed where fld7 = 0 and fld44 in (0, 1)));
  return null;
end $$;

-- After an update, for each row that came to be eligible or ceased to be: adds 1 to the setting of the transaction that
-- the trigger names. A row of `growth` for each would make an import that unsubscribes everyone three times slower.
create function add_turned() returns trigger language plpgsql as $$
begin
  perform set_config(tg_argv[0], (coalesce(nullif(current_setting(tg_argv[0], true), ''), '0')::int + 1)::text, true);
  return null;
end $$;

-- After an update, once for each statement: counts what its rows have added.
create function count_turned() returns trigger language plpgsql as $$
declare
  nb_joined int := coalesce(nullif(current_setting('facteur.nb_joined', true), ''), '0');
  nb_left int := coalesce(nullif(current_setting('facteur.nb_left', true), ''), '0');
begin
  if nb_joined = 0 and nb_left = 0 then return null; end if;
  perform facteur.note_growth(tg_table_schema, nb_joined, nb_left);
  perform set_config('facteur.nb_joined', '', true), set_config('facteur.nb_left', '', true);
  return null;
end $$;
