-- When a job was last set going, by its generation or a resumption: from then on at the earliest count the 24 hours for
-- which those are tried again who were put off.
alter table job add column resumed_at timestamptz;
