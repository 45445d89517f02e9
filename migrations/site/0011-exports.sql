-- One run of the rows that a target selects, to a file. What was asked for stands in the request; the rest follows.
create table export_job (
  id int generated always as identity primary key,
  id_user int not null,
  -- The document's Export request, as it was sent.
  request jsonb not null,
  -- 0 is the site's own folder; what was the default when nobody said where.
  id_repository int not null,
  created_at timestamptz not null,
  state text not null check (state in ('SCHEDULED', 'RUNNING', 'COMPLETED', 'FAILED')),
  -- Runs begun: the number of the last one fences off those before it.
  runs int not null default 0,
  started_at timestamptz,
  ended_at timestamptz,
  -- Since when every run has failed, by what need not last.
  failing_since timestamptz,
  nb_lines int,
  -- Characters that the file's code page does not have, each written as a question mark.
  nb_replaced bigint,
  -- Why the export failed, or waits.
  message text not null default ''
);
-- The few that have not ended are counted by every creation.
create index export_job_open on export_job (id) where state in ('SCHEDULED', 'RUNNING');
