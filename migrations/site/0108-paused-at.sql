-- When the job was last paused, by a call or by the engine; null if it never was.
alter table job add column paused_at timestamptz;
