-- Functions that every site's tables and indexes use. They are immutable so that indexes can hold them.

create extension if not exists pgcrypto with schema facteur;
create extension if not exists unaccent with schema facteur;

-- Text as it is compared in filters: without regard to case and accents.
-- In PL/pgSQL because a function in SQL around unaccent (which is only stable) cannot be inlined and is then slower:
-- 600 ms against 2,000 ms a million rows (PostgreSQL 18.4, one process).
create function fold(text) returns text immutable strict parallel safe language plpgsql
  as $$ begin return lower(facteur.unaccent('facteur.unaccent', $1)); end $$;

-- The four hashes of an email address, of the UTF-8 bytes of its lower-cased form.
create function email_md5(text) returns bytea immutable strict parallel safe language sql
  -- The server's own md5 of text: 0.5 µs where pgcrypto's digest takes 4.4.
  as $$ select decode(md5(lower($1)), 'hex') $$;
create function email_sha1(text) returns bytea immutable strict parallel safe language sql
  as $$ select facteur.digest(convert_to(lower($1), 'UTF8'), 'sha1') $$;
create function email_sha256(text) returns bytea immutable strict parallel safe language sql
  as $$ select sha256(convert_to(lower($1), 'UTF8')) $$;
create function email_sha512(text) returns bytea immutable strict parallel safe language sql
  as $$ select sha512(convert_to(lower($1), 'UTF8')) $$;

-- The French department of a postcode: its first two digits, three overseas, 2A and 2B in Corsica. A postcode of
-- another country has none; a subscriber without a country is taken for a French one.
create function french_department(postcode text, country text) returns text immutable parallel safe language sql
  as $$ select case
    when postcode !~ '^[0-9]{5}$' or coalesce(country, 'FR') not in
      ('FR', 'GP', 'MQ', 'GF', 'RE', 'PM', 'YT', 'BL', 'MF', 'TF', 'WF', 'PF', 'NC') then null
    when postcode ~ '^20[01]' then '2A'
    when postcode ~ '^20[26]' then '2B'
    when postcode ~ '^9[78][1-8]' then left(postcode, 3)
    when postcode ~ '^(00|20|9[6-9])' then null
    else left(postcode, 2) end $$;

-- Counts a change of a site's fields in that site's own field_version.
create function count_field_change() returns trigger language plpgsql as $$
begin
  execute format('update %I.field_version set version = version + 1', tg_table_schema);
  return null;
end $$;
