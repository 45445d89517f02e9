-- What the engines gave a segment's message at the last time, and a digest of that message: the scores hold while the
-- segment's message still has it.
alter table segment
  add column spam_score double precision,
  add column vr_spam_score double precision,
  add column scored_message text,
  add column scored_at timestamptz;
