-- The audit log: who requested which change, and with what result. An entry outlives the records that it names, so it
-- references none of them.
create table audit_entry (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  id_user int not null,
  -- Null for a session.
  id_token int,
  id_site int,
  operation text not null,
  status smallint not null,
  -- Null when the connection no longer existed.
  address text,
  -- Ids by name, of the path, the query and the response: no texts of people, no secrets.
  ids jsonb not null check (pg_column_size(ids) < 2000)
);
create index audit_entry_at on audit_entry (at, id);
create index audit_entry_id_site on audit_entry (id_site, at, id);
create index audit_entry_id_user on audit_entry (id_user, at, id);
