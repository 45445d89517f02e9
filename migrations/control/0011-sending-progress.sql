-- What the watch over sendings has seen of each job at work, by the clock of the database.
alter table sending_job
  -- The highest number in its log, and how many of its ranges are done: one of the two changes with whatever is done.
  add last_log bigint not null default 0,
  add done_ranges int not null default 0,
  -- When that changed last, or the job last had a reason to wait.
  add moved_at timestamptz not null default clock_timestamp(),
  -- When any process looked last.
  add watched_at timestamptz not null default clock_timestamp(),
  add is_stalled boolean not null default false;
