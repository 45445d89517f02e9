-- The import whose rows are being written to the subscribers in steps, each a transaction of its own; one row. Whoever
-- reads many subscribers reads them as they were before, until the import has ended (fields/merge-state.ts).
create table merge_state (
  -- Counts the merges that have begun.
  version bigint not null,
  -- Null when no merge is under way.
  id_import int,
  attempt int,
  -- What was known of the file when it was read: another attempt goes on only with the same file.
  file_read text,
  -- Rows of the file up to this one are written.
  merged_to int not null default 0,
  nb_updates int not null default 0,
  nb_inserts int not null default 0,
  -- When the first step began: who unsubscribes after it stays so.
  begun_at timestamptz,
  -- PostgreSQL's name of what the subscribers were before; valid while the attempt and the server live.
  snapshot text,
  server_started_at timestamptz
);
insert into merge_state (version) values (0);

-- Rows of that file that PostgreSQL did not take when they were written, by number: a later attempt does not try them
-- again.
create table merge_refusal (
  n int primary key,
  reason text not null
);
