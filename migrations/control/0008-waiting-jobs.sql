-- Jobs that found no slot of their lane free (platform/job-lane.ts), in the order in which they came. Whoever frees a slot puts the
-- first of them back into the queue.
create table waiting_job (
  id bigint generated always as identity primary key,
  lane text not null,
  task text not null,
  payload jsonb not null,
  max_attempts int not null,
  unique (lane, task, payload)
);
