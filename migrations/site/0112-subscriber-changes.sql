-- What imports and users changed in the fields of subscribers, with the values before and after. The statements that
-- change them write it (subscribers/field-change-store.ts); a daily task deletes old rows.
create table subscriber_change (
  id_subscriber int not null,
  changed_at timestamptz not null,
  cause text not null check (cause in ('import', 'user')),
  -- The import or the user of the console, by the cause.
  id_source int not null,
  -- Values before and after, by the id of the field: {"40": ["75001", "75011"], …}. Dates are in UTC without a zone.
  changes jsonb not null,
  -- The version of the fields. Values of fields that were emptied since then are not shown.
  fields_version int not null,
  -- Last, so that rows are written without naming columns.
  id bigint generated always as identity primary key
);
create index subscriber_change_newest on subscriber_change (id_subscriber, changed_at, id);
-- For erasures: another person may have had the address of the erased one.
create index subscriber_change_address on subscriber_change (id) where changes ? '1';
