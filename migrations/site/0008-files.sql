-- SFTP accounts of the site besides its own one on the embedded server. Passwords are encrypted.
create table repository (
  id int generated always as identity primary key,
  host text not null,
  port int not null check (port between 1 and 65535),
  subfolder text not null default '',
  login text not null,
  password bytea,
  host_key text
);

create table import (
  id int generated always as identity primary key,
  id_user int not null,
  author text not null,
  parameters jsonb not null,
  created_at timestamptz not null,
  state text not null check (state in ('Scheduled', 'InProgress', 'Completed', 'Paused', 'PackageErrorCreation')),
  is_deleted boolean not null default false,
  deleted_at timestamptz,
  scheduling jsonb not null,
  scheduled_at timestamptz not null,
  -- The document's ImportLog of the last execution.
  last_log jsonb,
  -- Size and time of the file that the last execution read; deleteFile deletes no other of its name.
  file_read text,
  progression int not null default 0
);
create index import_scheduled on import (scheduled_at);
