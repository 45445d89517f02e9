-- What one run of an import did. That there is at most one row for each run is what keeps a run from being done twice:
-- the row is written in the transaction that merges the rows of the file.
create table import_log (
  id int generated always as identity primary key,
  id_import int not null references import on delete cascade,
  run int not null,
  -- How the run ended; a recurring import itself goes on.
  state text not null check (state in ('Completed', 'PackageErrorCreation')),
  -- The document's ImportLog without its id.
  log jsonb not null,
  ended_at timestamptz not null,
  -- Size and time of the file that was read; deleteFile deletes no other of its name.
  file_read text,
  -- The first of the runs that were passed over because nothing ran at their time.
  missed_since timestamptz,
  unique (id_import, run)
);
insert into import_log (id_import, run, state, log, ended_at, file_read)
  select id, 1, state, last_log - 'id', (last_log ->> 'endDate')::timestamptz, file_read
  from import where last_log is not null and state in ('Completed', 'PackageErrorCreation') order by id;

alter table import
  drop last_log,
  drop file_read,
  -- The number of the run that is planned or under way.
  add run int not null default 1,
  -- Counts the attempts: what an earlier attempt still does after a later one began is refused.
  add attempt int not null default 0,
  -- When the last attempt of the run began; null as long as it has not begun.
  add started_at timestamptz,
  add missed_since timestamptz,
  -- Why the last attempt failed, where another one follows.
  add trouble text;
