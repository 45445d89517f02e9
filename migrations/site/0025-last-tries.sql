alter table job
  -- When a recipient of it could be tried last: a relay took a connection of ours, or a user had it sent. Kept here, so
  -- that a process which begins it much later knows.
  add tried_at timestamptz,
  -- Whether its messages leave by relays and not into the built-in mailbox; decided when it is first begun.
  add is_by_relay boolean;
update job set tried_at = clock_timestamp() where state = 'Sending';
