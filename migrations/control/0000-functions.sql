-- Functions that every site's tables and indexes use. They are immutable so that indexes can hold them.

create extension if not exists pgcrypto with schema facteur;
create extension if not exists unaccent with schema facteur;

-- Text as it is compared in filters: without regard to case and accents.
create function fold(text) returns text immutable strict parallel safe language sql
  as $$ select lower(facteur.unaccent('facteur.unaccent', $1)) $$;

-- The four hashes of an email address, of the UTF-8 bytes of its lower-cased form.
create function email_md5(text) returns bytea immutable strict parallel safe language sql
  as $$ select facteur.digest(convert_to(lower($1), 'UTF8'), 'md5') $$;
create function email_sha1(text) returns bytea immutable strict parallel safe language sql
  as $$ select facteur.digest(convert_to(lower($1), 'UTF8'), 'sha1') $$;
create function email_sha256(text) returns bytea immutable strict parallel safe language sql
  as $$ select sha256(convert_to(lower($1), 'UTF8')) $$;
create function email_sha512(text) returns bytea immutable strict parallel safe language sql
  as $$ select sha512(convert_to(lower($1), 'UTF8')) $$;
