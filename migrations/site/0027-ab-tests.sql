-- A name of the segment's own beside the sender's address, as mail_object is a subject of its own.
alter table segment add column sender_alias text;

-- What becomes of the A/B test that a job is. Its remainder, one of the job's sents, is held until the winner is
-- chosen: not_before of its ranges is infinity, and job.frozen has no messages for it.
create table ab_test (
  id_job int primary key references job on delete cascade,
  id_remainder int not null,
  -- What the variants differ in, and the remainder takes from the winner.
  type text not null check (type in ('Subject', 'Sender', 'Content')),
  -- Set when everybody in the variants was tried once.
  due_at timestamptz,
  decided_at timestamptz,
  -- The variant whose subject, sender or advertisements the remainder got.
  id_winner int,
  -- The figures that it was chosen by: [{"idSent", "readers", "delivered"}], in the order of the variants.
  results jsonb,
  check ((decided_at is null) = (id_winner is null) and (decided_at is null) = (results is null))
);
