-- Files of the repository that file filters compare subscribers with, as they were loaded. A file that has changed is loaded
-- under a new id, and the old one stays for statements that began with it (targets/filter-file-store.ts).
create table filter_file (
  id int generated always as identity primary key,
  filename text not null,
  -- The field, and its type when the file was loaded: the values are written as the type compares them.
  id_field int not null,
  field_type text not null,
  size bigint not null,
  modified_at timestamptz not null,
  loaded_at timestamptz not null,
  nb_values int not null,
  nb_bad int not null
);
create index filter_file_name on filter_file (filename, id_field);

-- No foreign key: its check of every row costs more than the row. Both tables have one writer, which deletes from both.
create table filter_file_value (
  id_file int not null,
  value text not null,
  primary key (id_file, value)
);

-- When what a filter's end asks for was done; a file filter's file is deleted once, not each time one of its name comes back.
alter table target_filter add column ended_at timestamptz;
