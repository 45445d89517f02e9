-- A relay that refuses a mailbox for good at RCPT says what a delivery report would say. Such a bounce is written in the
-- commit of the outcome; a task marks the subscriber afterwards, because sending must not wait for whoever writes to
-- subscribers, an import for instance.
alter table bounce
  -- The message was never accepted: the recipient counts as sent all the same, since delivered is sent less bounces.
  add is_refusal boolean not null default false,
  -- Has the subscriber been marked? A refusal is applied once, or it would undo what a user wrote since.
  add is_applied boolean not null default true;
create index bounce_unapplied on bounce (id) where not is_applied;
